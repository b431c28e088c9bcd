#include "cli/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
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

std::vector<RunProgress::Task> TasksOf(const std::vector<ComparisonInFolder>& scenarios) {
  std::vector<RunProgress::Task> tasks;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Comparison& comparison = scenarios[i].comparison;
    const std::string number = scenarios.size() == 1 ? "" : fmt::format("{}: ", i + 1);
    for (const std::string& strategy : comparison.strategies) {
      for (const std::uint64_t seed : comparison.seeds) {
        tasks.push_back(
            {fmt::format("{}{}, seed {}", number, strategy, seed), comparison.scenario.rounds});
      }
    }
  }
  return tasks;
}

Status WriteSummary(const ComparisonInFolder& scenario, const RunsResult& result) {
  return base::WriteWhole(scenario.folder + "/summary.json",
                          SummaryJson(scenario.comparison.scenario.name, result.summaries));
}

// Data sets by name, each read once.
class DataSets {
 public:
  Result<std::shared_ptr<const Dataset>> Get(const DataChoice& data) {
    auto& dataset = read_[data.dataset];
    if (dataset) return dataset;
    auto result = DatasetOf(data);
    if (!result) return result.error();
    dataset = std::make_shared<const Dataset>(std::move(*result));
    return dataset;
  }

 private:
  std::map<std::string, std::shared_ptr<const Dataset>> read_;
};

// What a scenario needs, before the first run of any begins.
struct Prepared {
  std::shared_ptr<const Dataset> dataset;
  RunDirectory directory;
};

Result<std::shared_ptr<const Dataset>> CheckedData(const ComparisonInFolder& scenario,
                                                   DataSets& data) {
  auto dataset = data.Get(scenario.comparison.scenario.data);
  if (!dataset) return dataset.error();
  if (auto status = CheckRunnable(scenario.comparison, *dataset); !status) return status.error();
  return dataset;
}

// First whatever can be wrong with the input, then the folders: so that nothing is replaced in
// vain.
Result<std::vector<Prepared>> PrepareAll(const std::vector<ComparisonInFolder>& scenarios,
                                         ExistingRuns existing) {
  DataSets data;
  std::vector<std::shared_ptr<const Dataset>> datasets;
  for (const ComparisonInFolder& scenario : scenarios) {
    auto dataset = CheckedData(scenario, data);
    if (!dataset) return dataset.error();
    datasets.push_back(*dataset);
  }
  std::vector<Prepared> all;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    auto directory = RunDirectory::Open(scenarios[i].folder, scenarios[i].comparison, existing);
    if (!directory) {
      for (const Prepared& prepared : all) prepared.directory.RemoveIfNothingRan();
      return directory.error();
    }
    all.push_back({datasets[i], std::move(*directory)});
  }
  return all;
}

Result<RunsResult> PerformScenario(const ComparisonInFolder& scenario, const Prepared& prepared,
                                   const RunsOptions& options, std::size_t first_run,
                                   RunProgress& progress) {
  const ExperimentOptions experiment{.jobs = options.jobs,
                                     .checkpoint_every_s = options.checkpoint_every_s,
                                     .after_round =
                                         [&](std::size_t run, const RunState& state) {
                                           progress.Show(first_run + run, state);
                                           return base::InterruptThatCame() == 0;
                                         },
                                     .note = [&](const std::string& note) { progress.Note(note); }};
  auto runs = RunExperiment(scenario.comparison, prepared.directory, prepared.dataset, experiment);
  RunStatus status = RunStatus::kComplete;
  if (!runs) status = RunStatus::kFailed;
  if (base::InterruptThatCame() != 0) status = RunStatus::kInterrupted;
  auto written = prepared.directory.SetStatus(status);
  if (!runs) {
    prepared.directory.RemoveIfNothingRan();
    return runs.error();
  }
  RunsResult result{.runs = std::move(*runs)};
  if (written && status == RunStatus::kComplete) {
    result.summaries = Summarize(result.runs, scenario.comparison.scenario.targets);
    written = WriteSummary(scenario, result);
  }
  if (!written) return written.error();
  return result;
}

// A strategy may find nobody, such as all those that need half a device.
void NoteIdle(const RunsResult& result, RunProgress& progress) {
  for (const RunResult& run : result.runs) {
    if (std::ranges::any_of(run.participations, [](std::uint32_t n) { return n > 0; })) continue;
    const bool lacks_charge =
        !run.records.empty() && run.records.back().empty_batteries.value_or(0) > 0;
    progress.Note(fmt::format(
        "{}, seed {}: nobody was selected in any round: raise round.time_limit_s{} or the budgets, "
        "or choose another strategy",
        run.strategy, run.seed, lacks_charge ? ", fleet.battery_j" : ""));
  }
}

}  // namespace

