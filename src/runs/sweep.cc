#include "airlot/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/lock_file.h"
#include "base/shards.h"
#include "base/text.h"
#include "base/utf8.h"
#include "runs/experiment_runs.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/manifest.h"
#include "runs/sweep_file.h"
#include "scenario/differences.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

// --- One cell ------------------------------------------------------------------------------------

// A CellRuns is prepared by the thread that comes first, and let go when its last run has ended, so
// that few cells are in memory at a time.
class CellRuns {
 public:
  CellRuns(const Comparison& comparison, std::string folder)
      : comparison_(comparison), folder_(std::move(folder)) {}

  std::size_t runs() const { return comparison_.strategies.size() * comparison_.seeds.size(); }
  const Comparison& comparison() const { return comparison_; }
  const std::string& folder() const { return folder_; }

  // Prepares the cell and opens its directory, unless that is done. `on_problem` is called once,
  // with why it cannot be prepared, or with nothing; an error is about the directory.
  Status Open(const SweepOptions& options, std::mutex& data_mutex,
              const ExperimentOptions& experiment,
              const std::function<void(const std::optional<std::string>&)>& on_problem) {
    const std::lock_guard lock(mutex_);
    if (was_opened_) return {};
    was_opened_ = true;
    if (auto status = Prepare(options, data_mutex); !status) {
      on_problem(status.error().message);
      return {};
    }
    on_problem(std::nullopt);
    const bool joins = options.crew != nullptr && !options.crew->is_first();
    auto directory = joins ? RunDirectory::Join(folder_, *prepared_)
                           : RunDirectory::Open(folder_, *prepared_, ExistingRuns::kResume);
    if (!directory) return directory.error();
    directory_.emplace(std::move(*directory));
    experiment_ = experiment;
    runs_ = std::make_unique<runs::ExperimentRuns>(*prepared_, *directory_, *experiment_);
    runs_left_ = runs_->size();
    return {};
  }
  // Says whether it is open, so that its runs can be run and must be finished.
  bool is_open() const { return runs_ != nullptr; }

  // Runs a run. Returns whether it was the last.
  bool Run(std::size_t run) {
    runs_->Run(run);
    return EndRun();
  }
  // Notes that a run has ended, and returns whether it was the last.
  bool EndRun() { return --runs_left_ == 0; }
  // Returns the runs of a cell that is open, for a crew.
  runs::ExperimentRuns& opened() { return *runs_; }
  // Lets go of a cell in which another process goes on; it may be opened again.
  void LeaveToOthers() {
    if (is_open()) static_cast<void>(Finish());
    was_opened_ = false;
  }

  // Ends what was begun, and lets go of all.
  Result<std::vector<RunResult>> Finish() {
    const LetGo let_go{*this};
    return runs_->Finish();
  }

 private:
  // Lets go of all that a cell has opened, however its runs have ended.
  struct LetGo {
    CellRuns& cell;
    ~LetGo() {
      if (cell.runs_->has_stopped()) cell.directory_->CloseAndRemoveIfNothingRan();
      cell.runs_.reset();
      cell.directory_.reset();
      cell.prepared_.reset();
    }
  };

  Status Prepare(const SweepOptions& options, std::mutex& data_mutex) {
    auto dataset = [&] {
      const std::lock_guard lock(data_mutex);
      return options.dataset(comparison_.scenario.data);
    }();
    if (!dataset) return dataset.error();
    auto prepared = PrepareComparison(comparison_, *dataset,
                                      {.threads = options.jobs, .partition = options.partition});
    if (!prepared) return prepared.error();
    prepared_ = std::move(*prepared);
    return {};
  }

  const Comparison& comparison_;
  std::string folder_;
  std::mutex mutex_;
  bool was_opened_ = false;
  std::optional<PreparedComparison> prepared_;
  std::optional<RunDirectory> directory_;
  std::optional<ExperimentOptions> experiment_;
  std::unique_ptr<runs::ExperimentRuns> runs_;
  std::atomic<std::size_t> runs_left_ = 0;
};

