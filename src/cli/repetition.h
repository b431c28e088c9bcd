// These functions find the command that repeats some runs, a sweep or a plan.
#ifndef AIRLOT_CLI_REPETITION_H_
#define AIRLOT_CLI_REPETITION_H_

#include <optional>
#include <string>

#include "airlot/report.h"
#include "airlot/run_directory.h"
#include "airlot/scenario.h"
#include "airlot/sweep.h"

namespace airlot::cli {

Repetition RunsRepetition(const Comparison& comparison);
Repetition SweepRepetition(const Sweep& sweep);
// The scenario may come from a file; none: it is built in.
Repetition PlanRepetition(const Scenario& scenario, const PlanOrigin& origin,
                          const std::optional<std::string>& scenario_file);

// Returns the options that vary the keys of a grid, each in a line of its own.
std::string GridText(const Grid& grid);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_REPETITION_H_
