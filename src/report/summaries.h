// This header finds a strategy among summaries.
#ifndef AIRLOT_REPORT_SUMMARIES_H_
#define AIRLOT_REPORT_SUMMARIES_H_

#include <algorithm>
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

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SUMMARIES_H_
