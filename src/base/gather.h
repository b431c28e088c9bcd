// The members of a team let each other have values, in the order of the members.
#ifndef AIRLOT_BASE_GATHER_H_
#define AIRLOT_BASE_GATHER_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "airlot/hands.h"
#include "airlot/result.h"
#include "airlot/team.h"

namespace airlot::base {

// Returns the bytes of all members, one member after the other, of which each brings any number.
std::string GatherBytes(Team& team, std::string_view mine);

// Returns the values of all members, likewise.
template <class T>
std::vector<T> GatherAll(Team& team, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>, "the bytes of a value are all of it");
  const std::string bytes =
      GatherBytes(team, {reinterpret_cast<const char*>(mine.data()), mine.size_bytes()});
  std::vector<T> all;
  all.reserve(bytes.size() / sizeof(T));
  for (std::size_t begin = 0; begin < bytes.size(); begin += sizeof(T)) {
    std::array<char, sizeof(T)> one;
    std::memcpy(one.data(), bytes.data() + begin, sizeof(T));
    all.push_back(std::bit_cast<T>(one));
  }
  return all;
}

// Returns the value of each member; of this process alone, where there is no team.
template <class T>
std::vector<T> GatherOne(const Hands& hands, const T& mine) {
  if (hands.team == nullptr) return {mine};
  return GatherAll<T>(*hands.team, {&mine, 1});
}

// Returns the sum of what the members have, which must not round.
std::size_t SumOfMembers(const Hands& hands, std::size_t mine);
// Returns the sums of counts, of which all members have as many.
std::vector<std::size_t> SumsOfMembers(const Hands& hands, std::span<const std::size_t> mine);
// Returns the sum of what the members before this one have.
std::size_t SumOfEarlierMembers(const Hands& hands, std::size_t mine);
// Says whether something holds for every member.
bool IsSoForAll(const Hands& hands, bool is_so_here);

// Returns the error of the first member that has one, in every member, so that all go on or none.
Status AgreeOn(const Hands& hands, Status status);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_GATHER_H_