void AddRunsOptions(CLI::App& command, RunsOptions& options) {
  auto* folder =
      command.add_option("-o,--output", options.folder, "Folder for the runs (a new one in runs/)");
  folder->check(kNotEmpty)->type_name("FOLDER");
  auto* resume = command.add_flag("--resume", options.resume, "Go on with the runs in the folder");
  auto* force = command.add_flag("--force", options.force, "Replace the runs in the folder");
  for (CLI::Option* option : {resume, force}) option->needs(folder);
  force->excludes(resume);
  command.add_option("--jobs", options.jobs, "Runs at a time, one thread each")
      ->check(WholeNumberIn(1, 1024))
      ->capture_default_str();
  command
      .add_option("--checkpoint-every-s", options.checkpoint_every_s,
                  "Seconds between two checkpoints of a run")
      ->check(NumberIn(0, 1e9))
      ->capture_default_str();
  AddOutputOptions(command, options.output);
}

std::string FolderNameOf(const Scenario& scenario) {
  std::string name = scenario.name.substr(0, 100);
  for (char& c : name) {
    if (c == '/' || base::IsControl(c)) c = '-';
  }
  if (name.empty() || name[0] == '.' || name[0] == '-') name.insert(0, "scenario");
  return name;
}

std::string NewFolder(const std::string& name) {
  std::string folder = name;
  for (int i = 2; std::filesystem::exists(folder); ++i) folder = fmt::format("{}-{}", name, i);
  return folder;
}

std::vector<RunsResult> PerformRuns(const std::vector<ComparisonInFolder>& scenarios,
                                    const std::string& folder, const RunsOptions& options,
                                    int& exit_code) {
  std::vector<RunsResult> results;
  const auto prepared = PrepareAll(scenarios, ExistingOf(options));
  if (!prepared) {
    exit_code = Report(prepared.error());
    return results;
  }
  base::NoteInterrupts();
  Status status;
  {
    RunProgress progress(TasksOf(scenarios), options.output.quiet);
    std::size_t first_run = 0;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
      const bool has_ended = !status || base::InterruptThatCame() != 0;
      if (has_ended) {
        (*prepared)[i].directory.RemoveIfNothingRan();
        continue;
      }
      auto result = PerformScenario(scenarios[i], (*prepared)[i], options, first_run, progress);
      if (!result) {
        status = result.error();
        continue;
      }
      if (base::InterruptThatCame() == 0) NoteIdle(*result, progress);
      results.push_back(std::move(*result));
      first_run += scenarios[i].comparison.strategies.size() * scenarios[i].comparison.seeds.size();
    }
  }
  if (!status) {
    exit_code = Report(status.error());
  } else if (const int signal = base::InterruptThatCame(); signal != 0) {
    fmt::print(stderr, "interrupted: add --resume -o {} to go on\n", folder);
    exit_code = 128 + signal;
  } else {
    exit_code = kDone;
  }
  return results;
}

int LeaveReport(const std::string& folder) {
  const auto left_out = WriteReport(folder, folder + "/report.html");  // none: they just ended
  return left_out ? kDone : Report(left_out.error());
}

Json ToJson(const ComparisonInFolder& scenario, const RunsResult& result) {
  Json json = Json::parse(SummaryJson(scenario.comparison.scenario.name, result.summaries));
  json["folder"] = scenario.folder;
  return json;
}

Result<std::vector<std::string>> StrategiesOf(const std::vector<std::string>& names) {
  const auto papers = PaperStrategies();
  if (names.empty()) return std::vector<std::string>(papers.begin(), papers.end());
  std::vector<std::string> known;
  for (const StrategyEntry& entry : Strategies()) known.emplace_back(entry.name);
  if (names == std::vector<std::string>{std::string(kEvery)}) return known;
  if (std::ranges::find(names, kEvery) != names.end()) {
    return Error{"every stands alone: leave the other strategies out"};
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      return Error{fmt::format("strategy {} is given twice", *name)};
    }
    if (FindStrategy(*name) == nullptr) {
      const std::vector<std::string_view> views(known.begin(), known.end());
      const auto nearest = base::NearestName(*name, views);
      return Error{fmt::format("unknown strategy {}: {}'airlot list strategies' shows all",
                               base::Quoted(*name),
                               nearest ? fmt::format("did you mean {}? ", *nearest) : "")};
    }
  }
  return names;
}

std::vector<std::string> FittingOf(const std::vector<std::string>& strategies,
                                   const Scenario& scenario) {
  std::vector<std::string> fitting;
  for (const std::string& strategy : strategies) {
    if (const auto status = CheckStrategy(*FindStrategy(strategy), scenario.learning); !status) {
      fmt::print(stderr, "note: {} is left out: {}\n", strategy, status.error().message);
    } else {
      fitting.push_back(strategy);
    }
  }
  return fitting;
}

void PrintHeading(const Comparison& comparison, const RunsResult& result) {
  const Scenario& scenario = comparison.scenario;
  const std::size_t devices = result.runs.front().participations.size();
  fmt::print("{}: {} on {}, {} devices, {} rounds, {} seed{}\n", scenario.name, scenario.model.name,
             scenario.data.dataset, Count(devices), Count(scenario.rounds), comparison.seeds.size(),
             comparison.seeds.size() == 1 ? "" : "s");
}

TableStyle StyleOfTables() { return {.utf8 = IsUtf8()}; }

}  // namespace airlot::cli
