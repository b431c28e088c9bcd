// Comparisons, sweeps, and what is kept of them.
#include <airlot/comparison.h>
#include <airlot/experiment.h>
#include <airlot/grid.h>
#include <airlot/kept_runs.h>
#include <airlot/report.h>
#include <airlot/run_directory.h>
#include <airlot/scenario_fleet.h>
#include <airlot/sweep.h>
#include <airlot/sweep_report.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cmath>
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

using namespace py::literals;  // NOLINT(google-build-using-namespace)

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

// RunCounts say how far the runs are.
class RunCounts {
 public:
  explicit RunCounts(std::size_t runs) : rounds_(runs) {}

  void Set(std::size_t run, const RunState& state) { rounds_[run] = state.round; }
  std::uint64_t Sum() const {
    std::uint64_t sum = 0;
    for (const auto& rounds : rounds_) sum += rounds;
    return sum;
  }

 private:
  std::vector<std::atomic<std::uint64_t>> rounds_;
};

// Tells a function of the user how many rounds are done.
std::function<void()> TickOf(const py::object& progress, const RunCounts& counts) {
  return [&] {
    if (!progress.is_none()) progress(counts.Sum());
  };
}

void RequireDistinct(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) throw Failure("strategies: " + *twice + " is there twice");
}

template <class T>
void RequireSome(const std::vector<T>& values, const char* name) {
  if (values.empty()) throw Failure(std::string(name) + ": is empty");
}

void RequireJobs(int jobs) {
  if (jobs < 1 || jobs > 1024) {
    throw Failure("jobs = " + std::to_string(jobs) + ": must be from 1 to 1024");
  }
}

Comparison ComparisonOf(const NamedScenario& named, const std::vector<std::string>& strategies,
                        const std::vector<std::uint64_t>& seeds) {
  RequireSome(strategies, "strategies");
  RequireSome(seeds, "seeds");
  RequireDistinct(strategies);
  std::vector<std::uint64_t> sorted = seeds;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    throw Failure("seeds: one is there twice");
  for (const std::string& strategy : strategies) {
    if (FindStrategy(strategy) == nullptr) {
      throw Failure("strategies: there is no strategy " + strategy +
                    " (airlot.strategies() lists them)");
    }
  }
  return {named.scenario, strategies, seeds, named.file, named.overrides};
}

struct CompareRequest {
  Comparison comparison;
  std::string folder;
  ExistingRuns existing;
  int jobs;
  double checkpoint_every_s;
  bool logs_participants;
  py::object make_backend;
  std::shared_ptr<const Dataset> dataset;  // null: that of the scenario
  std::optional<Partition> partition;
};

// Makes the runs; it is called without the GIL.
void MakeRuns(const CompareRequest& request, RunCounts& counts, const std::atomic<bool>& stops) {
  auto dataset = request.dataset;
  const Scenario& scenario = request.comparison.scenario;
  if (!dataset) {
    dataset = std::make_shared<const Dataset>(ValueOf(DatasetOf(scenario.data, request.jobs)));
  }
  const auto prepared = ValueOf(PrepareComparison(
      request.comparison, dataset, {.threads = request.jobs, .partition = request.partition}));
  if (stops) return;
  OpenProblem problem{};
  auto directory = RunDirectory::Open(request.folder, prepared, request.existing, &problem);
  if (!directory) throw Failure(directory.error().message + AdviceOn(problem));
  ExperimentOptions options{.jobs = request.jobs,
                            .checkpoint_every_s = request.checkpoint_every_s,
                            .logs_participants = request.logs_participants,
                            .after_round = [&](std::size_t run, const RunState& state) {
                              counts.Set(run, state);
                              return !stops;
                            }};
  if (request.make_backend) {
    options.make_backend = [&](const Setting& setting) {
      return MakePythonBackend(request.make_backend, setting);
    };
  }
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
             const std::vector<std::uint64_t>& seeds, const std::string& output, bool resume,
             bool force, int jobs, double checkpoint_every_s, bool participants,
             const py::object& backend, const HeldDataset* data, const py::object& partition,
             const py::object& progress) {
  RequireJobs(jobs);
  CompareRequest request{.comparison = ComparisonOf(named, strategies, seeds),
                         .folder = output,
                         .existing = ExistingOf(resume, force),
                         .jobs = jobs,
                         .checkpoint_every_s = checkpoint_every_s,
                         .logs_participants = participants,
                         .make_backend = backend.is_none() ? py::object() : backend,
                         .dataset = data == nullptr ? nullptr : data->dataset,
                         .partition = {}};
  if (data != nullptr) {
    if (!data->has_samples && backend.is_none()) {
      throw Failure("data: has no samples (train_x, test_x), which the built-in models train on");
    }
    Scenario& scenario = request.comparison.scenario;
    scenario.data.dataset.reset();  // The folder must not name a data set that was not used.
    if (scenario.data.standardise && data->has_samples) {
      auto standardised = std::make_shared<Dataset>(*data->dataset);
      Standardise(*standardised);
      request.dataset = std::move(standardised);
    }
  }
  if (!partition.is_none()) {
    if (data == nullptr) throw Failure("partition: needs data, whose samples it names");
    request.partition = PartitionOf(partition, data->dataset->train.size());
  }
  RunCounts counts(strategies.size() * seeds.size());
  std::atomic<bool> stops = false;
  RunBeside(stops, TickOf(progress, counts), [&] { MakeRuns(request, counts, stops); });
}

