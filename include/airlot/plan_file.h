// Plans as CSV files (docs/formats.md).
#ifndef AIRLOT_PLAN_FILE_H_
#define AIRLOT_PLAN_FILE_H_

#include <functional>
#include <string>

#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/result.h"

namespace airlot {

// Writes one row per device. The file appears whole or not at all. `progress` is told the share
// written so far, from 0 to 1.
Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress = {});

}  // namespace airlot

#endif  // AIRLOT_PLAN_FILE_H_
