// Devices are drawn independently, each with its probability. (53)
#ifndef AIRLOT_SELECTION_INDEPENDENT_DRAWS_H_
#define AIRLOT_SELECTION_INDEPENDENT_DRAWS_H_

#include <algorithm>
#include <cstddef>
#include <span>

#include "airlot/random.h"
#include "airlot/selection.h"
#include "airlot/strategy_parts.h"
#include "selection/purposes.h"

namespace airlot::selection {

// Calls tell(device, is_drawn) for each device, in their order.
template <class Tell>
void DrawIndependently(const SelectionView& view, std::span<const double> probability,
                       const Tell& tell) {
  // So many devices share a stream, because one stream per device would cost a block of the
  // generator for each.
  constexpr std::size_t kGroup = 1024;
  for (std::size_t first = 0; first < probability.size(); first += kGroup) {
    RandomStream stream(view.seed, kProbabilistic, RoundOfDraw(view), first / kGroup);
    for (std::size_t i = first; i < std::min(probability.size(), first + kGroup); ++i) {
      tell(i, stream.Uniform() < probability[i]);
    }
  }
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_INDEPENDENT_DRAWS_H_
