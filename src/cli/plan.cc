// airlot plan: probabilities and powers of a fleet.
#include <chrono>
#include <memory>
#include <string>

#include "airlot/plan_file.h"
#include "airlot/planning.h"
#include "airlot/scenario.h"
#include "cli/command.h"
#include "cli/plan_summary.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct PlanOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  PlanningOptions planning;
  std::string fleet_file;
  std::string solver = std::string(Name(PlanningOptions{}.solver));
  std::string plan_file;
  bool check = false;
};

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

Result<Fleet> MakeFleet(const Scenario& scenario, const PlanOptions& options) {
  const FleetDefaults defaults = DefaultsOf(scenario, options.scenario.seed);
  if (scenario.fleet.file.empty()) return DrawFleet(defaults, options.planning.threads);
  Progress progress("reading " + scenario.fleet.file, options.output.quiet);
  return ReadFleet(scenario.fleet.file, defaults, options.planning.threads, std::ref(progress));
}

// Parse -> validate -> solve -> write.
Result<PlanSummary> MakePlan(const PlanOptions& options) {
  auto scenario = ReadScenario(options.scenario.scenario, options.scenario.overrides);
  if (!scenario) return scenario.error();
  if (!options.fleet_file.empty()) scenario->fleet.file = options.fleet_file;

  PlanSummary summary{.scenario = scenario->name,
                      .fleet_file = scenario->fleet.file,
                      .plan_file = options.plan_file,
                      .min_probability = scenario->round.min_probability,
                      .solver = options.planning.solver};
  auto since = std::chrono::steady_clock::now();
  const auto fleet = MakeFleet(*scenario, options);
  if (!fleet) return fleet.error();
  summary.devices = fleet->devices;
  summary.read_s = Seconds(since);
  const auto problem = ProblemOf(*fleet, scenario->radio, scenario->round);
  if (!problem) return problem.error();
  if (const auto error = Validate(*problem, options.planning)) return *error;

  since = std::chrono::steady_clock::now();
  const Plan plan = Solve(*problem, options.planning);
  summary.solve_s = Seconds(since);

  summary.expectations = Expect(*problem, plan, options.planning.threads);
  SummariseProbabilities(plan.probability, summary);
  if (options.check) summary.certificate = Check(*problem, plan, options.planning.threads);
  if (summary.min_probability > 0) {
    constexpr std::size_t kMostShown = 10;
    summary.floor = CheckFloor(*problem, plan, summary.min_probability, kMostShown);
    std::string buffer;
    for (const Shortfall& shortfall : summary.floor->shortfalls) {
      summary.floor_ids.emplace_back(fleet->ids.Get(shortfall.device, buffer));
    }
  }
  if (!options.plan_file.empty()) {
    since = std::chrono::steady_clock::now();
    Progress progress("writing " + options.plan_file, options.output.quiet);
    if (const auto error =
            WritePlan(options.plan_file, *fleet, *problem, plan, std::ref(progress))) {
      return *error;
    }
    summary.write_s = Seconds(since);
  }
  return summary;
}

}  // namespace

void AddPlan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App& command = *app.add_subcommand(
      "plan", "Find the participation probability and transmit power of every device of a fleet");
  AddScenarioOptions(command, options->scenario);
  command.add_option("--fleet", options->fleet_file, "Read the devices from this CSV file")
      ->type_name("FILE");
  command.add_option("--solver", options->solver, "How to solve (airlot list solvers)")
      ->check(CLI::IsMember({"exact", "bisection", "alternating", "literal"}))
      ->capture_default_str();
  command.add_option("-o,--output", options->plan_file, "Write the plan to this CSV file")
      ->type_name("FILE");
  command.add_flag("--check", options->check,
                   "Verify feasibility and optimality of every device by an independent route");
  command
      .add_option("--threads", options->planning.threads, "Threads to use; the result is the same")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--start-probability", options->planning.start_probability,
                  "Solvers alternating and literal: where to start")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--inner-tolerance-j", options->planning.inner_tolerance_j,
                  "Solvers alternating and literal: where Algorithm 1 stops")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--outer-tolerance", options->planning.outer_tolerance,
                  "Solvers alternating and literal: where Algorithm 2 stops")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  AddOutputOptions(command, options->output);
  AddExample(command,
             "airlot plan paper-highly-biased --set round.time_limit_s=0.5 --check -o plan.csv");
  command.callback([options, &exit_code] {
    options->planning.solver = *SolverByName(options->solver);
    const auto summary = MakePlan(*options);
    if (!summary) {
      exit_code = Report(summary.error());
      return;
    }
    options->output.json ? PrintPlanJson(*summary) : PrintPlanText(*summary);
  });
}

}  // namespace airlot::cli
