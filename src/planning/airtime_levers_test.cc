// Levers of an airtime plan are worked by hand, and checked by what must add up.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "airlot/airtime_expectations.h"
#include "planning/small_cell_for_tests.h"

namespace airlot {
namespace {

using planning::SmallCell;

AirtimeLevers LeversOf(const Cell& cell, const AirtimeRules& rules) {
  const std::vector<double> share(cell.problem.devices, 1 / double(cell.problem.devices));
  return FindAirtimeLevers(rules, cell, share, Solve(cell.problem).probability);
}

AirtimePlan PlanOf(const Cell& cell, const AirtimeRules& rules) {
  const std::vector<double> share(cell.problem.devices, 1 / double(cell.problem.devices));
  AirtimeRound round(rules);
  round.Plan(cell, share, Solve(cell.problem).probability);
  return round.plan();
}

// Two equal devices at g = 1 W and P^max = 1 W send 1 bit in 2 Hz: an upload takes 1/2 s, and with
// a limit of 0.1 s and enough energy a = 0.1 each. Time and band are in proportion. At 1 W, du/dln
// P = 1 - e^{-u} = 1/2 and u = ln 2.
TEST(AirtimeLevers, OfTwoDevicesAtTheirPowerCap) {
  SmallCell small({1, 1});
  small.cell.problem.time_limit_s = 0.1;
  small.cell.problem.energy_budget_j = 100.0;
  const AirtimeLevers levers = LeversOf(small.cell, {.floor = 0});
  EXPECT_FALSE(levers.are_seconds);
  EXPECT_NEAR(levers.adds.time_limit, 0.002, 1e-12);
  EXPECT_NEAR(levers.adds.bandwidth, 0.002, 1e-12);
  EXPECT_NEAR(levers.adds.max_power, 0.002 * 0.5 / std::numbers::ln2, 1e-8);
  EXPECT_NEAR(levers.adds.energy_budget, 0, 1e-15);
  // Twice the band with twice the noise is less, by what power would make up for.
  small.cell.noise_grows_with_band = true;
  small.cell.bandwidth_hz = 2.0;
  const Levers density = LeversOf(small.cell, {.floor = 0, .sharing = AirtimeSharing::kTurns}).adds;
  EXPECT_NEAR(density.bandwidth, density.time_limit - density.max_power, 1e-7);
}

// Where no probability is at a bound, a percent of time and a percent of budget together are a
// percent of every probability.
TEST(AirtimeLevers, OfTimeAndBudgetsAddUp) {
  SmallCell small({0.01, 0.1, 0.5, 2, 10});
  small.compute_j = {0.1, 0.2, 0.1, 0.3, 0.01};
  const std::vector<double> budget_j = {1e-3, 2e-2, 1e-2, 1, 3e-3};
  small.cell.problem.energy_budget_j = budget_j;
  small.cell.problem.time_limit_s = 0.2;
  for (const double fairness : {0.5, 1.0, 2.0}) {
    for (const bool is_density : {false, true}) {
      small.cell.noise_grows_with_band = is_density;
      const AirtimeRules rules{.fairness = fairness, .floor = 0, .sharing = AirtimeSharing::kTurns};
      const double participants = PlanOf(small.cell, rules).participants;
      const Levers adds = LeversOf(small.cell, rules).adds;
      EXPECT_GT(adds.time_limit, 0);
      EXPECT_NEAR((adds.time_limit + adds.energy_budget) / (0.01 * participants), 1, 1e-4);
    }
  }
}

// With the number of participants given, more band takes less time, and more time nothing.
TEST(AirtimeLevers, AreSecondsWhereTheParticipantsAreGiven) {
  SmallCell small({1, 1, 1});
  small.cell.problem.energy_budget_j = 100.0;
  const AirtimeRules rules{.participants = 0.5};
  const AirtimeLevers levers = LeversOf(small.cell, rules);
  EXPECT_TRUE(levers.are_seconds);
  EXPECT_NEAR(levers.adds.bandwidth, -0.01 * PlanOf(small.cell, rules).seconds, 1e-7);
  EXPECT_EQ(levers.adds.time_limit, 0);
}

// Floors that take all the time do not fit into less of it; then the difference is one-sided.
TEST(AirtimeLevers, AreOneSidedWhereLessTimeLeavesNoRoomForTheFloors) {
  SmallCell small({1, 1});
  small.cell.problem.time_limit_s = 0.1;
  small.cell.problem.energy_budget_j = 100.0;
  EXPECT_NEAR(LeversOf(small.cell, {}).adds.time_limit, 0.002, 1e-12);
}

}  // namespace
}  // namespace airlot