// --- All cells -----------------------------------------------------------------------------------

class SweepRuns {
 public:
  SweepRuns(const std::string& directory, Sweep& sweep, std::span<const Comparison> comparisons,
            const SweepOptions& options)
      : sweep_(sweep), options_(options) {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      const fs::path folder = fs::path(directory) / CellFolderOf(sweep.grid, i);
      cells_.push_back(std::make_unique<CellRuns>(comparisons[i], folder.string()));
      first_tasks_.push_back(tasks_.size());
      if (options.part && !options.part->Has(i)) continue;
      for (std::size_t run = 0; run < cells_.back()->runs(); ++run) tasks_.emplace_back(i, run);
    }
  }

  Status Go() {
    options_.crew != nullptr ? GoWithCrew() : GoAlone();
    for (const auto& cell : cells_) {
      if (!cell->is_open()) continue;
      Guarded([&]() -> Status {
        const auto ended = cell->Finish();
        return ended ? Status() : Status(ended.error());
      });
    }
    return status_;
  }

  // Returns the first exception that ended the runs, if any.
  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  void GoAlone() {
    base::ForEachTask(tasks_.size(), options_.jobs, [&](std::size_t task, std::size_t) {
      const auto [cell, run] = tasks_[task];
      if (!stops_) Guarded([&, cell = cell, run = run] { return RunOne(cell, run); });
    });
  }

  // The first process opens the cells, and finishes each after its last run. The others join a cell
  // when they get the first of its runs.
  void GoWithCrew() {
    in_flight_.assign(cells_.size(), 0);
    const auto runs_of = [this](std::size_t task) -> runs::ExperimentRuns& {
      return cells_[tasks_[task].first]->opened();
    };
    options_.crew->Perform(
        {.tasks = tasks_.size(),
         .jobs = options_.jobs,
         .perform = [&, this](std::size_t task) { return PerformInCrew(task); },
         .has_stopped = [this] { return stops_.load(); },
         .stop = [this] { stops_ = true; },
         .open =
             [this](std::size_t task) {
               const std::size_t cell = tasks_[task].first;
               Guarded([&] { return Open(cell); });
               return cells_[cell]->is_open() && !stops_;
             },
         .take_in = [&,
                     this](std::size_t task) { return runs_of(task).TakeIn(tasks_[task].second); },
         .ended =
             [&, this](std::size_t task, const Status& status) {
               if (!status) {
                 runs_of(task).Fail(status.error());
                 return Fail(status.error());
               }
               const std::size_t cell = tasks_[task].first;
               if (cells_[cell]->EndRun()) Guarded([&] { return FinishCell(cell); });
             },
         .told = [&, this](
                     std::size_t task,
                     const RunState& state) { runs_of(task).Told(tasks_[task].second, state); }});
  }

  Status PerformInCrew(std::size_t task) {
    const auto [index, run] = tasks_[task];
    CellRuns& cell = *cells_[index];
    if (options_.crew->is_first()) return cell.opened().Perform(run);
    Count(index, 1);
    Status status = Open(index);
    if (status && !cell.is_open()) {
      const std::lock_guard lock(mutex_);
      status = Error{sweep_.problems[index].value_or("the cell cannot run here")};
    }
    if (status) status = cell.opened().Perform(run);
    if (status && cell.opened().has_stopped()) stops_ = true;
    Count(index, -1);
    return status;
  }

  // Counts the runs of a cell that are in flight here. Those come in the order of the cells, but
  // for those that are dealt again, so that cells before this one can go.
  void Count(std::size_t index, int change) {
    const std::lock_guard lock(mutex_);
    in_flight_[index] += change;
    for (std::size_t i = 0; i < index; ++i) {
      if (in_flight_[i] == 0) cells_[i]->LeaveToOthers();
    }
  }

  // What goes wrong in one cell stops all, and all cells end what they have begun.
  void Guarded(const std::function<Status()>& work) {
    try {
      if (auto status = work(); !status) Fail(status.error());
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      stops_ = true;
    }
  }

  Status Open(std::size_t index) {
    const auto on_problem = [&](const std::optional<std::string>& problem) {
      NoteProblem(index, problem);
    };
    return cells_[index]->Open(options_, data_mutex_, ExperimentOf(index), on_problem);
  }

  Status RunOne(std::size_t index, std::size_t run) {
    CellRuns& cell = *cells_[index];
    if (auto status = Open(index); !status) return status;
    if (!cell.is_open() || !cell.Run(run)) return {};
    return FinishCell(index);
  }

  // Ends a cell after its last run.
  Status FinishCell(std::size_t index) {
    CellRuns& cell = *cells_[index];
    const auto results = cell.Finish();
    if (!results) return results.error();
    return stops_ || !options_.after_cell ? Status()
                                          : options_.after_cell(index, cell.folder(), *results);
  }

  ExperimentOptions ExperimentOf(std::size_t cell) {
    return {.threads = options_.threads,
            .checkpoint_every_s = options_.checkpoint_every_s,
            .logs_participants = options_.logs_participants,
            .after_round =
                [this, cell](std::size_t run, const RunState& state) {
                  if (options_.crew != nullptr && !options_.crew->is_first()) {
                    options_.crew->Tell(TaskOf(cell, run), state);
                  }
                  if (options_.after_round && !options_.after_round(cell, run, state)) {
                    stops_ = true;
                  }
                  return !stops_.load();
                },
            .damaged =
                [this, cell](const KeptRun& run) {
                  if (options_.damaged) options_.damaged(cell, run);
                },
            .unlogged =
                [this, cell](const KeptRun& run) {
                  if (options_.unlogged) options_.unlogged(cell, run);
                },
            .make_backend = options_.make_backend};
  }

  // Tasks of a cell go seed by seed, and its runs are numbered strategy by strategy.
  std::size_t TaskOf(std::size_t cell, std::size_t run) const {
    const Comparison& comparison = cells_[cell]->comparison();
    const std::size_t seeds = comparison.seeds.size();
    return first_tasks_[cell] + run % seeds * comparison.strategies.size() + run / seeds;
  }

  void NoteProblem(std::size_t cell, const std::optional<std::string>& problem) {
    const std::lock_guard lock(mutex_);
    sweep_.problems[cell] = problem;
    if (problem && options_.cannot_run) options_.cannot_run(cell, *problem);
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (status_) status_ = error;
    stops_ = true;
  }

  Sweep& sweep_;
  const SweepOptions& options_;
  std::vector<std::unique_ptr<CellRuns>> cells_;
  std::vector<std::pair<std::size_t, std::size_t>> tasks_;  // cell and run
  std::vector<std::size_t> first_tasks_;                    // of each cell
  std::vector<int> in_flight_;  // runs of each cell that this process of a crew performs
  std::atomic<bool> stops_ = false;
  std::mutex data_mutex_, mutex_;
  Status status_;
  std::exception_ptr thrown_;
};