// --- What is kept --------------------------------------------------------------------------------

// RoundColumns are the records of all runs, one after another.
struct RoundColumns {
  std::vector<std::uint64_t> round, participants;
  std::vector<double> time_s, energy_j, loss, accuracy, test_loss, mean_participation_s,
      empty_batteries, arrived;

  void Add(const RoundRecord& record) {
    round.push_back(record.round);
    participants.push_back(record.participants);
    time_s.push_back(record.time_s);
    energy_j.push_back(record.energy_j);
    loss.push_back(record.loss.value_or(NAN));
    accuracy.push_back(record.accuracy.value_or(NAN));
    test_loss.push_back(record.test_loss.value_or(NAN));
    mean_participation_s.push_back(record.mean_participation_s.value_or(NAN));
    empty_batteries.push_back(record.empty_batteries.value_or(NAN));
    arrived.push_back(record.arrived.value_or(NAN));
  }

  py::dict Take() {
    return py::dict(
        "round"_a = ArrayOf(std::move(round)), "time_s"_a = ArrayOf(std::move(time_s)),
        "energy_j"_a = ArrayOf(std::move(energy_j)),
        "participants"_a = ArrayOf(std::move(participants)), "loss"_a = ArrayOf(std::move(loss)),
        "accuracy"_a = ArrayOf(std::move(accuracy)), "test_loss"_a = ArrayOf(std::move(test_loss)),
        "mean_participation_s"_a = ArrayOf(std::move(mean_participation_s)),
        "empty_batteries"_a = ArrayOf(std::move(empty_batteries)),
        "arrived"_a = ArrayOf(std::move(arrived)));
  }
};

// DeviceColumns are the devices of all runs, one after another.
struct DeviceColumns {
  std::vector<std::string> id;
  std::vector<std::uint32_t> samples, participations;
  std::vector<double> probability, power_w, upload_s, energy_j, energy_spent_j, energy_budget_j;

  void Add(const DeviceTable& table) {
    const auto append = [](auto& all, const auto& some) {
      all.insert(all.end(), some.begin(), some.end());
    };
    append(id, table.id);
    append(samples, table.samples);
    append(participations, table.participations);
    append(probability, table.probability);
    append(power_w, table.power_w);
    append(upload_s, table.upload_s);
    append(energy_j, table.energy_j);
    append(energy_spent_j, table.energy_spent_j);
    append(energy_budget_j,
           table.energy_budget_j.value_or(std::vector<double>(table.devices(), NAN)));
  }

  py::dict Take() {
    return py::dict("id"_a = std::move(id), "samples"_a = ArrayOf(std::move(samples)),
                    "probability"_a = ArrayOf(std::move(probability)),
                    "power_w"_a = ArrayOf(std::move(power_w)),
                    "upload_s"_a = ArrayOf(std::move(upload_s)),
                    "energy_j"_a = ArrayOf(std::move(energy_j)),
                    "participations"_a = ArrayOf(std::move(participations)),
                    "energy_spent_j"_a = ArrayOf(std::move(energy_spent_j)),
                    "energy_budget_j"_a = ArrayOf(std::move(energy_budget_j)));
  }
};

