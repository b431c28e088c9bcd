#include "cli/runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/run_progress.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

ExistingRuns ExistingOf(const RunsOptions& options) {
  if (options.force) return ExistingRuns::kReplace;
  return options.resume ? ExistingRuns::kResume : ExistingRuns::kRefuse;
}

std::vector<std::string> NamesOf(const std::vector<RunsOfScenario>& scenarios) {
  std::vector<std::string> names;
  for (const RunsOfScenario& scenario : scenarios) {
    for (const std::string& strategy : scenario.plan.strategies) {
      for (const std::uint64_t seed : scenario.plan.seeds) {
        names.push_back(fmt::format("{}, seed {}", strategy, seed));
      }
    }
  }
  return names;
}

std::optional<Error> WriteSummary(const RunsOfScenario& scenario, const RunsResult& result) {
  auto file = base::AtomicFile::Create(scenario.folder + "/summary.json");
  if (!file) return file.error();
  file->Append(SummaryJson(scenario.plan.scenario.name, result.summaries));
  return file->Commit();
}

// Whom nobody could select has no result.
std::optional<Error> CheckAble(const RunsOfScenario& scenario, const RunsResult& result) {
  for (const RunResult& run : result.runs) {
    if (run.end != RunEnd::kNobodyAble) continue;
    return Error{
        fmt::format("{}, seed {}: no device can ever take part, because none has the energy or the "
                    "time for it: "
                    "raise fleet.energy_budget_j or round.time_limit_s",
                    scenario.plan.scenario.name, run.seed)};
  }
  return std::nullopt;
}

// Data sets by name, each read once.
class DataSets {
 public:
  Result<std::shared_ptr<const Dataset>> Get(const std::string& name) {
    auto& dataset = read_[name];
    if (dataset) return dataset;
    auto result = ReadDataset(name);
    if (!result) return result.error();
    dataset = std::make_shared<const Dataset>(std::move(*result));
    return dataset;
  }

 private:
  std::map<std::string, std::shared_ptr<const Dataset>> read_;
};

Result<RunsResult> PerformScenario(const RunsOfScenario& scenario, const RunsOptions& options,
                                   std::size_t first_run, DataSets& data, RunProgress& progress) {
  if (scenario.plan.scenario.data.dataset.empty()) {
    return Error{"data.dataset is not set: choose one, such as --set data.dataset=digits"};
  }
  auto dataset = data.Get(scenario.plan.scenario.data.dataset);
  if (!dataset) return dataset.error();
  auto directory = RunDirectory::Open(scenario.folder, scenario.plan, ExistingOf(options));
  if (!directory) return directory.error();
  const ExperimentOptions experiment{
      .jobs = options.jobs,
      .after_round =
          [&](std::size_t run, const RunState& state) {
            progress.Show(first_run + run, state);
            return base::InterruptThatCame() == 0;
          },
      .note = [](const std::string& note) { fmt::print(stderr, "note: {}\n", note); }};
  auto runs = RunExperiment(scenario.plan, *directory, *dataset, experiment);
  RunStatus status = RunStatus::kComplete;
  if (!runs) status = RunStatus::kFailed;
  if (base::InterruptThatCame() != 0) status = RunStatus::kInterrupted;
  auto error = directory->SetStatus(status);
  if (!runs) return runs.error();
  RunsResult result{.runs = std::move(*runs)};
  if (!error) error = CheckAble(scenario, result);
  if (!error && status == RunStatus::kComplete) {
    result.summaries = Summarize(result.runs, scenario.plan.scenario.targets);
    error = WriteSummary(scenario, result);
  }
  if (error) return *error;
  return result;
}

}  // namespace

void AddRunsOptions(CLI::App& command, RunsOptions& options) {
  command.add_option("-o,--output", options.folder, "Folder for the runs (a new one in runs/)")
      ->check(kNotEmpty)
      ->type_name("FOLDER");
  auto* resume = command.add_flag("--resume", options.resume, "Go on with the runs in the folder");
  command.add_flag("--force", options.force, "Replace the runs in the folder")->excludes(resume);
  command.add_option("--jobs", options.jobs, "Runs at a time, one thread each")
      ->check(WholeNumberIn(1, 1024))
      ->capture_default_str();
  AddOutputOptions(command, options.output);
}

std::string NewFolder(const std::string& name) {
  std::string folder = name;
  for (int i = 2; std::filesystem::exists(folder); ++i) folder = fmt::format("{}-{}", name, i);
  return folder;
}

std::vector<RunsResult> PerformRuns(const std::vector<RunsOfScenario>& scenarios,
                                    const RunsOptions& options, int& exit_code) {
  base::NoteInterrupts();
  std::vector<RunsResult> results;
  DataSets data;
  std::optional<Error> error;
  {
    RunProgress progress(NamesOf(scenarios), scenarios.front().plan.scenario.rounds,
                         options.output.quiet);
    std::size_t first_run = 0;
    for (const RunsOfScenario& scenario : scenarios) {
      auto result = PerformScenario(scenario, options, first_run, data, progress);
      if (!result) {
        error = result.error();
        break;
      }
      results.push_back(std::move(*result));
      first_run += scenario.plan.strategies.size() * scenario.plan.seeds.size();
      if (base::InterruptThatCame() != 0) break;
    }
  }
  if (error) {
    exit_code = Report(*error);
  } else if (const int signal = base::InterruptThatCame(); signal != 0) {
    fmt::print(stderr, "interrupted: add --resume -o {} to go on\n", scenarios.front().folder);
    exit_code = 128 + signal;
  } else {
    exit_code = kDone;
  }
  return results;
}

int LeaveReport(const std::string& folder) {
  const auto error = WriteReport(folder, folder + "/report.html");
  return error ? Report(*error) : kDone;
}

Result<std::vector<std::string>> StrategiesOf(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const StrategyEntry& entry : Strategies()) known.emplace_back(entry.name);
  if (names.empty()) return known;
  for (const std::string& name : names) {
    if (FindStrategy(name) == nullptr) {
      return Error{fmt::format("unknown strategy {}: must be one of {}", base::Quoted(name),
                               fmt::join(known, ", "))};
    }
  }
  return names;
}

TableStyle StyleOfTables() { return {.utf8 = IsUtf8()}; }

}  // namespace airlot::cli
