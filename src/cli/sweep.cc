// `airlot sweep` compares strategies in every cell of a grid.
#include "airlot/sweep.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "airlot/sweep_report.h"
#include "base/interrupt.h"
#include "cli/data_sets.h"
#include "cli/grid_options.h"
#include "cli/output_files.h"
#include "cli/run_progress.h"
#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// A terminal shows no more cells than this; the files have all.
constexpr std::size_t kMostRows = 100;

struct SweepArguments {
  std::string scenario = Scenario{}.name;
  std::vector<std::string> overrides;
  GridOptions grid;
  std::vector<std::string> strategies;
  std::size_t seeds = 3;
  std::uint64_t first_seed = 1;
  bool has_heat_maps = false;
  RunsOptions runs;
};

// A Request is what is to be run.
struct Request {
  Sweep sweep;
  std::vector<Comparison> cells;
};

// Returns the strategies that can run in a cell, and says which are left out of it, and why.
std::vector<std::string> FittingIn(const Scenario& scenario, std::vector<std::string> strategies,
                                   const std::string& cell) {
  std::erase_if(strategies, [&](const std::string& strategy) {
    const auto status = CheckStrategy(*FindStrategy(strategy), scenario);
    if (!status) {
      Warn("note: {} is left out of the cell {}: {}\n", strategy, cell, status.error().message);
    }
    return !status.ok();
  });
  return strategies;
}

// Heat maps are of two keys, no more and no fewer.
Status CheckHeatMaps(const SweepArguments& options, const Grid& grid) {
  if (!options.has_heat_maps || grid.axes.size() == 2) return {};
  return Error{fmt::format("--heat-maps is for two --vary, and there {}",
                           grid.axes.size() == 1 ? "is one" : "are more")};
}

Result<Request> RequestOf(const SweepArguments& options) {
  if (const auto known = StrategiesOf(options.strategies); !known) return known.error();
  const auto seeds = SeedsFrom(options.first_seed, options.seeds);
  if (!seeds) return seeds.error();
  auto grid = GridOf(options.grid);
  if (!grid) return grid.error();
  if (auto status = CheckHeatMaps(options, *grid); !status) return status.error();
  const auto base = LoadScenario(options.scenario, options.overrides);
  if (!base) return base.error();
  auto scenarios = ScenariosOf(options.scenario, options.overrides, *grid);
  if (!scenarios) return scenarios.error();
  auto file = ScenarioFileOf(options.scenario);
  if (file) file = std::filesystem::absolute(*file).lexically_normal().string();
  Request request{.sweep = {.name = base->name,
                            .scenario = FormatScenario(*base),
                            .grid = std::move(*grid),
                            .seeds = *seeds,
                            .scenario_file = file,
                            .overrides = options.overrides}};
  const bool is_every = options.strategies == std::vector<std::string>{std::string(kEvery)};
  const std::vector<std::string> named =
      is_every ? *StrategiesOf(options.strategies) : StrategiesIn(*base, options.strategies);
  std::set<std::string> used;
  for (std::size_t i = 0; i < scenarios->size(); ++i) {
    Scenario& scenario = (*scenarios)[i];
    auto strategies =
        is_every ? FittingIn(scenario, named, CellName(request.sweep.grid, i)) : named;
    used.insert(strategies.begin(), strategies.end());
    std::vector<std::string> overrides = options.overrides;
    for (std::string& text : OverridesOf(request.sweep.grid, i)) {
      overrides.push_back(std::move(text));
    }
    request.cells.push_back(
        {std::move(scenario), std::move(strategies), *seeds, file, std::move(overrides)});
  }
  for (const std::string& strategy : named) {
    if (used.contains(strategy)) request.sweep.strategies.push_back(strategy);
  }
  return request;
}

std::vector<RunProgress::Task> TasksOf(const std::vector<Comparison>& cells) {
  std::vector<RunProgress::Task> tasks;
  for (const Comparison& cell : cells) {
    const std::size_t runs = cell.strategies.size() * cell.seeds.size();
    tasks.insert(tasks.end(), runs, {"", cell.scenario.rounds});
  }
  return tasks;
}

// Reads every data set before the first run: one that is missing is missing for all.
Status ReadDataSets(const std::vector<Comparison>& cells, const RunsOptions& options,
                    DataSets& data) {
  const Progress progress("reading the data", options.output.quiet);
  for (const Comparison& cell : cells) {
    if (const auto read = data.Get(cell.scenario.data, options.jobs); !read) return read.error();
  }
  return {};
}

