#include "report/run_fleet.h"

#include <algorithm>
#include <cmath>

namespace airlot::report {
namespace {

RunSpending SpendingOf(const KeptRun& run, const std::vector<Device>& drawn) {
  const DeviceTable& table = *run.devices;
  RunSpending spending{.run = &run, .has_mean_probability = table.mean_probability.has_value()};
  for (const Device& device : drawn) {
    const std::size_t i = device.index;
    spending.drawn.push_back(
        {.probability = table.mean_probability ? (*table.mean_probability)[i] : device.probability,
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

std::optional<RunFleet> FleetOf(const KeptRuns& runs) {
  const auto first = std::ranges::find_if(
      runs.runs, [](const KeptRun& run) { return run.devices && run.devices->devices() > 0; });
  if (first == runs.runs.end()) return std::nullopt;
  RunFleet fleet{.seed = first->seed,
                 .view = ViewOf(*first->devices),
                 .labels = LabelsOf(*first->devices),
                 .expected = ExpectedOf(runs.provenance, first->seed)};
  for (const KeptRun& run : runs.runs) {
    if (run.seed != fleet.seed || !run.devices) continue;
    if (run.devices->devices() != first->devices->devices()) continue;
    fleet.runs.push_back(SpendingOf(run, fleet.view.sample.drawn));
  }
  return fleet;
}

std::vector<std::string> MissingIn(const RunFleet& fleet) {
  const Device& device = fleet.view.sample.drawn.front();
  std::vector<std::string> missing;
  if (!device.limit) missing.emplace_back("limits");
  if (std::isnan(device.budget_j)) missing.emplace_back("budgets");
  if (fleet.labels.classes == 0) missing.emplace_back("labels");
  if (!fleet.expected) missing.emplace_back("what the plan expects");
  return missing;
}

}  // namespace airlot::report