// --- The directory -------------------------------------------------------------------------------

// The scenario and the grid must be those of the sweep that is there.
Status CheckSame(const std::string& directory, const Sweep& old, const Sweep& now) {
  const auto other = [&](const std::string& what) {
    return Error{fmt::format("{}: holds a sweep {}", directory, what)};
  };
  if (old.grid != now.grid) return other("of other keys or values");
  const auto are_in = [](const auto& some, const auto& all) {
    return std::ranges::all_of(
        some, [&](const auto& one) { return std::ranges::find(all, one) != all.end(); });
  };
  if (!are_in(old.strategies, now.strategies) || !are_in(old.seeds, now.seeds)) {
    return other("of more strategies or seeds, which must be asked for, too");
  }
  if (old.scenario == now.scenario) return {};
  const auto differences = scenario::DifferencesBetween(now.scenario, old.scenario);
  return other(differences.empty() ? "of another scenario"
                                   : fmt::format("of another scenario: {} differs",
                                                 scenario::Shown(differences.front().key)));
}

// Behind a link, nothing is ours to remove.
Status CheckRemovable(const std::string& directory, const Sweep& sweep) {
  for (std::size_t i = 0; i < CellCount(sweep.grid); ++i) {
    const auto is_folder = runs::IsFolder(fs::path(directory) / CellFolderOf(sweep.grid, i));
    if (!is_folder) return is_folder.error();
  }
  return {};
}

