// airlot reproduce: the paper's evaluation, its tables beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <thread>

#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct ReproduceOptions {
  bool quick = false;
  std::vector<std::string> overrides;
  RunsOptions runs;
};

constexpr std::size_t kSeeds = 10, kQuickSeeds = 2, kQuickRounds = 600;

Result<std::vector<RunsOfScenario>> PaperRuns(const ReproduceOptions& options) {
  const std::string folder =
      options.runs.folder.empty()
          ? NewFolder(options.quick ? "runs/reproduction-quick" : "runs/reproduction")
          : options.runs.folder;
  std::vector<std::uint64_t> seeds(options.quick ? kQuickSeeds : kSeeds);
  std::iota(seeds.begin(), seeds.end(), 1);
  std::vector<RunsOfScenario> all;
  for (const PaperScenario& paper : PaperScenarios()) {
    std::vector<std::string> strategies, overrides;
    for (const PaperRow& row : paper.rows) strategies.emplace_back(row.strategy);
    if (options.quick) overrides.push_back(fmt::format("rounds={}", kQuickRounds));
    overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
    auto scenario = ReadScenario(std::string(paper.name), overrides);
    if (!scenario) return scenario.error();
    all.push_back(
        {{std::move(*scenario), strategies, seeds}, folder + "/" + std::string(paper.name)});
  }
  return all;
}

void PrintText(const std::vector<RunsOfScenario>& scenarios, const std::vector<RunsResult>& results,
               const std::vector<Claim>& claims) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    fmt::print("{}, {} seeds, {} rounds\n", scenarios[i].plan.scenario.name,
               scenarios[i].plan.seeds.size(), scenarios[i].plan.scenario.rounds);
    fmt::print("{}\n", DrawPaperTables(PaperScenarios()[i], results[i].summaries, StyleOfTables()));
  }
  fmt::print("What the paper says, in our runs\n");
  for (const Claim& claim : claims) {
    fmt::print("  {:<9} {}: {}\n", claim.holds ? "confirmed" : "not", claim.text, claim.found);
  }
  fmt::print("\nFiles are in {} and {}, the report is {}/report.html.\n", scenarios[0].folder,
             scenarios[1].folder,
             std::filesystem::path(scenarios[0].folder).parent_path().string());
}

void PrintJson(const std::vector<RunsOfScenario>& scenarios, const std::vector<RunsResult>& results,
               const std::vector<Claim>& claims) {
  Json list = Json::array(), checked = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json entry = Json::parse(SummaryJson(scenarios[i].plan.scenario.name, results[i].summaries));
    entry["folder"] = scenarios[i].folder;
    list.push_back(std::move(entry));
  }
  for (const Claim& claim : claims) {
    checked.push_back({{"claim", claim.text}, {"holds", claim.holds}, {"found", claim.found}});
  }
  fmt::print("{}\n", Json{{"scenarios", list}, {"claims", checked}}.dump(2));
}

int RunReproduce(const ReproduceOptions& options) {
  const auto scenarios = PaperRuns(options);
  if (!scenarios) return Report(scenarios.error());
  int exit_code = kDone;
  const std::vector<RunsResult> results = PerformRuns(*scenarios, options.runs, exit_code);
  const std::string top = std::filesystem::path(scenarios->front().folder).parent_path().string();
  if (exit_code == kDone) exit_code = LeaveReport(top);
  if (exit_code != kDone) return exit_code;
  const auto claims = CheckClaims(results[0].summaries, results[1].summaries);
  options.runs.output.json ? PrintJson(*scenarios, results, claims)
                           : PrintText(*scenarios, results, claims);
  return kDone;
}

}  // namespace

void AddReproduce(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReproduceOptions>();
  options->runs.jobs = int(std::max(1U, std::thread::hardware_concurrency()));
  CLI::App& command =
      *app.add_subcommand("reproduce", "Repeat the paper's evaluation, its tables beside ours");
  command.add_flag("--quick", options->quick, "Fewer seeds and rounds");
  AddOverrides(command, options->overrides);
  AddRunsOptions(command, options->runs);
  AddExample(command, "airlot reproduce --quick --set rounds=20 --set data.dataset=digits");
  command.callback([options, &exit_code] { exit_code = RunReproduce(*options); });
}

}  // namespace airlot::cli
