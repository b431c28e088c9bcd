// The runs of one scenario, read from their directory, and what follows from scenario and seed.
#ifndef AIRLOT_REPORT_KEPT_RUNS_H_
#define AIRLOT_REPORT_KEPT_RUNS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/report.h"
#include "airlot/result.h"
#include "airlot/run_directory.h"
#include "report/devices.h"

namespace airlot::report {

struct KeptRuns {
  Comparison comparison;
  RunStatus status = RunStatus::kRunning;
  std::string directory;
  std::string version;          // of the airlot that wrote the runs
  std::string simd_target;      // of the processor, as the manifest has it
  std::vector<RunResult> runs;  // kRoundsDone: complete; kStopped: as far as its checkpoint
  std::vector<std::vector<double>> energy_spent_j;  // of each run, of each device
  // The same; empty where every round had the probabilities that were planned.
  std::vector<std::vector<double>> mean_probability;
  std::size_t not_begun = 0;          // runs that are planned
  std::vector<std::string> left_out;  // runs that cannot be used, and why
};

// The runs of a directory, also of one that is still written to. What cannot be used is left out,
// with the reason.
Result<KeptRuns> ReadRuns(const std::string& directory);

// The directories with runs at or right below `path`, in the order of the paper's scenarios, then
// by name.
Result<std::vector<std::string>> FindRunDirectories(const std::string& path);

// The fleet of a scenario and seed, planned again.
struct PlannedFleet {
  Fleet fleet;
  Plan plan;
  LabelCounts labels;  // of some devices, if the scenario has data
};
Result<PlannedFleet> PlanAgain(const Scenario& scenario, std::uint64_t seed);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_KEPT_RUNS_H_