// Says whether some cell can run, so that what is there is not replaced in vain.
bool CanAnyRun(std::span<const Comparison> cells, Sweep& sweep, const SweepOptions& options) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto dataset = options.dataset(cells[i].scenario.data);
    if (!dataset) return true;  // The error comes later, and ends all.
    const auto prepared = PrepareComparison(
        cells[i], *dataset, {.threads = options.jobs, .partition = options.partition});
    if (prepared) return true;
    sweep.problems[i] = prepared.error().message;
  }
  return false;
}

Status RemoveSweep(const std::string& directory, const Sweep& sweep) {
  for (std::size_t i = 0; i < CellCount(sweep.grid); ++i) {
    const fs::path folder = fs::path(directory) / CellFolderOf(sweep.grid, i);
    if (!HoldsRuns(folder.string())) continue;
    if (auto status = RemoveRunDirectory(folder.string()); !status) return status;
  }
  runs::RemoveIfEmpty(fs::path(directory) / runs::kCellsFolder);
  constexpr std::array kResults{runs::kSweepRunsFile, runs::kSweepCellsFile, runs::kReportFile,
                                runs::kSweepFile};
  return runs::RemoveFiles(directory, kResults);
}

// A folder that is new, empty, or holds a sweep may be written to; whatever else is in a folder is
// not ours.
Status CheckFolder(const std::string& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (!fs::is_directory(status)) return Error{directory + ": is a file, not a directory"};
  const auto paths = runs::PathsIn(directory);
  if (!paths) return paths.error();
  const bool is_empty = std::ranges::all_of(*paths, [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name == runs::kLockFile || runs::IsLeftByAKill(name);
  });
  if (is_empty || HoldsSweep(directory)) return {};
  return Error{directory + ": exists and is not the directory of a sweep: choose another"};
}

// Makes the directory ready for the sweep, and says in its file what is going to be run.
Status TakeOver(const std::string& directory, Sweep& sweep, ExistingRuns existing,
                OpenProblem& problem) {
  const auto old = runs::FindSweepFile(directory);
  if (!old) return old.error();
  if (*old && existing == ExistingRuns::kRefuse) {
    problem = OpenProblem::kHoldsRuns;
    return Error{directory + ": holds the runs of a sweep"};
  }
  if (*old && existing == ExistingRuns::kReplace) {
    if (auto status = CheckRemovable(directory, (*old)->sweep); !status) return status;
    if (auto status = RemoveSweep(directory, (*old)->sweep); !status) return status;
  } else if (*old) {
    if (auto status = CheckSame(directory, (*old)->sweep, sweep); !status) {
      problem = OpenProblem::kOtherSetting;
      return status;
    }
    sweep.problems = (*old)->sweep.problems;  // until a cell is prepared again
  }
  if (auto status = runs::RemoveFiles(directory, {}); !status) return status;
  return runs::WriteSweepFile(directory, sweep);
}

// Removes what a sweep without a run leaves behind.
void RemoveIfNothingRan(const std::string& directory) {
  runs::RemoveIfEmpty(fs::path(directory) / runs::kCellsFolder);
  std::error_code ignored;
  for (const std::string_view kept : {runs::kCellsFolder, runs::kSlurmFolder}) {
    if (fs::exists(fs::path(directory) / kept, ignored)) return;
  }
  fs::remove(fs::path(directory) / runs::kSweepFile, ignored);
}

