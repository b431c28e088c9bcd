#include "base/gather.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "airlot/bytes.h"

namespace airlot::base {
namespace {

// What most members have fits into a Parcel, so that all of it travels at once.
struct Parcel {
  std::uint64_t size = 0;
  std::array<char, 1016> bytes = {};
};

}  // namespace

std::string GatherBytes(Team& team, std::string_view mine) {
  std::vector<Parcel> parcels(team.size());
  Parcel& own = parcels[team.rank()];
  own.size = mine.size();
  if (mine.size() <= own.bytes.size()) std::ranges::copy(mine, own.bytes.begin());
  const std::vector<std::size_t> each(team.size(), sizeof(Parcel));
  team.Gather(std::as_writable_bytes(std::span(parcels)), each);

  std::vector<std::size_t> sizes;
  sizes.reserve(parcels.size());
  for (const Parcel& parcel : parcels) sizes.push_back(parcel.size);
  std::string all;
  if (std::ranges::max(sizes) <= own.bytes.size()) {
    for (const Parcel& parcel : parcels) all.append(parcel.bytes.data(), parcel.size);
    return all;
  }
  all.resize(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  const auto before = std::accumulate(
      sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(team.rank()), std::size_t{0});
  std::ranges::copy(mine, all.begin() + static_cast<std::ptrdiff_t>(before));
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
