// A Division says which member of a team does which items of some work.
#ifndef AIRLOT_BASE_DIVISION_H_
#define AIRLOT_BASE_DIVISION_H_

#include <cstddef>
#include <span>
#include <vector>

#include "airlot/team.h"

namespace airlot::base {

// Items are given out in their order, each to the member that has the least to do so far. So what
// a member does depends on the costs and on the number of members, and everybody knows it.
class Division {
 public:
  Division(std::span<const std::size_t> costs, std::size_t members);

  std::size_t OwnerOf(std::size_t item) const { return owners_[item]; }
  // Returns the items of a member, in rising order.
  const std::vector<std::size_t>& ItemsOf(std::size_t member) const { return items_[member]; }

 private:
  std::vector<std::size_t> owners_;
  std::vector<std::vector<std::size_t>> items_;
};

// A Place is where the values of an item stand among all.
struct Place {
  std::size_t begin, size;
};

// Lets every member have the values of all items, of which each has those of its own: those of item
// i stand at places[i].
void ShareBytes(Team& team, const Division& division, std::span<const Place> places,
                std::span<std::byte> values);

template <class T>
void Share(Team& team, const Division& division, std::vector<Place> places, std::span<T> values) {
  for (Place& place : places) place = {place.begin * sizeof(T), place.size * sizeof(T)};
  ShareBytes(team, division, places, std::as_writable_bytes(values));
}
// The same, where each item has so many values, one item after the other.
template <class T>
void Share(Team& team, const Division& division, std::size_t items, std::size_t values_of_each,
           std::span<T> values) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < items; ++i) places.push_back({i * values_of_each, values_of_each});
  Share(team, division, std::move(places), values);
}

}  // namespace airlot::base

#endif  // AIRLOT_BASE_DIVISION_H_