std::string StageName(RunStage stage) {
  switch (stage) {
    case RunStage::kNotBegun:
      return "not begun";
    case RunStage::kBegun:
      return "begun";
    case RunStage::kComplete:
      return "complete";
  }
  return "";
}

std::string StatusName(RunStatus status) {
  switch (status) {
    case RunStatus::kRunning:
      return "running";
    case RunStatus::kComplete:
      return "complete";
    case RunStatus::kInterrupted:
      return "interrupted";
    case RunStatus::kFailed:
      return "failed";
  }
  return "";
}

py::dict ReadFolder(const std::string& folder, bool has_devices) {
  RoundColumns rounds;
  DeviceColumns devices;
  std::vector<std::size_t> device_counts;
  std::optional<KeptRuns> kept;
  {
    const WithoutGil without;
    const auto reading = ReadingRegistry();
    kept = ValueOf(ReadRuns(folder, [&](KeptRun& run) {
      if (has_devices && run.devices) devices.Add(*run.devices);
      device_counts.push_back(has_devices && run.devices ? run.devices->devices() : 0);
      run.devices.reset();
    }));
    for (const KeptRun& run : kept->runs) {
      for (const RoundRecord& record : run.records) rounds.Add(record);
    }
  }
  py::list runs;
  for (std::size_t i = 0; i < kept->runs.size(); ++i) {
    const KeptRun& run = kept->runs[i];
    runs.append(py::dict("strategy"_a = run.strategy, "seed"_a = run.seed,
                         "stage"_a = StageName(run.stage), "records"_a = run.records.size(),
                         "devices"_a = device_counts[i], "fairness"_a = run.fairness,
                         "devices_over_budget"_a = run.budget ? py::cast(run.budget->devices_over)
                                                              : py::object(py::none())));
  }
  std::vector<std::string> unreadable;
  for (const UnreadableRun& run : kept->unreadable) {
    unreadable.push_back(run.strategy + ", seed " + std::to_string(run.seed) + ": " + run.fault);
  }
  const auto reading = ReadingRegistry();
  py::dict all("status"_a = StatusName(kept->status), "version"_a = kept->provenance.version,
               "scenario"_a = FormatScenario(kept->comparison.scenario), "runs"_a = runs,
               "rounds"_a = rounds.Take(), "unreadable"_a = unreadable);
  if (has_devices) all["device_columns"] = devices.Take();
  return all;
}

std::string SummaryOf(const std::string& folder) {
  const WithoutGil without;
  const auto reading = ReadingRegistry();
  const KeptRuns kept = ValueOf(ReadRuns(folder));
  const auto summaries = SummarizeComplete(kept);
  if (summaries.empty()) throw Failure(folder + ": no run is complete yet");
  return SummaryJson(kept.comparison.scenario, summaries);
}

std::vector<std::string> WritePage(const std::string& folder, const std::string& file,
                                   bool has_heat_maps) {
  const WithoutGil without;
  const auto reading = ReadingRegistry();
  ReportOptions options;
  options.file = file;
  options.has_heat_maps = has_heat_maps;
  return ValueOf(WriteReport(folder, options));
}

py::tuple Fitting(const NamedScenario& named, const std::vector<std::string>& strategies) {
  std::vector<std::string> fitting, notes;
  for (const std::string& name : strategies) {
    const StrategyEntry* entry = FindStrategy(name);
    if (entry == nullptr) throw Failure("there is no strategy " + name);
    if (const Status status = CheckStrategy(*entry, named.scenario); !status) {
      notes.push_back(name + " is left out: " + status.error().message);
    } else {
      fitting.push_back(name);
    }
  }
  return py::make_tuple(fitting, notes);
}

// --- Sweeps --------------------------------------------------------------------------------------

