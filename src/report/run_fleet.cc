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

// Returns nothing where the budgets are not known, or there were no rounds.
std::vector<double> RatiosOf(const KeptRun& run) {
  const DeviceTable& table = *run.devices;
  if (!table.energy_budget_j || run.records.empty() || run.records.back().round == 0) return {};
  const auto rounds = double(run.records.back().round);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < table.devices(); ++i) {
    const double spent_j = table.energy_spent_j[i] / rounds;
    // Who spends nothing keeps a budget of 0, too.
    ratios.push_back(spent_j > 0 ? spent_j / (*table.energy_budget_j)[i] : 0);
  }
  return Thinned(std::move(ratios), kMostRatios);
}

// RatioCollector gathers the ratios of the runs that curves are made of: the complete ones or,
// where a strategy has none, those that have begun.
class RatioCollector {
 public:
  void Add(const KeptRun& run) {
    if (all_.empty() || all_.back().ratios.strategy != run.strategy) {
      all_.push_back({.ratios = {.strategy = run.strategy}});
    }
    OfStrategy& own = all_.back();
    const bool is_complete = run.stage == RunStage::kComplete;
    if (own.has_complete && !is_complete) return;
    if (is_complete && !own.has_complete) own.ratios.values.clear();
    own.has_complete = is_complete;
    const std::vector<double> ratios = RatiosOf(run);
    own.ratios.values.insert(own.ratios.values.end(), ratios.begin(), ratios.end());
  }
  std::vector<BudgetRatios> Take() {
    std::vector<BudgetRatios> taken;
    for (OfStrategy& one : all_) taken.push_back(std::move(one.ratios));
    return taken;
  }

 private:
  struct OfStrategy {
    BudgetRatios ratios;
    bool has_complete = false;
  };
  std::vector<OfStrategy> all_;  // Runs come strategy by strategy.
};

}  // namespace

Result<ReducedRuns> ReadReduced(const std::string& directory, runs::Manifest manifest) {
  std::optional<RunFleet> fleet;
  RatioCollector ratios;
  auto runs = runs::ReadRuns(directory, std::move(manifest), [&](KeptRun& run) {
    if (!run.devices) return;
    ratios.Add(run);
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
  return ReducedRuns{std::move(*runs), std::move(fleet), ratios.Take()};
}

std::vector<std::string> MissingIn(const RunFleet& fleet, Score score) {
  const Device& device = fleet.view.sample.drawn.front();
  std::vector<std::string> missing;
  if (!device.limit) missing.emplace_back("limits");
  if (!device.budget_j) missing.emplace_back("budgets");
  if (!fleet.labels && score == Score::kAccuracy) missing.emplace_back("labels");
  if (!fleet.expected) missing.emplace_back("what the plan expects");
  return missing;
}

}  // namespace airlot::report
