#include "report/run_fleet.h"

#include <algorithm>
#include <utility>

namespace airlot::report {
namespace {

RunSpending SpendingOf(const KeptRun& run, const std::vector<Device>& drawn) {
  const DeviceTable& table = *run.devices;
  RunSpending spending{.strategy = run.strategy,
                       .rounds = run.records.empty() ? 0 : run.records.back().round};
  for (const Device& device : drawn) {
    const std::size_t i = device.index;
    spending.drawn.push_back({.mean_probability = table.mean_probability
                                                      ? std::optional((*table.mean_probability)[i])
                                                      : std::nullopt,
                              .participations = table.participations[i],
                              .energy_spent_j = table.energy_spent_j[i]});
  }
  return spending;
}

std::optional<Expectations> ExpectedOf(const Provenance& provenance, std::uint64_t seed) {
  const auto found = std::ranges::find(provenance.seeds, seed, &PreparedSeed::seed);
  if (found == provenance.seeds.end()) return std::nullopt;
  return found->expected;
}

}  // namespace

Result<ReducedRuns> ReadReduced(const std::string& directory, runs::Manifest manifest) {
  std::optional<RunFleet> fleet;
  auto runs = runs::ReadRuns(directory, std::move(manifest), [&](KeptRun& run) {
    if (!run.devices) return;
    if (!fleet && run.device_count > 0) {
      fleet = RunFleet{
          .seed = run.seed, .view = ViewOf(*run.devices), .labels = LabelsOf(*run.devices)};
    }
    if (fleet && run.seed == fleet->seed && run.device_count == fleet->view.sample.devices) {
      fleet->runs.push_back(SpendingOf(run, fleet->view.sample.drawn));
    }
    run.devices.reset();
  });
  if (!runs) return runs.error();
  if (fleet) fleet->expected = ExpectedOf(runs->provenance, fleet->seed);
  return ReducedRuns{std::move(*runs), std::move(fleet)};
}

std::vector<std::string> MissingIn(const RunFleet& fleet) {
  const Device& device = fleet.view.sample.drawn.front();
  std::vector<std::string> missing;
  if (!device.limit) missing.emplace_back("limits");
  if (!device.budget_j) missing.emplace_back("budgets");
  if (!fleet.labels) missing.emplace_back("labels");
  if (!fleet.expected) missing.emplace_back("what the plan expects");
  return missing;
}

}  // namespace airlot::report
