// A RunFleet is the fleet of one seed as runs kept it, and what they made of it.
#ifndef AIRLOT_REPORT_RUN_FLEET_H_
#define AIRLOT_REPORT_RUN_FLEET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "airlot/kept_runs.h"
#include "airlot/planning.h"
#include "report/devices.h"
#include "runs/manifest.h"

namespace airlot::report {

// Spending is what a run made of one device.
struct Spending {
  // This is the mean over the rounds, where each had its own plan.
  std::optional<double> mean_probability;
  std::uint32_t participations = 0;
  double energy_spent_j = 0;
};

struct RunSpending {
  std::string strategy;
  std::uint64_t rounds = 0;     // that the run has come to
  std::vector<Spending> drawn;  // one for each device of FleetView::sample.drawn
};

// BudgetRatios are of the devices of a strategy's runs: what a device spends in a round on average,
// over its budget.
struct BudgetRatios {
  std::string strategy;
  std::vector<double> values;  // those of all devices, or of large fleets about kMostRatios a run
};
inline constexpr std::size_t kMostRatios = 2000;

struct RunFleet {
  std::uint64_t seed = 1;
  FleetView view;
  std::optional<LabelCounts> labels;
  std::optional<Expectations> expected;  // what the plan promises of a round
  std::vector<RunSpending> runs;         // runs of the seed with a fleet of this size
};

// ReducedRuns are the runs of a directory without their devices, and what a page shows of the
// devices. The fleet is that of the first run that has kept its devices.
struct ReducedRuns {
  KeptRuns runs;
  std::optional<RunFleet> fleet;
  // There is one for each strategy of which a run is complete and has kept its budgets or, where
  // none is complete, has begun.
  std::vector<BudgetRatios> budget_ratios = {};
};
// Reads run after run of the directory that a manifest is of, so that the devices of one run are in
// memory at a time.
Result<ReducedRuns> ReadReduced(const std::string& directory, runs::Manifest manifest);

// Names what runs of an earlier version have not kept of a fleet: "limits", "budgets", ...
std::vector<std::string> MissingIn(const RunFleet& fleet, Score score);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_RUN_FLEET_H_
