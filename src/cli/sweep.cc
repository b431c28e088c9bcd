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
#include "cli/ranks.h"
#include "cli/run_notes.h"
#include "cli/run_progress.h"
#include "cli/runs.h"
#include "cli/slurm.h"
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
  std::optional<std::string> part;  // "T/N"
  SlurmOptions slurm;
};

// A Request is what is to be run.
struct Request {
  Sweep sweep;
  std::vector<Comparison> cells;
  std::optional<SweepPart> part = {};

  bool Runs(std::size_t cell) const { return !part || part->Has(cell); }
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

// Returns the number of a cell's first run among those that are run, and at the end that of all.
std::vector<std::size_t> FirstRuns(const Request& request) {
  std::vector<std::size_t> first_runs(1, 0);
  for (std::size_t i = 0; i < request.cells.size(); ++i) {
    const Comparison& cell = request.cells[i];
    const std::size_t runs = request.Runs(i) ? cell.strategies.size() * cell.seeds.size() : 0;
    first_runs.push_back(first_runs.back() + runs);
  }
  return first_runs;
}

std::vector<RunProgress::Task> TasksOf(const Request& request,
                                       const std::vector<std::size_t>& first_runs) {
  std::vector<RunProgress::Task> tasks;
  for (std::size_t i = 0; i < request.cells.size(); ++i) {
    tasks.insert(tasks.end(), first_runs[i + 1] - first_runs[i],
                 {"", request.cells[i].scenario.rounds});
  }
  return tasks;
}

// Reads every data set before the first run: one that is missing is missing for all.
Status ReadDataSets(const Request& request, const RunsOptions& options, DataSets& data) {
  const Progress progress("reading the data", options.output.quiet);
  for (std::size_t i = 0; i < request.cells.size(); ++i) {
    if (!request.Runs(i)) continue;
    const auto read = data.Get(request.cells[i].scenario.data, options.jobs);
    if (!read) return read.error();
  }
  return {};
}

// Says what all ranks must have in common. That their data are the same shows when they join a
// cell.
std::vector<cluster::Claim> ClaimsOf(const Request& request) {
  std::vector<std::string> what = request.sweep.strategies, scenarios;
  for (const std::uint64_t seed : request.sweep.seeds) what.push_back(fmt::format("{}", seed));
  for (std::size_t i = 0; i < request.cells.size(); ++i) {
    what.push_back(CellFolderOf(request.sweep.grid, i));
    scenarios.push_back(FormatScenario(request.cells[i].scenario));
  }
  return {ClaimOf("what it sweeps", what, "give all ranks the same command"),
          ClaimOf("the scenario", scenarios, "give all ranks the same file and the same options")};
}

// An error in another rank than the first has no message: the first has it.
Status Perform(std::string folder, Request& request, const RunsOptions& options) {
  DataSets data;
  if (auto status = ReadDataSets(request, options, data); !status) return status;
  if (JoinedRanks() != nullptr) {
    if (auto status = MeetRanks(ClaimsOf(request)); !status) return status;
    const auto folders = ShareFolders({folder});
    if (!IsFirstRank()) folder = folders[0];
  }
  const std::vector<std::size_t> first_runs = FirstRuns(request);
  RunProgress progress(TasksOf(request, first_runs), options.output.quiet || !IsFirstRank(),
                       RunProgress::Kind::kOneLine);
  std::optional<cluster::RankCrew> crew;
  if (JoinedRanks() != nullptr) {
    crew.emplace(*JoinedRanks(),
                 CrewOptions([&](const std::string& note) { progress.Note(note); }));
  }
  const SweepOptions sweep_options{
      .jobs = options.jobs,
      .threads = ThreadsOfEachRun(options, first_runs.back()),
      .checkpoint_every_s = options.checkpoint_every_s,
      .logs_participants = !options.no_participants,
      .existing = ExistingOf(options),
      .part = request.part,
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
      .after_cell = [&](std::size_t cell, const std::string& cell_folder,
                        const std::vector<RunResult>& runs) -> Status {
        const Scenario& scenario = request.cells[cell].scenario;
        const std::string name = CellName(request.sweep.grid, cell);
        for (const std::string& note : NotesOnCell(name, scenario, runs)) progress.Note(note);
        return WriteSummary(scenario, cell_folder, SummarizeRuns(runs, scenario.targets));
      },
      .crew = crew ? &*crew : nullptr};
  OpenProblem problem;
  const Status status = RunSweep(folder, request.sweep, request.cells, sweep_options, &problem);
  if (crew) EndCrew(*crew);
  if (status || !IsFirstRank()) return {};
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

// Begins the sweep, so that whatever is wrong with it is said here and not by its tasks.
int RunBySlurm(const CLI::App& command, const std::string& folder, Request& request,
               const SweepArguments& options) {
  const int jobs = command.get_option("--jobs")->count() == 0 ? 1 : options.runs.jobs;
  const auto job = SlurmJobOf(command, folder, request.sweep, jobs,
                              options.runs.threads.value_or(1), options.slurm);
  if (!job) return Report(job.error());
  DataSets data;
  if (const auto read = ReadDataSets(request, options.runs, data); !read) {
    return Report(read.error());
  }
  OpenProblem problem;
  const auto begun = BeginSweep(
      folder, request.sweep, request.cells,
      {.jobs = options.runs.jobs,
       .existing = ExistingOf(options.runs),
       .dataset = [&](const DataChoice& choice) { return data.Get(choice, options.runs.jobs); }},
      &problem);
  if (!begun) return Report({begun.error().message + std::string(AdviceOn(problem))});
  if (const auto written = WriteScripts(*job); !written) {
    AbandonSweep(folder);
    return Report(written.error());
  }
  return HandToSlurm(*job, folder, request.sweep, options.slurm, options.runs.output);
}

int RunSweepCommand(const CLI::App& command, const SweepArguments& options) {
  auto request = RequestOf(options);
  if (!request) return Report(request.error());
  if (options.part) {
    const auto part = ParsePart(*options.part);
    if (!part) return Report(part.error());
    request->part = *part;
  }
  if (JoinedRanks() != nullptr && (options.part || options.slurm.is_wanted)) {
    return Report(
        {fmt::format("{} is for one process, and {} were started together: start it "
                     "without mpirun",
                     options.part ? "--part" : "--slurm", JoinedRanks()->size())});
  }
  std::string folder = options.runs.folder.value_or("");
  if (!options.runs.folder && IsFirstRank()) {
    auto made = MakeNewFolder("runs/" + FolderNameOf(request->cells[0].scenario) + "-sweep");
    if (!made) return Report(made.error());
    folder = std::move(*made);
  }
  std::error_code not_empty;
  if (options.slurm.is_wanted) {
    const int exit_code = RunBySlurm(command, folder, *request, options);
    if (!options.runs.folder) std::filesystem::remove(folder, not_empty);
    return exit_code;
  }
  Status status;
  {
    const base::InterruptsNoted noted;
    status = Perform(folder, *request, options.runs);
  }
  if (!options.runs.folder && IsFirstRank()) std::filesystem::remove(folder, not_empty);
  if (!status && status.error().message.empty()) return kBadInput;
  if (!status) return Report(status.error());
  if (!IsFirstRank()) return kDone;
  if (const int signal = base::InterruptThatCame(); signal != 0) {
    Warn("the sweep was interrupted: add --resume -o {} to go on\n", folder);
    return 128 + signal;
  }
  if (request->part) return kDone;  // Tables and report need all parts.
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
  auto* part = command.add_option("--part", options->part,
                                  "Run every N-th cell from the T-th on, without tables");
  part->type_name("T/N")->needs(command.get_option("--output"));
  part->excludes(command.get_option("--force"));
  AddSlurmOptions(command, options->slurm);
  command.get_option("--slurm")->excludes(part);
  AddExample(command,
             "airlot sweep float32-cell --vary radio.bandwidth_hz=1e6:1e7:3:log --strategies "
             "airtime,random --seeds 2 --set rounds=40 --set data.dataset=digits");
  command.callback([options, &command, &exit_code] {
    SortTexts(command, options->grid);
    exit_code = RunSweepCommand(command, *options);
  });
}

}  // namespace airlot::cli
