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
// `file` is the one that the scenario was read from, if any.
Repetition PlanRepetition(const Scenario& scenario, const std::optional<std::string>& file,
                          const PlanOrigin& origin);

// Returns the options that vary the keys of a grid, each in a line of its own.
std::string GridText(const Grid& grid);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_REPETITION_H_
