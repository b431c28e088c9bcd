// `airlot reproduce` repeats the paper's evaluation, with its tables beside ours.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/runs.h"
#include "cli/solver_worth.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct ReproduceOptions {
  bool quick = false;
  std::uint64_t first_seed = 1;
  std::vector<std::string> overrides;
  RunsOptions runs;
};

constexpr std::size_t kSeeds = 10;

// Loads a scenario of the paper. A quick repetition has fewer rounds, unless the user says how
// many.
Result<Scenario> LoadPaperScenario(const std::string& name, const ReproduceOptions& options) {
  std::vector<std::string> overrides;
  if (options.quick) {
    const auto whole = LoadScenario(name, {});
    if (!whole) return whole.error();
    overrides.push_back(fmt::format("rounds={}", whole->rounds / 2));
  }
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  return LoadScenario(name, overrides);
}

Result<RunsRequest> PlanRuns(const ReproduceOptions& options) {
  RunsRequest plan{
      .has_folder_each = true,
      .default_folder = options.quick ? "runs/reproduction-quick" : "runs/reproduction"};
  const auto seeds = SeedsFrom(options.first_seed, options.quick ? 1 : kSeeds);
  if (!seeds) return seeds.error();
  for (const PaperScenario& paper : PaperScenarios()) {
    std::vector<std::string> strategies;
    for (const PaperRow& row : paper.rows) strategies.emplace_back(row.strategy);
    auto scenario = LoadPaperScenario(std::string(paper.name), options);
    if (!scenario) return scenario.error();
    plan.comparisons.push_back({std::move(*scenario), strategies, *seeds});
  }
  if (auto status = CheckNames(plan.comparisons); !status) return status.error();
  return plan;
}

// Prints what exact plans are worth beside those of the paper's algorithms.
void PrintSolvers(const Comparison& comparison) {
  const auto solvers = CompareSolvers(comparison);
  if (solvers) {
    Print("{}", DrawSolvers(*solvers));
  } else {
    Print("The paper's algorithms cannot plan this: {}\n", solvers.error().message);
  }
}

// One seed has no pair to compare.
void PrintClaims(const std::vector<Claim>& claims, const Comparison& comparison) {
  const std::size_t seeds = comparison.seeds.size();
  if (seeds == 1) {
    Print(
        "One seed cannot tell which of the paper's {} claims hold: airlot reproduce has {}. NA is\n"
        "what {} rounds do not reach.\n\n",
        claims.size(), kSeeds, Count(comparison.scenario.rounds));
    return;
  }
  Print("{}", DrawClaims(claims, StyleOfTables()));
  Print(
      "Ours are 95 % intervals over {} seeds: without a unit, of how many times as much the\n"
      "second takes as the first; ? is an end that is not known. A run that missed would have\n"
      "taken at least the whole of it.\n\n",
      Count(seeds));
}

void PrintText(const FinishedRuns& done) {
  PaperDistance distance;
  for (std::size_t i = 0; i < done.scenarios.size(); ++i) {
    const PaperScenario& paper = PaperScenarios()[i];
    const std::vector<StrategySummary>& summaries = done.scenarios[i].summaries;
    PrintHeading(done.scenarios[i]);
    Print("{}", DrawPaperTables(paper, summaries, StyleOfTables()));
    Print("{}", DrawWholeRuns(summaries, StyleOfTables()));
    PrintVerdict(done.scenarios[i]);
    PrintSolvers(done.scenarios[i].comparison);
    PrintClaims(CheckClaims(paper, summaries), done.scenarios[i].comparison);
    distance += DistanceFrom(paper, summaries);
  }
  if (distance.is_known()) {
    Print(
        "Distance from the paper, as the mean of |ln(ours/paper)|: {:.2f} over {} cells, {:.2f} "
        "of\n"
        "the joules per second of {} strategies; {} of {} cells are reached by one of us alone.\n"
        "Where ours missed a target, the cost of the whole run stands in.\n",
        distance.log_sum / double(distance.cells), distance.cells,
        distance.power_log_sum / double(distance.strategies), distance.strategies,
        distance.differing, distance.all_cells);
  } else {
    Print("No cell of the paper's tables can be compared with these runs.\n");
  }
  Print("The files are in {}, and the report is {}.\n", done.folder, ReportFileOf(done.folder));
}

// An end of an interval that is not known is null.
Json EndJson(double end) { return std::isfinite(end) ? Json(end) : Json(); }

Json ToJson(const Claim& claim, const std::string& scenario) {
  return {{"scenario", scenario},
          {"claim", fmt::format("{}: {}", claim.subject, claim.text)},
          {"verdict", VerdictName(claim.verdict)},
          {"low", claim.ours ? EndJson(claim.ours->low) : Json()},
          {"high", claim.ours ? EndJson(claim.ours->high) : Json()},
          {"unit", claim.unit.empty() ? "ratio" : claim.unit},
          {"paper", claim.paper ? Json(*claim.paper) : Json()},
          {"runs", claim.runs},
          {"missed", claim.missed}};
}

Json ToJson(const PaperDistance& distance) {
  if (!distance.is_known()) return nullptr;
  return {{"cells", distance.cells},
          {"mean_abs_log", distance.log_sum / double(distance.cells)},
          {"all_cells", distance.all_cells},
          {"all_mean_abs_log", distance.all_log_sum / double(distance.all_cells)},
          {"differing_cells", distance.differing},
          {"power_mean_abs_log", distance.power_log_sum / double(distance.strategies)}};
}

void PrintJson(const FinishedRuns& done) {
  Json list = Json::array(), checked = Json::array();
  PaperDistance distance;
  for (std::size_t i = 0; i < done.scenarios.size(); ++i) {
    const FinishedScenario& scenario = done.scenarios[i];
    list.push_back(ToJson(scenario));
    const auto solvers = CompareSolvers(scenario.comparison);
    list.back()["solvers"] = solvers ? ToJson(*solvers) : Json();
    for (const Claim& claim : CheckClaims(PaperScenarios()[i], scenario.summaries)) {
      checked.push_back(ToJson(claim, scenario.comparison.scenario.name));
    }
    distance += DistanceFrom(PaperScenarios()[i], scenario.summaries);
  }
  PrintExactly(
      TextOf(Json{{"scenarios", list}, {"claims", checked}, {"distance", ToJson(distance)}}));
}

int RunReproduce(const ReproduceOptions& options) {
  const auto plan = PlanRuns(options);
  if (!plan) return Report(plan.error());
  const FinishedRuns done = PerformRuns(*plan, options.runs);
  if (!done.is_first) return done.exit_code;
  int exit_code = done.exit_code;
  if (exit_code == kDone) exit_code = LeaveReport(done.folder, options.runs.output.quiet);
  if (exit_code != kDone) return exit_code;
  options.runs.output.json ? PrintJson(done) : PrintText(done);
  return kDone;
}

}  // namespace

void AddReproduce(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App& command =
      *app.add_subcommand("reproduce", "Repeat the paper's evaluation, its tables beside ours");
  command.add_flag("--quick", options->quick,
                   fmt::format("One seed instead of {}, and half of the rounds", kSeeds));
  command.add_option("--seed", options->first_seed, "The first seed")
      ->check(kSeed)
      ->capture_default_str();
  AddOverrides(command, options->overrides);
  AddRunsOptions(command, options->runs);
  AddExample(command, "airlot reproduce --quick --set rounds=20 --set data.dataset=digits");
  command.callback([options, &exit_code] { exit_code = RunReproduce(*options); });
}

}  // namespace airlot::cli
