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

// Heat maps are of two keys, no more and no fewer.
Status CheckHeatMaps(const SweepArguments& options, const Grid& grid) {
  if (!options.has_heat_maps || grid.axes.size() == 2) return {};
  return Error{fmt::format("--heat-maps is for two --vary, and there {}",
                           grid.axes.size() == 1 ? "is one" : "are more")};
}

// Returns the sweep without its strategies; its paths are absolute.
Sweep SweepOf(const Scenario& base, const SweepArguments& options, Grid grid,
              std::vector<std::uint64_t> seeds) {
  const Comparison found = WithAbsolutePaths({.scenario = base,
                                              .scenario_file = ScenarioFileOf(options.scenario),
                                              .overrides = options.overrides});
  return {.name = base.name,
          .scenario = FormatScenario(found.scenario),
          .grid = std::move(grid),
          .seeds = std::move(seeds),
          .scenario_file = found.scenario_file,
          .overrides = found.overrides};
}

// Adds the comparison of every cell. With `every`, strategies are left out where they do not fit.
void AddCells(const SweepArguments& options, const std::vector<std::string>& named, bool is_every,
              std::vector<Scenario> scenarios, Request& request) {
  const Grid& grid = request.sweep.grid;
  std::set<std::string> used;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    auto strategies =
        is_every ? FittingIn(scenarios[i], named, " of the cell " + CellName(grid, i)) : named;
    used.insert(strategies.begin(), strategies.end());
    std::vector<std::string> overrides = options.overrides;
    for (std::string& text : OverridesOf(grid, i)) overrides.push_back(std::move(text));
    request.cells.push_back({std::move(scenarios[i]), std::move(strategies), request.sweep.seeds,
                             ScenarioFileOf(options.scenario), std::move(overrides)});
  }
  for (const std::string& strategy : named) {
    if (used.contains(strategy)) request.sweep.strategies.push_back(strategy);
  }
}

Result<Request> RequestOf(const SweepArguments& options) {
  const auto known = StrategiesOf(options.strategies);
  if (!known) return known.error();
  auto seeds = SeedsFrom(options.first_seed, options.seeds);
  if (!seeds) return seeds.error();
  auto grid = GridOf(options.grid);
  if (!grid) return grid.error();
  if (auto status = CheckHeatMaps(options, *grid); !status) return status.error();
  const auto source = ReadScenarioSource(options.scenario);
  if (!source) return source.error();
  const auto base = LoadScenario(*source, options.overrides);
  if (!base) return base.error();
  auto scenarios = ScenariosOf(*source, options.overrides, *grid);
  if (!scenarios) return scenarios.error();
  Request request{.sweep = SweepOf(*base, options, std::move(*grid), std::move(*seeds))};
  const bool is_every = options.strategies == std::vector<std::string>{std::string(kEvery)};
  AddCells(options, is_every ? *known : StrategiesIn(*base, options.strategies), is_every,
           std::move(*scenarios), request);
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