Status Perform(const std::string& folder, Request& request, const RunsOptions& options) {
  DataSets data;
  if (auto status = ReadDataSets(request.cells, options, data); !status) return status;
  RunProgress progress(TasksOf(request.cells), options.output.quiet, RunProgress::Kind::kOneLine);
  std::vector<std::size_t> first_runs(1, 0);  // of each cell, and the number of all
  for (const Comparison& cell : request.cells) {
    first_runs.push_back(first_runs.back() + cell.strategies.size() * cell.seeds.size());
  }
  const SweepOptions sweep_options{
      .jobs = options.jobs,
      .checkpoint_every_s = options.checkpoint_every_s,
      .logs_participants = !options.no_participants,
      .existing = ExistingOf(options),
      .dataset = [&](const DataChoice& choice) { return data.Get(choice, options.jobs); },
      .after_round =
          [&](std::size_t cell, std::size_t run, const RunState& state) {
            const bool is_over = IsOver(request.cells[cell].scenario, state.records);
            progress.Show(first_runs[cell] + run, state, is_over);
            return base::InterruptThatCame() == 0;
          },
      .damaged = [&](std::size_t, const KeptRun& run) { progress.Note(NoteOnDamage(run)); },
      .unlogged = [&](std::size_t, const KeptRun& run) { progress.Note(NoteOnNoLog(run)); },
      .cannot_run =
          [&](std::size_t cell, const std::string& problem) {
            for (std::size_t i = first_runs[cell]; i < first_runs[cell + 1]; ++i) progress.Skip(i);
            progress.Note(fmt::format("the cell {} cannot run: {}",
                                      CellName(request.sweep.grid, cell), problem));
          },
      .after_cell = [](const Comparison& comparison, const std::string& cell_folder,
                       const std::vector<RunResult>& runs) -> Status {
        return WriteSummary(comparison.scenario, cell_folder,
                            SummarizeRuns(runs, comparison.scenario.targets));
      }};
  OpenProblem problem;
  const Status status = RunSweep(folder, request.sweep, request.cells, sweep_options, &problem);
  if (status) return {};
  return Error{status.error().message + std::string(AdviceOn(problem))};
}

// Returns the problem of a cell where no cell can run.
std::optional<std::string> CommonProblem(const Sweep& sweep) {
  for (const auto& problem : sweep.problems) {
    if (!problem) return std::nullopt;
  }
  return sweep.problems.front();
}

void PrintText(const KeptSweep& kept, const std::string& folder) {
  const Sweep& sweep = kept.sweep;
  Print("{}: {} cell{}, {} strateg{}, {} seed{}\n", sweep.name, Count(kept.cells.size()),
        kept.cells.size() == 1 ? "" : "s", sweep.strategies.size(),
        sweep.strategies.size() == 1 ? "y" : "ies", sweep.seeds.size(),
        sweep.seeds.size() == 1 ? "" : "s");
  if (kept.cells.size() * sweep.strategies.size() <= kMostRows) {
    Print("{}", DrawSweep(kept, StyleOfTables()));
    if (sweep.seeds.size() > 1) {
      Print("{} is half of the 95 % interval over {} seeds.\n", IsUtf8() ? "±" : "+-",
            sweep.seeds.size());
    }
  }
  Print("The files are in {}: cells.csv and runs.csv have all numbers, and the report is {}.\n",
        folder, ReportFileOf(folder));
}

int Conclude(const std::string& folder, const SweepArguments& options) {
  const bool quiet = options.runs.output.quiet;
  const auto kept = ReadSweep(folder);
  if (!kept) return Report(kept.error());
  if (const auto status = WriteSweepTables(folder, *kept); !status) return Report(status.error());
  const int exit_code = LeaveReport(folder, quiet, options.has_heat_maps);
  if (exit_code != kDone) return exit_code;
  if (options.runs.output.json) {
    Json json = Json::parse(SweepJson(*kept));
    json["folder"] = folder;
    PrintExactly(TextOf(json));
  } else {
    PrintText(*kept, folder);
  }
  return kDone;
}

int RunSweepCommand(const SweepArguments& options) {
  auto request = RequestOf(options);
  if (!request) return Report(request.error());
  std::string folder = options.runs.folder.value_or("");
  if (!options.runs.folder) {
    auto made = MakeNewFolder("runs/" + FolderNameOf(request->cells[0].scenario) + "-sweep");
    if (!made) return Report(made.error());
    folder = std::move(*made);
  }
  Status status;
  {
    const base::InterruptsNoted noted;
    status = Perform(folder, *request, options.runs);
  }
  std::error_code not_empty;
  if (!options.runs.folder) std::filesystem::remove(folder, not_empty);
  if (!status) return Report(status.error());
  if (const int signal = base::InterruptThatCame(); signal != 0) {
    Warn("the sweep was interrupted: add --resume -o {} to go on\n", folder);
    return 128 + signal;
  }
  if (const auto problem = CommonProblem(request->sweep)) {
    return Report({fmt::format("no cell can run: {}", *problem)});
  }
  return Conclude(folder, options);
}

}  // namespace

void AddSweep(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SweepArguments>();
  CLI::App& command =
      *app.add_subcommand("sweep", "Compare strategies over values of scenario keys");
  AddScenario(command, options->scenario);
  AddGridOptions(command, options->grid);
  AddOverrides(command, options->overrides);
  AddComparisonOptions(command, options->strategies, options->seeds, options->first_seed);
  command.add_flag("--heat-maps", options->has_heat_maps,
                   "Draw heat maps, too (of two varied keys)");
  AddRunsOptions(command, options->runs);
  AddExample(command,
             "airlot sweep float32-cell --vary radio.bandwidth_hz=1e6:1e7:3:log --strategies "
             "airtime,random --seeds 2 --set rounds=20 --set data.dataset=digits");
  command.callback([options, &command, &exit_code] {
    SortTexts(command, options->grid);
    exit_code = RunSweepCommand(*options);
  });
}

}  // namespace airlot::cli