// Other parts join at the same time: each finds the file of the sweep, or writes the same one.
Status Join(const std::string& directory, Sweep& sweep, OpenProblem& problem) {
  for (const bool may_write : {true, false}) {
    const auto old = runs::FindSweepFile(directory);
    if (!old) return old.error();
    if (*old) {
      if (auto status = CheckSame(directory, (*old)->sweep, sweep); !status) {
        problem = OpenProblem::kOtherSetting;
        return status;
      }
      const bool is_all = (*old)->sweep.strategies.size() == sweep.strategies.size() &&
                          (*old)->sweep.seeds.size() == sweep.seeds.size();
      if (is_all) return {};
    }
    if (!may_write) break;
    if (auto status = runs::WriteSweepFile(directory, sweep); !status) return status;
  }
  return Error{directory + ": other parts are of another sweep"};
}

// A Hold is a directory that is there and locked.
struct Hold {
  std::optional<base::LockFile> lock;
  bool is_new = false;  // It was not there before.
};

// Takes the directory for this process, or for all that run parts.
Result<Hold> HoldDirectory(const std::string& directory, bool is_shared, OpenProblem& problem) {
  if (auto status = CheckFolder(directory); !status) return status.error();
  const auto is_new = runs::MakeFolder(directory);
  if (!is_new) return is_new.error();
  const std::string path = (fs::path(directory) / runs::kLockFile).string();
  auto attempt = is_shared ? base::LockFile::TryShared(path) : base::LockFile::Try(path);
  if (!attempt) {
    if (*is_new) runs::RemoveIfEmpty(directory);
    return attempt.error();
  }
  if (!attempt->lock) {
    problem = OpenProblem::kInUse;
    return Error{directory + ": another process is writing to it: wait until that has ended"};
  }
  return Hold{std::move(attempt->lock), *is_new};
}

// Says what is run, before anything is prepared.
void Start(Sweep& sweep) {
  sweep.scenario = runs::AsManifestText(sweep.scenario);
  sweep.problems.assign(CellCount(sweep.grid), std::nullopt);
}

Status RunPart(const std::string& directory, Sweep& sweep, std::span<const Comparison> cells,
               const SweepOptions& options, OpenProblem& problem) {
  auto hold = HoldDirectory(directory, /*is_shared=*/true, problem);
  if (!hold) return hold.error();
  Start(sweep);
  if (auto status = Join(directory, sweep, problem); !status) {
    hold->lock.reset();
    if (hold->is_new) runs::RemoveIfEmpty(directory);
    return status;
  }
  SweepRuns runs(directory, sweep, cells, options);
  auto status = runs.Go();
  if (runs.thrown()) std::rethrow_exception(runs.thrown());
  return status;
}

// Returns where to say why a directory cannot be opened; nobody may have asked.
OpenProblem& ReasonIn(OpenProblem* asked, OpenProblem& unasked) {
  OpenProblem& reason = asked != nullptr ? *asked : unasked;
  reason = OpenProblem::kOther;
  return reason;
}

}  // namespace

std::string CellFolderOf(const Grid& grid, std::size_t cell) {
  std::string values;
  for (const std::string& text : OverridesOf(grid, cell)) {
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.rfind('.', equals);
    values += (values.empty() ? "" : ",") + text.substr(dot == std::string::npos ? 0 : dot + 1);
  }
  for (char& c : values) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("=,.+-_").find(c) != std::string_view::npos;
    if (!is_plain) c = '-';
  }
  const std::size_t digits = std::to_string(CellCount(grid)).size();
  return fmt::format("{}/{:0{}}-{}", runs::kCellsFolder, cell + 1, digits,
                     base::CutToBytes(values, 100));
}

Status BeginSweep(const std::string& directory, Sweep& sweep, std::span<const Comparison> cells,
                  const SweepOptions& options, OpenProblem* problem) {
  OpenProblem unasked;
  OpenProblem& why = ReasonIn(problem, unasked);
  Start(sweep);
  if (!CanAnyRun(cells, sweep, options)) {
    return Error{"no cell can run: " + sweep.problems.front().value_or("there is none")};
  }
  auto hold = HoldDirectory(directory, /*is_shared=*/false, why);
  if (!hold) return hold.error();
  auto status = TakeOver(directory, sweep, options.existing, why);
  hold->lock.reset();
  if (!status && hold->is_new) runs::RemoveIfEmpty(directory);
  return status;
}

