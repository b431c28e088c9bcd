// `airlot train` makes one training run, and `airlot compare` runs strategies times seeds.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/output_files.h"
#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct TrainOptions {
  ScenarioOptions scenario;
  std::optional<std::string> strategy;  // The scenario decides where it is not set.
  RunsOptions runs;
};

struct CompareOptions {
  std::vector<std::string> scenarios = {Scenario{}.name};
  std::vector<std::string> overrides;
  std::vector<std::string> strategies;
  std::size_t seeds = 3;
  std::uint64_t first_seed = 1;
  RunsOptions runs;
};

void PrintJson(const FinishedRuns& done) {
  Json list = Json::array();
  for (const FinishedScenario& scenario : done.scenarios) list.push_back(ToJson(scenario));
  PrintExactly(TextOf(list.size() == 1 ? list[0] : list));
}

void PrintText(const FinishedRuns& done) {
  for (const FinishedScenario& scenario : done.scenarios) {
    PrintHeading(scenario);
    Print("{}", DrawSummary(scenario.summaries, StyleOfTables()));
    PrintVerdict(scenario);
    Print("The files are in {}, and the report is {}.\n", scenario.folder,
          ReportFileOf(scenario.folder));
  }
  if (done.scenarios.size() > 1) {
    Print("The report of all is {}.\n", ReportFileOf(done.folder));
  }
}

int Perform(const RunsRequest& plan, const RunsOptions& options) {
  const FinishedRuns done = PerformRuns(plan, options);
  if (!done.is_first) return done.exit_code;
  int exit_code = done.exit_code;
  const bool quiet = options.output.quiet;
  for (const FinishedScenario& scenario : done.scenarios) {
    if (exit_code == kDone) exit_code = LeaveReport(scenario.folder, quiet);
  }
  // Several scenarios get one report together, besides.
  if (exit_code == kDone && done.scenarios.size() > 1) {
    exit_code = LeaveReport(done.folder, quiet);
  }
  if (exit_code != kDone) return exit_code;
  options.output.json ? PrintJson(done) : PrintText(done);
  return kDone;
}

int RunTrain(const TrainOptions& options) {
  auto scenario = LoadScenario(options.scenario);
  if (!scenario) return Report(scenario.error());
  const std::string strategy = options.strategy.value_or(scenario->first_strategy);
  if (strategy == kEvery) {
    return Report({"--strategy every: train runs one strategy: use compare --strategies every"});
  }
  const auto strategies = StrategiesOf({strategy});
  if (!strategies) return Report(strategies.error());
  const std::string folder = "runs/" + FolderNameOf(*scenario);
  return Perform({.comparisons = {{std::move(*scenario),
                                   *strategies,
                                   {options.scenario.seed},
                                   ScenarioFileOf(options.scenario.scenario),
                                   options.scenario.overrides}},
                  .default_folder = folder,
                  .divides_devices = true},
                 options.runs);
}

int RunCompare(const CompareOptions& options) {
  if (const auto known = StrategiesOf(options.strategies); !known) return Report(known.error());
  const auto seeds = SeedsFrom(options.first_seed, options.seeds);
  if (!seeds) return Report(seeds.error());
  std::vector<Comparison> all;
  for (const std::string& name : options.scenarios) {
    auto scenario = LoadScenario(name, options.overrides);
    if (!scenario) return Report(scenario.error());
    auto strategies = StrategiesIn(*scenario, options.strategies);
    all.push_back({std::move(*scenario), std::move(strategies), *seeds, ScenarioFileOf(name),
                   options.overrides});
  }
  if (const auto status = CheckNames(all); !status) return Report(status.error());
  const bool is_one = all.size() == 1;
  const std::string folder = is_one ? "runs/" + FolderNameOf(all[0].scenario) : "runs/comparison";
  return Perform(
      {.comparisons = std::move(all), .has_folder_each = !is_one, .default_folder = folder},
      options.runs);
}

}  // namespace

void AddTrain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App& command = *app.add_subcommand("train", "Train a model over a fleet, once");
  AddScenarioOptions(command, options->scenario);
  command.add_option("--strategy", options->strategy, "By default the scenario's strategy.first")
      ->check(kNotEmpty)
      ->check(Offers(StrategyNames()))
      ->type_name("NAME");
  AddRunsOptions(command, options->runs);
  AddExample(command, "airlot train --set rounds=20 --set data.dataset=digits");
  command.callback([options, &exit_code] { exit_code = RunTrain(*options); });
}

void AddCompare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App& command = *app.add_subcommand("compare", "Compare strategies over several seeds");
  command.add_option("SCENARIO", options->scenarios, "TOML files or names (airlot list scenarios)")
      ->check(kNotEmpty)
      ->check(Offers(ScenarioNames()))
      ->default_str(Scenario{}.name);
  AddOverrides(command, options->overrides);
  AddComparisonOptions(command, options->strategies, options->seeds, options->first_seed);
  AddRunsOptions(command, options->runs);
  AddExample(command,
             "airlot compare paper-highly-biased --seeds 2 --set rounds=20 --set "
             "data.dataset=digits");
  command.callback([options, &exit_code] { exit_code = RunCompare(*options); });
}

}  // namespace airlot::cli
