#include "runs/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "data/sha256.h"

namespace airlot::runs {
namespace {

constexpr std::string_view kMagic = "airlot checkpoint\n";
constexpr std::uint32_t kVersion = 4;
constexpr std::size_t kDigestSize = 64;

std::string Digest(std::string_view bytes) {
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return hash.Hex();
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
void Put(std::string& out, T value) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
  out.append(bytes, sizeof(T));
}

template <class T>
void PutAll(std::string& out, const std::vector<T>& values) {
  Put(out, std::uint64_t{values.size()});
  if constexpr (std::endian::native == std::endian::little) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  } else {
    for (const T value : values) Put(out, value);
  }
}

// Calls visit(field) for each field of a round, in the order of the format.
template <class Record, class Visit>
void EachField(Record& record, const Visit& visit) {
  visit(record.round);
  visit(record.time_s);
  visit(record.energy_j);
  visit(record.participants);
  visit(record.loss);
  visit(record.accuracy);
  visit(record.test_loss);
  visit(record.mean_participation_s);
  visit(record.empty_batteries);
}
constexpr std::size_t kRecordSize = std::size_t{8} * 9;

// Takes values off the front of bytes. Once there are too few, all that it gives is 0.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}

  // Whether all was taken, and nothing more.
  bool is_done() const { return !is_short_ && rest_.empty(); }

  std::string_view Text(std::size_t size) {
    if (size > rest_.size()) {
      is_short_ = true;
      rest_ = {};
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
    return text;
  }

  template <class T>
  void Take(T& value) {
    BitsOf<T> bits = 0;
    const std::string_view bytes = Text(sizeof(T));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bits |= static_cast<BitsOf<T>>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    value = std::bit_cast<T>(bits);
  }

  // A count of things of `size` bytes, of which there are really that many; else 0.
  std::size_t TakeCount(std::size_t size) {
    std::uint64_t count = 0;
    Take(count);
    if (count <= rest_.size() / size) return count;
    is_short_ = true;
    rest_ = {};
    return 0;
  }

  template <class T>
  void TakeAll(std::vector<T>& values) {
    values.resize(TakeCount(sizeof(T)));
    if constexpr (std::endian::native == std::endian::little) {
      const std::string_view bytes = Text(values.size() * sizeof(T));
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
    } else {
      for (T& value : values) Take(value);
    }
  }

 private:
  std::string_view rest_;
  bool is_short_ = false;
};

}  // namespace

std::string Fingerprint(std::string_view scenario_text, std::string_view strategy,
                        std::uint64_t seed) {
  return Digest(fmt::format("{}\n{}\n{}", strategy, seed, scenario_text));
}

std::string Fingerprint(const Scenario& scenario, std::string_view strategy, std::uint64_t seed) {
  return Fingerprint(FormatScenario(scenario), strategy, seed);
}

std::string EncodeCheckpoint(const RunState& state, std::string_view fingerprint) {
  AIRLOT_CHECK(fingerprint.size() == kDigestSize, "fingerprint {}", fingerprint);
  std::string out(kMagic);
  Put(out, kVersion);
  out += fingerprint;
  Put(out, state.round);
  Put(out, state.time_s);
  Put(out, state.energy_j);
  PutAll(out, state.parameters);
  PutAll(out, state.velocity);
  PutAll(out, state.participations);
  PutAll(out, state.energy_spent_j);
  Put(out, std::uint64_t{state.records.size()});
  for (const RoundRecord& record : state.records) {
    EachField(record, [&](auto value) { Put(out, value); });
  }
  PutAll(out, state.second_moment);
  Put(out, state.server_steps);
  PutAll(out, state.control);
  PutAll(out, state.strategy_memory);
  Put(out, std::uint64_t{state.device_memory.size()});
  for (const DeviceMemory& memory : state.device_memory) {
    PutAll(out, memory.unsent);
    PutAll(out, memory.control);
  }
  Put(out, std::uint64_t{state.setting_digest.size()});
  out += state.setting_digest;
  PutAll(out, state.battery_j);
  PutAll(out, state.first_empty_round);
  PutAll(out, state.probability_sum);
  return out + Digest(out);
}

std::optional<std::string> DamageOf(std::string_view bytes) {
  if (bytes.empty()) return "it is empty";
  if (!bytes.starts_with(kMagic)) return "it is not a checkpoint";
  if (bytes.size() < kMagic.size() + kDigestSize) return "it is cut off";
  const std::size_t end = bytes.size() - kDigestSize;
  if (Digest(bytes.substr(0, end)) != bytes.substr(end)) return "its checksum does not match";
  return std::nullopt;
}

Result<RunState> DecodeCheckpoint(std::string_view bytes, std::string_view fingerprint) {
  if (const auto damage = DamageOf(bytes)) return Error{*damage};
  Taker taker(bytes.substr(0, bytes.size() - kDigestSize));
  taker.Text(kMagic.size());
  std::uint32_t version = 0;
  taker.Take(version);
  if (version != kVersion) {
    return Error{fmt::format("it has format {}, and this version of airlot reads format {}",
                             version, kVersion)};
  }
  if (taker.Text(kDigestSize) != fingerprint) {
    return Error{"it is of another scenario, strategy or seed"};
  }
  RunState state;
  taker.Take(state.round);
  taker.Take(state.time_s);
  taker.Take(state.energy_j);
  taker.TakeAll(state.parameters);
  taker.TakeAll(state.velocity);
  taker.TakeAll(state.participations);
  taker.TakeAll(state.energy_spent_j);
  state.records.resize(taker.TakeCount(kRecordSize));
  for (RoundRecord& record : state.records) {
    EachField(record, [&](auto& value) { taker.Take(value); });
  }
  taker.TakeAll(state.second_moment);
  taker.Take(state.server_steps);
  taker.TakeAll(state.control);
  taker.TakeAll(state.strategy_memory);
  state.device_memory.resize(taker.TakeCount(2 * sizeof(std::uint64_t)));
  for (DeviceMemory& memory : state.device_memory) {
    taker.TakeAll(memory.unsent);
    taker.TakeAll(memory.control);
  }
  state.setting_digest = taker.Text(taker.TakeCount(1));
  taker.TakeAll(state.battery_j);
  taker.TakeAll(state.first_empty_round);
  taker.TakeAll(state.probability_sum);
  if (!taker.is_done()) return Error{"its sizes do not add up"};
  return state;
}

}  // namespace airlot::runs
