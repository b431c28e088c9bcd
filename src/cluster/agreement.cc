#include "cluster/agreement.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include "airlot/bytes.h"

namespace airlot::cluster {
namespace {

// The answers of the first rank.
constexpr std::string_view kGoOn = "go on", kOver = "over";

// A Hello is what a rank says to the first: its claims, or why it has none.
struct Hello {
  std::string host;
  std::optional<std::string> gives_up;
  std::vector<std::string> values;
};

std::string Encode(const Hello& hello) {
  ByteWriter writer;
  writer.Put(std::string_view(hello.host));
  writer.Put(std::uint32_t{hello.gives_up.has_value()});
  writer.Put(std::string_view(hello.gives_up ? *hello.gives_up : ""));
  writer.Put(std::uint64_t{hello.values.size()});
  for (const std::string& value : hello.values) writer.Put(std::string_view(value));
  return std::move(writer).bytes();
}

Hello Decode(std::string_view bytes) {
  ByteReader reader(bytes);
  Hello hello;
  reader.Take(hello.host);
  std::uint32_t gives_up = 0;
  reader.Take(gives_up);
  std::string why;
  reader.Take(why);
  if (gives_up != 0) hello.gives_up = std::move(why);
  hello.values.resize(reader.TakeCount(sizeof(std::uint64_t)));
  for (std::string& value : hello.values) reader.Take(value);
  return hello;
}

RankMessage WaitForMessage(Ranks& ranks) {
  for (;;) {
    if (auto message = ranks.Receive()) return std::move(*message);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Returns what the other ranks say, in their order.
std::vector<Hello> HelloOfOthers(Ranks& ranks) {
  std::vector<Hello> all(ranks.size());
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const RankMessage message = WaitForMessage(ranks);
    all[message.from] = Decode(message.bytes);
  }
  return all;
}

void Answer(Ranks& ranks, std::span<const Hello> hellos, std::string_view answer) {
  for (std::size_t i = 1; i < hellos.size(); ++i) {
    if (!hellos[i].gives_up) ranks.Send(i, answer);
  }
}

Status Compare(std::span<const Claim> claims, std::span<const Hello> hellos) {
  for (std::size_t i = 1; i < hellos.size(); ++i) {
    const std::string name = NameOf(i, hellos.size(), hellos[i].host);
    if (hellos[i].gives_up) return Error{fmt::format("{}: {}", name, *hellos[i].gives_up)};
    for (std::size_t k = 0; k < claims.size(); ++k) {
      if (k < hellos[i].values.size() && hellos[i].values[k] == claims[k].value) continue;
      return Error{
          fmt::format("{}: {} is not that of rank 0: {}", name, claims[k].what, claims[k].advice)};
    }
  }
  return {};
}

}  // namespace

std::string NameOf(std::size_t rank, std::size_t size, std::string_view host) {
  return fmt::format("rank {} of {} ({})", rank, size, host);
}

Status Agree(Ranks& ranks, std::span<const Claim> claims, std::vector<std::string>& hosts) {
  if (ranks.rank() != 0) {
    Hello hello{.host = ranks.host()};
    for (const Claim& claim : claims) hello.values.push_back(claim.value);
    ranks.Send(0, Encode(hello));
    return WaitForMessage(ranks).bytes == kGoOn ? Status() : Status(Error{});
  }
  const std::vector<Hello> hellos = HelloOfOthers(ranks);
  hosts.assign(1, ranks.host());
  for (std::size_t i = 1; i < hellos.size(); ++i) hosts.push_back(hellos[i].host);
  Status status = Compare(claims, hellos);
  Answer(ranks, hellos, status ? kGoOn : kOver);
  return status;
}

void GiveUp(Ranks& ranks, const std::string& why) {
  if (ranks.rank() == 0) {
    Answer(ranks, HelloOfOthers(ranks), kOver);
  } else {
    ranks.Send(0, Encode({.host = ranks.host(), .gives_up = why}));
  }
}

}  // namespace airlot::cluster
