// PlanOptions are what the command line says to `airlot plan`.
#ifndef AIRLOT_CLI_PLAN_OPTIONS_H_
#define AIRLOT_CLI_PLAN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "airlot/result.h"
#include "airlot/scenario.h"
#include "cli/command.h"
#include "cli/plan_sweep.h"

namespace airlot::cli {

struct PlanOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  int threads = 1;
  // The scenario decides where these are not set.
  std::optional<std::string> fleet_file, sharing, solver;
  std::optional<double> start_probability, inner_tolerance_j, outer_tolerance;
  std::optional<std::string> plan_file, saved_fleet_file, report_file;
  bool airtime = false, check = false, ignore_unknown = false;
  std::optional<std::uint64_t> round;  // none: the mean channel
  PlanSweepOptions sweep;
};

void AddPlanOptions(CLI::App& command, PlanOptions& options);

// Completes the options once they are parsed: "-" is the standard stream, and a fleet file has a
// scenario of its own where none is named.
void Resolve(const CLI::App& command, PlanOptions& options);

// Returns the scenario with what the options of the command say instead of its keys.
Result<Scenario> ScenarioOf(const PlanOptions& options);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_PLAN_OPTIONS_H_
