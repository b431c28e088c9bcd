// The time that a round may take.
#ifndef AIRLOT_SELECTION_TIME_LIMIT_H_
#define AIRLOT_SELECTION_TIME_LIMIT_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "airlot/selection.h"

namespace airlot::selection {

// The shortest limit of these devices: all of them keep it. Infinity for none.
inline double ShortestTimeLimit(const Cell& cell, std::span<const std::uint32_t> devices) {
  double limit_s = std::numeric_limits<double>::infinity();
  for (const std::uint32_t device : devices) {
    limit_s = std::min(limit_s, cell.problem.time_limit_s[device]);
  }
  return limit_s;
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_TIME_LIMIT_H_