std::string RunOneSweep(const NamedScenario& named, const std::string& base_toml,
                        const std::vector<std::vector<std::string>>& axes,
                        const std::vector<std::string>& strategies,
                        const std::vector<std::uint64_t>& seeds, const std::string& output,
                        bool resume, bool force, int jobs, double checkpoint_every_s,
                        bool participants, const py::object& progress) {
  RequireJobs(jobs);
  ComparisonOf(named, strategies, seeds);
  Grid grid;
  for (const auto& texts : axes) {
    GridAxis axis;
    for (const std::string& text : texts) axis.keys.push_back(ValueOf(ParseGridKey(text)));
    grid.axes.push_back(std::move(axis));
  }
  Require(CheckGrid(grid));
  Sweep sweep{.name = named.scenario.name,
              .scenario = FormatScenario(WithAbsolutePaths(named.scenario)),
              .grid = grid,
              .strategies = strategies,
              .seeds = seeds};
  std::vector<Comparison> cells;
  for (std::size_t i = 0; i < CellCount(grid); ++i) {
    const auto overrides = OverridesOf(grid, i);
    auto scenario = ValueOf(ParseScenario(base_toml, "scenario", overrides, "vary"));
    cells.push_back({.scenario = std::move(scenario), .strategies = strategies, .seeds = seeds});
  }
  const std::size_t runs_of_cell = strategies.size() * seeds.size();
  RunCounts counts(runs_of_cell * cells.size());
  std::atomic<bool> stops = false;
  std::map<std::pair<std::string, bool>, std::shared_ptr<const Dataset>> read;
  SweepOptions options{.jobs = jobs,
                       .checkpoint_every_s = checkpoint_every_s,
                       .logs_participants = participants,
                       .existing = ExistingOf(resume, force)};
  options.dataset = [&](const DataChoice& data) -> Result<std::shared_ptr<const Dataset>> {
    auto& dataset = read[{data.dataset.value_or(""), data.standardise}];
    if (dataset) return dataset;
    auto result = DatasetOf(data, jobs);
    if (!result) return result.error();
    dataset = std::make_shared<const Dataset>(std::move(*result));
    return dataset;
  };
  options.after_round = [&](std::size_t cell, std::size_t run, const RunState& state) {
    counts.Set(cell * runs_of_cell + run, state);
    return !stops;
  };
  options.after_cell = [](const Comparison& comparison, const std::string& folder,
                          const std::vector<RunResult>& runs) {
    return WriteSummary(comparison.scenario, folder,
                        SummarizeRuns(runs, comparison.scenario.targets));
  };
  RunBeside(stops, TickOf(progress, counts), [&] {
    OpenProblem problem{};
    const Status status = RunSweep(output, sweep, cells, options, &problem);
    if (!status) throw Failure(status.error().message + AdviceOn(problem));
    if (stops) return;
    const KeptSweep kept = ValueOf(ReadSweep(output));
    Require(WriteSweepTables(output, kept));
  });
  const WithoutGil without;
  return SweepJson(ValueOf(ReadSweep(output)));
}

}  // namespace

void BindRuns(py::module_& module) {
  module.def("compare", &Compare, py::kw_only(), py::arg("scenario"), py::arg("strategies"),
             py::arg("seeds"), py::arg("output"), py::arg("resume"), py::arg("force"),
             py::arg("jobs"), py::arg("checkpoint_every_s"), py::arg("participants"),
             py::arg("backend"), py::arg("data").none(true), py::arg("partition"),
             py::arg("progress"));
  module.def("sweep", &RunOneSweep, py::kw_only(), py::arg("scenario"), py::arg("base_toml"),
             py::arg("axes"), py::arg("strategies"), py::arg("seeds"), py::arg("output"),
             py::arg("resume"), py::arg("force"), py::arg("jobs"), py::arg("checkpoint_every_s"),
             py::arg("participants"), py::arg("progress"));
  module.def("read_runs", &ReadFolder, py::arg("folder"), py::arg("has_devices"));
  module.def("summary", &SummaryOf, py::arg("folder"));
  module.def("write_report", &WritePage, py::arg("folder"), py::arg("path"),
             py::arg("has_heat_maps"));
  module.def("fitting", &Fitting, py::arg("scenario"), py::arg("strategies"));
}

}  // namespace airlot::python
