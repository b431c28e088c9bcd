// Comparisons and sweeps.
#include <airlot/comparison.h>
#include <airlot/experiment.h>
#include <airlot/grid.h>
#include <airlot/report.h>
#include <airlot/run_directory.h>
#include <airlot/scenario_fleet.h>
#include <airlot/sweep.h>
#include <airlot/sweep_report.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrays.h"
#include "backend.h"
#include "background.h"
#include "bindings.h"
#include "dataset.h"
#include "scenario.h"

namespace airlot::python {
namespace {

ExistingRuns ExistingOf(bool resumes, bool replaces) {
  if (resumes && replaces) throw Failure("resume and force exclude each other: choose one");
  if (replaces) return ExistingRuns::kReplace;
  return resumes ? ExistingRuns::kResume : ExistingRuns::kRefuse;
}

std::string AdviceOn(OpenProblem problem) {
  switch (problem) {
    case OpenProblem::kHoldsRuns:
      return ": pass resume=True to go on with them, or force=True to replace them";
    case OpenProblem::kOtherSetting:
      return ": choose another output, or pass force=True to replace them";
    case OpenProblem::kInUse:
    case OpenProblem::kOther:
      return "";
  }
  return "";
}

// RunCounts say how far the runs are, and how many rounds they have.
class RunCounts {
 public:
  void Add(std::uint64_t rounds) {
    rounds_.push_back(std::make_unique<std::atomic<std::uint64_t>>(0));
    all_ += rounds;
  }
  void Set(std::size_t run, const RunState& state) { *rounds_[run] = state.round; }
  // Tells a function of the user how many rounds are done, and of how many.
  void Tell(const py::object& progress) const {
    std::uint64_t done = 0;
    for (const auto& rounds : rounds_) done += *rounds;
    progress(done, all_);
  }
  void TellEnd(const py::object& progress) const { progress(all_, all_); }

 private:
  std::vector<std::unique_ptr<std::atomic<std::uint64_t>>> rounds_;
  std::uint64_t all_ = 0;
};

void RequireDistinct(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) throw Failure("strategies: " + *twice + " is there twice");
}

template <class T>
void RequireSome(const std::vector<T>& values, const char* name) {
  if (values.empty()) throw Failure(std::string(name) + ": is empty");
}

std::vector<std::uint64_t> SeedsOf(const py::list& given) {
  std::vector<std::uint64_t> seeds;
  for (const py::handle seed : given) {
    seeds.push_back(WholeOf(seed, "seeds[" + std::to_string(seeds.size()) + "]"));
  }
  std::vector<std::uint64_t> sorted = seeds;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw Failure("seeds: one is there twice");
  }
  return seeds;
}

Comparison ComparisonOf(const NamedScenario& named, const std::vector<std::string>& strategies,
                        const py::list& seeds) {
  RequireSome(strategies, "strategies");
  RequireDistinct(strategies);
  for (const std::string& strategy : strategies) {
    if (FindStrategy(strategy) == nullptr) {
      throw Failure("strategies: there is no strategy " + strategy +
                    " (airlot.strategies() lists them)");
    }
  }
  Comparison comparison{named.scenario, strategies, SeedsOf(seeds), named.file, named.overrides};
  RequireSome(comparison.seeds, "seeds");
  return comparison;
}

// A RunRequest says how runs are made, whatever they are.
struct RunRequest {
  std::string folder;
  ExistingRuns existing = ExistingRuns::kRefuse;
  int jobs = 1;
  double checkpoint_every_s = 5;
  bool logs_participants = true;
  std::function<std::unique_ptr<Backend>(const Setting& setting)> make_backend;
  const HeldDataset* data = nullptr;  // null: that of the scenario
  std::optional<Partition> partition;
};

RunRequest RequestOf(const std::string& output, const py::object& resume, const py::object& force,
                     const py::object& jobs, const py::object& checkpoint_every_s,
                     const py::object& participants, const py::object& backend,
                     const HeldDataset* data, const py::object& partition) {
  RunRequest request{.folder = output,
                     .existing = ExistingOf(FlagOf(resume, "resume"), FlagOf(force, "force")),
                     .jobs = int(WholeOf(jobs, "jobs", 1, 1024)),
                     .checkpoint_every_s = NumberOf(checkpoint_every_s, "checkpoint_every_s", 0,
                                                    std::numeric_limits<double>::infinity()),
                     .logs_participants = FlagOf(participants, "participants"),
                     .make_backend = {},
                     .data = data,
                     .partition = {}};
  if (!backend.is_none()) {
    request.make_backend = [backend = py::handle(backend)](const Setting& setting) {
      return MakePythonBackend(backend, setting);
    };
  }
  if (data != nullptr && !data->has_samples && backend.is_none()) {
    throw Failure("data: has no samples (train_x, test_x), which the built-in models train on");
  }
  if (!partition.is_none()) {
    if (data == nullptr) throw Failure("partition: needs data, whose samples it names");
    request.partition = PartitionOf(partition, data->dataset->train.size());
  }
  return request;
}

