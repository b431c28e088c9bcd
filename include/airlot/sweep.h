// A sweep compares strategies in every cell of a grid, and keeps the runs of a cell in a run
// directory of its own (docs/sweeps.md).
//
//   sweep.json            what is varied, and which cells cannot run
//   cells/<number>-<...>  a run directory for each cell
#ifndef AIRLOT_SWEEP_H_
#define AIRLOT_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/comparison.h"
#include "airlot/crew.h"
#include "airlot/dataset.h"
#include "airlot/experiment.h"
#include "airlot/grid.h"
#include "airlot/kept_runs.h"
#include "airlot/result.h"
#include "airlot/run_directory.h"
#include "airlot/scenario.h"

namespace airlot {

struct Sweep {
  std::string name;      // of the scenario
  std::string scenario;  // as TOML, before any cell changes it
  Grid grid;
  std::vector<std::string> strategies;
  std::vector<std::uint64_t> seeds;
  std::optional<std::string> scenario_file = {};  // file from which the scenario was read
  // What was set beside that file in all cells, each "KEY=VALUE"; none: that is not known.
  std::optional<std::vector<std::string>> overrides = {};
  // There is one for each cell: why it cannot run, or nothing.
  std::vector<std::optional<std::string>> problems = {};
};

// Returns the folder of a cell, below that of the sweep.
std::string CellFolderOf(const Grid& grid, std::size_t cell);

// A SweepPart is what one of several processes runs of a sweep: every `count`-th cell from number
// `index` on, which is below `count`.
struct SweepPart {
  std::size_t index = 0;
  std::size_t count = 1;

  bool Has(std::size_t cell) const { return cell % count == index; }
};

struct SweepOptions {
  int jobs = 1;     // number of runs at a time, of whatever cell
  int threads = 1;  // of each run
  double checkpoint_every_s = ExperimentOptions{}.checkpoint_every_s;
  bool logs_participants = true;
  ExistingRuns existing = ExistingRuns::kRefuse;
  // Where a part is given, only its cells run, as with ExistingRuns::kResume, and other processes
  // may run other parts at the same time. Only a call without a part writes which cells cannot run.
  std::optional<SweepPart> part = {};
  // dataset returns the data set of a cell; it is called by one thread at a time.
  std::function<Result<std::shared_ptr<const Dataset>>(const DataChoice& data)> dataset;
  // after_round is as in ExperimentOptions, for a run of a cell. Where it returns false, all stop.
  std::function<bool(std::size_t cell, std::size_t run, const RunState& state)> after_round = {};
  // These two are as in ExperimentOptions.
  std::function<void(std::size_t cell, const KeptRun& run)> damaged = {};
  std::function<void(std::size_t cell, const KeptRun& run)> unlogged = {};
  // cannot_run is told of a cell that cannot run, from any thread, but by one at a time.
  std::function<void(std::size_t cell, const std::string& problem)> cannot_run = {};
  // after_cell is told of the runs of a cell when all of them have ended, from any thread.
  std::function<Status(std::size_t cell, const std::string& folder,
                       const std::vector<RunResult>& runs)>
      after_cell = {};
  // make_backend is as in ExperimentOptions.
  std::function<std::unique_ptr<Backend>(const Setting& setting)> make_backend = {};
  // The processes of a crew share the runs of all cells: each calls RunSweep, and the first one
  // keeps the directory, and is told of all. There is no part then.
  Crew* crew = nullptr;
  // Where a partition is given, the data of all cells are split so.
  std::optional<Partition> partition = {};
};

// Runs what is not complete of a sweep in `directory`, which is made if need be; `cells` are its
// comparisons, in the order of the grid. A cell that cannot be prepared, as where nobody is able to
// take part in it, is left out, and `sweep.problems` says why. The error of a run ends all; so does
// an exception of a callback or a backend, which is thrown again from here.
// Directories in which nothing ran are gone then. `problem` is as for RunDirectory::Open.
Status RunSweep(const std::string& directory, Sweep& sweep, std::span<const Comparison> cells,
                const SweepOptions& options, OpenProblem* problem = nullptr);

// Makes a directory ready for a sweep, as RunSweep does, so that its parts can run. A sweep of
// which no cell can run is refused. Of the options, `existing` and those that a cell is prepared
// with count.
Status BeginSweep(const std::string& directory, Sweep& sweep, std::span<const Comparison> cells,
                  const SweepOptions& options, OpenProblem* problem = nullptr);
// Takes back what BeginSweep has made, where no part has begun.
void AbandonSweep(const std::string& directory);

// Says whether there is a sweep in a directory.
bool HoldsSweep(const std::string& directory);

// A SweptCell is what there is of a cell.
struct SweptCell {
  std::optional<Scenario> scenario;        // of the cell, where it has begun
  std::vector<StrategySummary> summaries;  // of complete runs
  std::size_t missing_runs = 0;            // number of runs that are not complete
  std::optional<std::string> problem;      // why it cannot run, or cannot be read
  std::vector<UnreadableRun> unreadable;   // runs whose files cannot be used
};
struct KeptSweep {
  Sweep sweep;
  std::vector<SweptCell> cells;  // in the order of the grid
  std::string version;           // version of airlot that made it
};
// Reads a sweep, also one that is going on: nothing is changed.
Result<KeptSweep> ReadSweep(const std::string& directory);

}  // namespace airlot

#endif  // AIRLOT_SWEEP_H_