void AbandonSweep(const std::string& directory) {
  RemoveIfNothingRan(directory);
  runs::RemoveIfEmpty(directory);
}

Status RunSweep(const std::string& directory, Sweep& sweep, std::span<const Comparison> cells,
                const SweepOptions& options, OpenProblem* problem) {
  OpenProblem unasked;
  OpenProblem& why = ReasonIn(problem, unasked);
  if (options.part) return RunPart(directory, sweep, cells, options, why);
  if (options.crew != nullptr && !options.crew->is_first()) {
    Start(sweep);
    return SweepRuns(directory, sweep, cells, options).Go();
  }
  Status status;
  std::exception_ptr thrown;
  bool is_new = false;
  {
    const auto hold = HoldDirectory(directory, /*is_shared=*/false, why);
    if (!hold) return hold.error();
    is_new = hold->is_new;
    Start(sweep);
    if (options.existing == ExistingRuns::kReplace && HoldsSweep(directory) &&
        !CanAnyRun(cells, sweep, options)) {
      return {};
    }
    status = TakeOver(directory, sweep, options.existing, why);
    if (status) {
      SweepRuns runs(directory, sweep, cells, options);
      status = runs.Go();
      thrown = runs.thrown();
      const Status written = runs::WriteSweepFile(directory, sweep);
      if (status) status = written;
      RemoveIfNothingRan(directory);
    }
  }
  if (is_new) runs::RemoveIfEmpty(directory);
  if (thrown) std::rethrow_exception(thrown);
  return status;
}

bool HoldsSweep(const std::string& directory) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(directory) / runs::kSweepFile, ignored);
}

// --- Reading -------------------------------------------------------------------------------------

namespace {

// Takes out the runs that the sweep no longer asks for.
void KeepAsked(const Sweep& sweep, KeptRuns& kept) {
  std::erase_if(kept.runs, [&](const KeptRun& run) {
    return std::ranges::find(sweep.strategies, run.strategy) == sweep.strategies.end() ||
           std::ranges::find(sweep.seeds, run.seed) == sweep.seeds.end();
  });
}

SweptCell ReadCell(const std::string& folder, const Sweep& sweep, std::size_t index) {
  SweptCell cell{.missing_runs = sweep.strategies.size() * sweep.seeds.size(),
                 .problem = sweep.problems[index]};
  if (cell.problem || !HoldsRuns(folder)) return cell;
  auto kept = ReadRuns(folder, [](KeptRun& run) { run.devices.reset(); });
  if (!kept) {
    cell.problem = kept.error().message;
    return cell;
  }
  KeepAsked(sweep, *kept);
  cell.summaries = SummarizeComplete(*kept);
  std::size_t complete = 0;
  for (const StrategySummary& summary : cell.summaries) complete += summary.runs;
  // Not every strategy of a sweep can run in every cell.
  const auto is_asked = [&](const std::string& strategy) {
    return std::ranges::find(sweep.strategies, strategy) != sweep.strategies.end();
  };
  const auto strategies = std::size_t(std::ranges::count_if(kept->comparison.strategies, is_asked));
  cell.missing_runs = strategies * sweep.seeds.size() - complete;
  cell.unreadable = std::move(kept->unreadable);
  cell.scenario = std::move(kept->comparison.scenario);
  return cell;
}

}  // namespace

Result<KeptSweep> ReadSweep(const std::string& directory) {
  auto file = runs::FindSweepFile(directory);
  if (!file) return file.error();
  if (!*file) return Error{directory + ": holds no sweep"};
  KeptSweep kept{.sweep = std::move((*file)->sweep), .version = std::move((*file)->version)};
  for (std::size_t i = 0; i < CellCount(kept.sweep.grid); ++i) {
    const fs::path folder = fs::path(directory) / CellFolderOf(kept.sweep.grid, i);
    kept.cells.push_back(ReadCell(folder.string(), kept.sweep, i));
  }
  return kept;
}

}  // namespace airlot
