// `airlot reproduce` repeats the paper's evaluation, with its tables beside ours.
#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct ReproduceOptions {
  bool quick = false;
  std::uint64_t first_seed = 1;
  std::vector<std::string> overrides;
  RunsOptions runs;
};

constexpr std::size_t kSeeds = 10, kQuickSeeds = 2, kQuickRounds = 500;

Result<RunsRequest> PlanRuns(const ReproduceOptions& options) {
  RunsRequest plan{
      .has_folder_each = true,
      .default_folder = options.quick ? "runs/reproduction-quick" : "runs/reproduction"};
  std::vector<std::uint64_t> seeds(options.quick ? kQuickSeeds : kSeeds);
  std::iota(seeds.begin(), seeds.end(), options.first_seed);
  for (const PaperScenario& paper : PaperScenarios()) {
    std::vector<std::string> strategies, overrides;
    for (const PaperRow& row : paper.rows) strategies.emplace_back(row.strategy);
    if (options.quick) overrides.push_back(fmt::format("rounds={}", kQuickRounds));
    overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
    auto scenario = LoadScenario(std::string(paper.name), overrides);
    if (!scenario) return scenario.error();
    plan.comparisons.push_back({std::move(*scenario), strategies, seeds});
  }
  return plan;
}

void PrintText(const FinishedRuns& done) {
  for (std::size_t i = 0; i < done.scenarios.size(); ++i) {
    const PaperScenario& paper = PaperScenarios()[i];
    const std::vector<StrategySummary>& summaries = done.scenarios[i].summaries;
    PrintHeading(done.scenarios[i]);
    Print("{}", DrawPaperTables(paper, summaries, StyleOfTables()));
    Print("{}", DrawWholeRuns(summaries, StyleOfTables()));
    Print("What the paper says of it, and what our runs show\n");
    for (const Claim& claim : CheckClaims(paper, summaries)) {
      const char* verdict = !claim.holds ? "?  " : *claim.holds ? "yes" : "NO ";
      Print("  {} {}\n      {}\n", verdict, claim.text, claim.found);
    }
    Print("\n");
  }
  Print("The files are in {}, and the report is {}.\n", done.folder, ReportFileOf(done.folder));
}

void PrintJson(const FinishedRuns& done) {
  Json list = Json::array(), checked = Json::array();
  for (std::size_t i = 0; i < done.scenarios.size(); ++i) {
    const FinishedScenario& scenario = done.scenarios[i];
    list.push_back(ToJson(scenario));
    for (const Claim& claim : CheckClaims(PaperScenarios()[i], scenario.summaries)) {
      checked.push_back({{"scenario", scenario.comparison.scenario.name},
                         {"claim", claim.text},
                         {"holds", claim.holds ? Json(*claim.holds) : Json()},
                         {"found", claim.found}});
    }
  }
  Print("{}", TextOf(Json{{"scenarios", list}, {"claims", checked}}));
}

int RunReproduce(const ReproduceOptions& options) {
  const auto plan = PlanRuns(options);
  if (!plan) return Report(plan.error());
  const FinishedRuns done = PerformRuns(*plan, options.runs);
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
  command.add_flag(
      "--quick", options->quick,
      fmt::format("{} seeds instead of {}, {} rounds", kQuickSeeds, kSeeds, kQuickRounds));
  command.add_option("--seed", options->first_seed, "The first seed")
      ->check(kSeed)
      ->capture_default_str();
  AddOverrides(command, options->overrides);
  AddRunsOptions(command, options->runs);
  AddExample(command, "airlot reproduce --quick --set rounds=20 --set data.dataset=digits");
  command.callback([options, &exit_code] { exit_code = RunReproduce(*options); });
}

}  // namespace airlot::cli
