// This header finds a strategy or a target among summaries.
#ifndef AIRLOT_REPORT_SUMMARIES_H_
#define AIRLOT_REPORT_SUMMARIES_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "airlot/experiment.h"

namespace airlot::report {

// Returns null where there is none of this strategy.
inline const StrategySummary* FindSummary(std::span<const StrategySummary> summaries,
                                          std::string_view strategy) {
  const auto found = std::ranges::find(summaries, strategy, &StrategySummary::strategy);
  return found == summaries.end() ? nullptr : &*found;
}

// Returns the place of the highest target that anybody reached, or nothing.
inline std::optional<std::size_t> HighestReached(std::span<const StrategySummary> summaries) {
  std::optional<std::size_t> highest;
  for (const StrategySummary& summary : summaries) {
    for (std::size_t t = 0; t < summary.targets.size(); ++t) {
      if (summary.targets[t].first.reached == 0) continue;
      if (!highest || summary.targets[t].target > summary.targets[*highest].target) highest = t;
    }
  }
  return highest;
}

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SUMMARIES_H_
