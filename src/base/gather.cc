#include "base/gather.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "airlot/bytes.h"

namespace airlot::base {
namespace {

// Returns how many bytes each member has.
std::vector<std::size_t> GatherSizes(Team& team, std::size_t mine) {
  std::vector<std::size_t> sizes(team.size());
  sizes[team.rank()] = mine;
  const std::vector<std::size_t> each(team.size(), sizeof(std::size_t));
  team.Gather(std::as_writable_bytes(std::span(sizes)), each);
  return sizes;
}

}  // namespace

std::string GatherBytes(Team& team, std::string_view mine) {
  const std::vector<std::size_t> sizes = GatherSizes(team, mine.size());
  std::string all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), '\0');
  if (all.empty()) return all;
  const auto own = sizes.begin() + static_cast<std::ptrdiff_t>(team.rank());
  std::ranges::copy(mine, all.begin() + static_cast<std::ptrdiff_t>(
                                            std::accumulate(sizes.begin(), own, std::size_t{0})));
  team.Gather(std::as_writable_bytes(std::span(all)), sizes);
  return all;
}

std::size_t SumOfMembers(const Hands& hands, std::size_t mine) {
  const auto all = GatherOne(hands, mine);
  return std::accumulate(all.begin(), all.end(), std::size_t{0});
}

std::vector<std::size_t> SumsOfMembers(const Hands& hands, std::span<const std::size_t> mine) {
  std::vector<std::size_t> sums(mine.begin(), mine.end());
  if (hands.team == nullptr) return sums;
  std::ranges::fill(sums, 0);
  const std::vector<std::size_t> all = GatherAll(*hands.team, mine);
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()] += all[i];
  return sums;
}

std::size_t SumOfEarlierMembers(const Hands& hands, std::size_t mine) {
  if (hands.team == nullptr) return 0;
  const auto all = GatherOne(hands, mine);
  return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(hands.team->rank()),
                         std::size_t{0});
}

bool IsSoForAll(const Hands& hands, bool is_so_here) {
  return std::ranges::all_of(GatherOne(hands, char{is_so_here}), [](char one) { return one != 0; });
}

Status AgreeOn(const Hands& hands, Status status) {
  if (hands.team == nullptr) return status;
  ByteWriter writer;
  if (!status) {
    const Error& error = status.error();
    writer.Put(std::string_view(error.message));
    writer.Put(std::uint32_t{error.field.has_value()});
    writer.Put(std::string_view(error.field ? *error.field : ""));
  }
  const std::string all = GatherBytes(*hands.team, std::move(writer).bytes());
  if (all.empty()) return {};
  ByteReader reader(all);  // the errors of all members, of which the first one counts
  Error first;
  std::uint32_t has_field = 0;
  std::string field;
  reader.Take(first.message);
  reader.Take(has_field);
  reader.Take(field);
  if (has_field != 0) first.field = std::move(field);
  return first;
}

}  // namespace airlot::base
