// `airlot plan --vary` plans every cell of a grid.
#ifndef AIRLOT_CLI_PLAN_SWEEP_H_
#define AIRLOT_CLI_PLAN_SWEEP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/sweep_report.h"
#include "cli/command.h"
#include "cli/grid_options.h"

namespace airlot::cli {

struct PlanSweepOptions {
  GridOptions grid;
  std::size_t seeds = 1;
  bool has_heat_maps = false;
};
void AddPlanSweepOptions(CLI::App& command, PlanSweepOptions& options);

// A PlanSweepRequest has what the options of `plan` say.
struct PlanSweepRequest {
  const PlanSweepOptions* options = nullptr;
  ScenarioOptions scenario;            // its source has been read
  Scenario base;                       // with what other options say
  std::optional<std::uint64_t> round;  // none: the mean channel
  OutputOptions output;
  std::optional<std::string> csv_file, report_file;
  // plan returns what the plan of a cell expects, which these overrides and the seed make.
  std::function<Result<PlannedRound>(const std::vector<std::string>& overrides, std::uint64_t seed)>
      plan;
};
// Plans all cells, writes the files, and prints a table or JSON. Returns the exit code.
int SweepPlans(const PlanSweepRequest& request);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_PLAN_SWEEP_H_
