// What is kept of runs: folders as columns, summaries and pages.
#include <airlot/experiment.h>
#include <airlot/kept_runs.h>
#include <airlot/report.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace)

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

std::vector<std::string> WriteRunsPage(const std::string& folder, const std::string& file,
                                       bool has_heat_maps) {
  const WithoutGil without;
  const auto reading = ReadingRegistry();
  ReportOptions options;
  options.file = file;
  options.has_heat_maps = has_heat_maps;
  return ValueOf(WriteReport(folder, options));
}

}  // namespace

void BindKeptRuns(py::module_& module) {
  module.def("read_runs", &ReadFolder, py::arg("folder"), py::arg("has_devices"));
  module.def("summary", &SummaryOf, py::arg("folder"));
  module.def("write_report", &WriteRunsPage, py::arg("folder"), py::arg("path"),
             py::arg("has_heat_maps"));
}

}  // namespace airlot::python
