#include "base/division.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace airlot::base {

Division::Division(std::span<const std::size_t> costs, std::size_t members) : items_(members) {
  AIRLOT_CHECK(members > 0, "{} members", members);
  std::vector<std::size_t> sums(members);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto least = std::size_t(std::ranges::min_element(sums) - sums.begin());
    sums[least] += std::max<std::size_t>(costs[i], 1);
    owners_.push_back(least);
    items_[least].push_back(i);
  }
}

void ShareBytes(Team& team, const Division& division, std::span<const Place> places,
                std::span<std::byte> values) {
  std::vector<std::size_t> sizes(team.size());
  std::size_t all = 0, first = 0;
  for (std::size_t member = 0; member < team.size(); ++member) {
    if (member == team.rank()) first = all;
    for (const std::size_t item : division.ItemsOf(member)) sizes[member] += places[item].size;
    all += sizes[member];
  }
  std::vector<std::byte> packed(all);
  std::byte* to = packed.data() + first;
  for (const std::size_t item : division.ItemsOf(team.rank())) {
    std::memcpy(to, values.data() + places[item].begin, places[item].size);
    to += places[item].size;
  }
  team.Gather(packed, sizes);
  const std::byte* from = packed.data();
  for (std::size_t member = 0; member < team.size(); ++member) {
    for (const std::size_t item : division.ItemsOf(member)) {
      std::memcpy(values.data() + places[item].begin, from, places[item].size);
      from += places[item].size;
    }
  }
}

}  // namespace airlot::base
