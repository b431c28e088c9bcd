// These functions find the command that repeats some runs, or a plan.
#ifndef AIRLOT_CLI_REPETITION_H_
#define AIRLOT_CLI_REPETITION_H_

#include "airlot/report.h"
#include "airlot/run_directory.h"
#include "airlot/scenario.h"

namespace airlot::cli {

Repetition RunsRepetition(const Comparison& comparison);
Repetition PlanRepetition(const Scenario& scenario, const PlanOrigin& origin);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_REPETITION_H_