// Returns the data of a run: what is held in memory, or what the scenario names.
Result<std::shared_ptr<const Dataset>> DataOf(const RunRequest& request, const DataChoice& choice) {
  if (request.data == nullptr) {
    auto read = DatasetOf(choice, request.jobs);
    if (!read) return read.error();
    return std::make_shared<const Dataset>(std::move(*read));
  }
  if (!choice.standardise || !request.data->has_samples) return request.data->dataset;
  auto standardised = std::make_shared<Dataset>(*request.data->dataset);
  Standardise(*standardised);
  return std::shared_ptr<const Dataset>(std::move(standardised));
}

// Makes the runs; it is called without the GIL.
void MakeRuns(const RunRequest& request, const Comparison& comparison, RunCounts& counts,
              const std::atomic<bool>& stops) {
  const Scenario& scenario = comparison.scenario;
  const auto dataset = ValueOf(DataOf(request, scenario.data));
  const auto prepared = ValueOf(PrepareComparison(
      comparison, dataset, {.threads = request.jobs, .partition = request.partition}));
  if (stops) return;
  OpenProblem problem{};
  auto directory = RunDirectory::Open(request.folder, prepared, request.existing, &problem);
  if (!directory) throw Failure(directory.error().message + AdviceOn(problem));
  const ExperimentOptions options{.jobs = request.jobs,
                                  .checkpoint_every_s = request.checkpoint_every_s,
                                  .logs_participants = request.logs_participants,
                                  .after_round =
                                      [&](std::size_t run, const RunState& state) {
                                        CallOfThread() = &stops;
                                        counts.Set(run, state);
                                        return !stops;
                                      },
                                  .make_backend = request.make_backend};
  auto runs = [&] {
    try {
      return RunExperiment(prepared, *directory, options);
    } catch (...) {
      directory->CloseAndRemoveIfNothingRan();
      throw;
    }
  }();
  if (!runs) {
    directory->CloseAndRemoveIfNothingRan();
    throw Failure(runs.error().message);
  }
  if (stops) return;
  Require(WriteSummary(scenario, request.folder, SummarizeRuns(*runs, scenario.targets)));
}

void Compare(const NamedScenario& named, const std::vector<std::string>& strategies,
             const py::list& seeds, const std::string& output, const py::object& resume,
             const py::object& force, const py::object& jobs, const py::object& checkpoint_every_s,
             const py::object& participants, const py::object& backend, const HeldDataset* data,
             const py::object& partition, const py::object& progress) {
  Comparison comparison = ComparisonOf(named, strategies, seeds);
  const RunRequest request = RequestOf(output, resume, force, jobs, checkpoint_every_s,
                                       participants, backend, data, partition);
  // The folder must not name a data set that was not used.
  if (data != nullptr) comparison.scenario.data.dataset.reset();
  RunCounts counts;
  for (std::size_t i = 0; i < strategies.size() * comparison.seeds.size(); ++i) {
    counts.Add(comparison.scenario.rounds);
  }
  std::atomic<bool> stops = false;
  RunBeside(
      stops, [&] { counts.Tell(progress); }, [&] { MakeRuns(request, comparison, counts, stops); });
  counts.TellEnd(progress);
}

py::tuple Fitting(const NamedScenario& named, const std::vector<std::string>& strategies) {
  std::vector<std::string> fitting, notes;
  for (const std::string& name : strategies) {
    const StrategyEntry* entry = FindStrategy(name);
    if (entry == nullptr) throw Failure("strategies: there is no strategy " + name);
    if (const Status status = CheckStrategy(*entry, named.scenario); !status) {
      notes.push_back(name + " is left out: " + status.error().message);
    } else {
      fitting.push_back(name);
    }
  }
  return py::make_tuple(fitting, notes);
}

// --- Sweeps --------------------------------------------------------------------------------------

// Returns the grid of the keys and values that are varied, each as TOML.
Grid GridOf(const std::vector<std::pair<std::string, std::vector<std::string>>>& vary) {
  if (vary.empty()) {
    throw Failure("vary: is empty: give the values of a key, {\"radio.bandwidth_hz\": [1e6, 1e7]}");
  }
  Grid grid;
  for (const auto& [name, values] : vary) {
    if (values.empty()) throw Failure("vary: " + name + " has no values: give at least one");
    grid.axes.push_back({.keys = {{.name = name, .values = values}}});
  }
  Require(CheckGrid(grid));
  return grid;
}

