#include "cli/plan_options.h"

#include <fmt/format.h>

#include <vector>

#include "airlot/planning.h"
#include "airlot/radio.h"
#include "cli/airtime_plan.h"

namespace airlot::cli {
namespace {

// This scenario is for fleets of one's own.
constexpr const char* kFleetScenario = "fleet";

std::vector<std::string> SolverNames() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : Solvers()) names.emplace_back(entry.name);
  return names;
}

std::vector<std::string> SharingNames() {
  std::vector<std::string> names;
  for (const auto& [sharing, name] : BandSharings()) names.emplace_back(name);
  return names;
}

}  // namespace

void AddPlanOptions(CLI::App& command, PlanOptions& options) {
  AddScenarioOptions(command, options.scenario);
  command
      .add_option("--fleet", options.fleet_file,
                  "Read the devices (CSV or .npz); - for standard input;\n"
                  "SCENARIO is then fleet, unless it is named")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_flag("--ignore-unknown", options.ignore_unknown,
                   "Ignore columns of the fleet file that are not known");
  command.add_flag("--airtime", options.airtime,
                   "Plan airtime: who is drawn shares the whole band");
  command.add_option("--bandwidth", options.sharing, "How the band is split")
      ->check(OneOf(SharingNames()))
      ->type_name("equal|shared|blocks");
  command.add_option("--round", options.round, "Plan this round's fading, not the mean channel")
      ->check(WholeNumberIn(1, 1e9))
      ->type_name("N");
  command.add_option("--solver", options.solver, "One of those that airlot list solvers shows")
      ->check(OneOf(SolverNames()))
      ->type_name("NAME");
  command
      .add_option("-o,--output", options.plan_file,
                  "Write the plan (CSV or .npz); - for standard output")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--save-fleet", options.saved_fleet_file,
                  "Write the fleet that was planned (CSV or .npz)")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--report", options.report_file, "Write a page with map and distributions")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_flag("--check", options.check, "Verify every device by an independent route");
  command.add_option("--threads", options.threads, "Threads; the result is the same")
      ->check(WholeNumberIn(1, 1024))
      ->capture_default_str();
  command
      .add_option("--start-probability", options.start_probability,
                  "alternating, literal: the start")
      ->check(NumberIn(kSmallestInput, 1));
  command
      .add_option("--inner-tolerance-j", options.inner_tolerance_j,
                  "alternating, literal: Algorithm 1 stops")
      ->check(NumberIn(kSmallestInput, kLargestInput));
  command
      .add_option("--outer-tolerance", options.outer_tolerance,
                  "alternating, literal: Algorithm 2 stops")
      ->check(NumberIn(kSmallestInput, kLargestInput));
}

void Resolve(const CLI::App& command, PlanOptions& options) {
  if (options.fleet_file && command.count("SCENARIO") == 0) {
    options.scenario.scenario = kFleetScenario;
  }
  // The summary makes way for a plan that is printed.
  if (options.fleet_file == "-") options.fleet_file = "/dev/stdin";
  if (options.plan_file == "-") options.plan_file = "/dev/stdout";
}

Result<Scenario> ScenarioOf(const PlanOptions& options) {
  auto scenario = LoadScenario(options.scenario);
  if (!scenario) return scenario.error();
  if (options.fleet_file) scenario->fleet.file = options.fleet_file;
  if (options.ignore_unknown && !scenario->fleet.file) {
    return Error{"--ignore-unknown is for the columns of a fleet file: add --fleet FILE"};
  }
  scenario->fleet.ignore_unknown |= options.ignore_unknown;
  for (const auto& [sharing, name] : BandSharings()) {
    if (options.sharing == name) scenario->radio.band.sharing = sharing;
  }
  scenario->round.airtime |= options.airtime;
  PlanningOptions& planning = scenario->planning;
  if (options.solver) planning.solver = *SolverByName(*options.solver);
  if (!IsOfThePaper(planning.solver) &&
      (options.start_probability || options.inner_tolerance_j || options.outer_tolerance)) {
    return Error{fmt::format(
        "--start-probability, --inner-tolerance-j and --outer-tolerance are for --solver "
        "alternating and literal: the solver {} takes none of them",
        SolverName(planning.solver))};
  }
  planning.start_probability = options.start_probability.value_or(planning.start_probability);
  planning.inner_tolerance_j = options.inner_tolerance_j.value_or(planning.inner_tolerance_j);
  planning.outer_tolerance = options.outer_tolerance.value_or(planning.outer_tolerance);
  if (!scenario->round.airtime) return scenario;
  if (const auto status = CheckAirtime(*scenario); !status) return status.error();
  return scenario;
}

}  // namespace airlot::cli
