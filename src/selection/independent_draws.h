// This header draws devices independently of each other, for all who do so.
#ifndef AIRLOT_SELECTION_INDEPENDENT_DRAWS_H_
#define AIRLOT_SELECTION_INDEPENDENT_DRAWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "airlot/random.h"
#include "selection/purposes.h"

namespace airlot::selection {

// Calls visit(device, is_drawn) for each device in order; it is drawn with its probability. (53)
// `round_of_draw` is the round, and the attempt where rounds are drawn again (`RoundOfDraw`).
//
// So many devices share a stream, because one stream per device would cost a block of the generator
// for each.
template <class Visit>
void VisitDraws(std::span<const double> probability, std::uint64_t seed,
                std::uint64_t round_of_draw, const Visit& visit) {
  constexpr std::size_t kGroup = 1024;
  for (std::size_t first = 0; first < probability.size(); first += kGroup) {
    RandomStream stream(seed, kProbabilistic, round_of_draw, first / kGroup);
    for (std::size_t i = first; i < std::min(probability.size(), first + kGroup); ++i) {
      visit(i, stream.Uniform() < probability[i]);
    }
  }
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_INDEPENDENT_DRAWS_H_