// Returns the comparison of every cell.
std::vector<Comparison> CellsOf(const Sweep& sweep, bool has_data) {
  const auto reading = ReadingRegistry();
  std::vector<Comparison> cells;
  for (std::size_t i = 0; i < CellCount(sweep.grid); ++i) {
    auto scenario =
        ValueOf(ParseScenario(sweep.scenario, "scenario", OverridesOf(sweep.grid, i), "vary"));
    if (has_data) scenario.data.dataset.reset();
    cells.push_back(
        {.scenario = std::move(scenario), .strategies = sweep.strategies, .seeds = sweep.seeds});
  }
  return cells;
}

// Makes the runs of all cells; it is called without the GIL.
void MakeSweep(const RunRequest& request, Sweep& sweep, const std::vector<Comparison>& cells,
               RunCounts& counts, const std::atomic<bool>& stops) {
  const std::size_t runs_of_cell = sweep.strategies.size() * sweep.seeds.size();
  std::map<std::pair<std::string, bool>, std::shared_ptr<const Dataset>> read;
  SweepOptions options{.jobs = request.jobs,
                       .checkpoint_every_s = request.checkpoint_every_s,
                       .logs_participants = request.logs_participants,
                       .existing = request.existing};
  options.make_backend = request.make_backend;
  options.partition = request.partition;
  options.dataset = [&](const DataChoice& choice) -> Result<std::shared_ptr<const Dataset>> {
    auto& dataset = read[{choice.dataset.value_or(""), choice.standardise}];
    if (dataset) return dataset;
    auto found = DataOf(request, choice);
    if (found) dataset = *found;
    return found;
  };
  options.after_round = [&](std::size_t cell, std::size_t run, const RunState& state) {
    CallOfThread() = &stops;
    counts.Set(cell * runs_of_cell + run, state);
    return !stops;
  };
  options.after_cell = [&cells](std::size_t cell, const std::string& folder,
                                const std::vector<RunResult>& runs) {
    const Scenario& scenario = cells[cell].scenario;
    return WriteSummary(scenario, folder, SummarizeRuns(runs, scenario.targets));
  };
  OpenProblem problem{};
  const Status status = RunSweep(request.folder, sweep, cells, options, &problem);
  if (!status) throw Failure(status.error().message + AdviceOn(problem));
  if (stops) return;
  Require(WriteSweepTables(request.folder, ValueOf(ReadSweep(request.folder))));
}

std::string RunOneSweep(const NamedScenario& named,
                        const std::vector<std::pair<std::string, std::vector<std::string>>>& vary,
                        const std::vector<std::string>& strategies, const py::list& seeds,
                        const std::string& output, const py::object& resume,
                        const py::object& force, const py::object& jobs,
                        const py::object& checkpoint_every_s, const py::object& participants,
                        const py::object& backend, const HeldDataset* data,
                        const py::object& partition, const py::object& progress) {
  const Comparison comparison = ComparisonOf(named, strategies, seeds);
  const RunRequest request = RequestOf(output, resume, force, jobs, checkpoint_every_s,
                                       participants, backend, data, partition);
  Sweep sweep{.name = named.scenario.name,
              .scenario = FormatScenario(WithAbsolutePaths(named.scenario)),
              .grid = GridOf(vary),
              .strategies = strategies,
              .seeds = comparison.seeds};
  std::vector<Comparison> cells;
  {
    const WithoutGil without;
    cells = CellsOf(sweep, data != nullptr);
  }
  RunCounts counts;
  for (const Comparison& cell : cells) {
    for (std::size_t i = 0; i < strategies.size() * cell.seeds.size(); ++i) {
      counts.Add(cell.scenario.rounds);
    }
  }
  std::atomic<bool> stops = false;
  RunBeside(
      stops, [&] { counts.Tell(progress); },
      [&] { MakeSweep(request, sweep, cells, counts, stops); });
  counts.TellEnd(progress);
  const WithoutGil without;
  const auto reading = ReadingRegistry();
  return SweepJson(ValueOf(ReadSweep(output)));
}

}  // namespace

void BindRuns(py::module_& module) {
  module.def("compare", &Compare, py::kw_only(), py::arg("scenario"), py::arg("strategies"),
             py::arg("seeds"), py::arg("output"), py::arg("resume"), py::arg("force"),
             py::arg("jobs"), py::arg("checkpoint_every_s"), py::arg("participants"),
             py::arg("backend"), py::arg("data").none(true), py::arg("partition"),
             py::arg("progress"));
  module.def("sweep", &RunOneSweep, py::kw_only(), py::arg("scenario"), py::arg("vary"),
             py::arg("strategies"), py::arg("seeds"), py::arg("output"), py::arg("resume"),
             py::arg("force"), py::arg("jobs"), py::arg("checkpoint_every_s"),
             py::arg("participants"), py::arg("backend"), py::arg("data").none(true),
             py::arg("partition"), py::arg("progress"));
  module.def("fitting", &Fitting, py::arg("scenario"), py::arg("strategies"));
}

}  // namespace airlot::python
