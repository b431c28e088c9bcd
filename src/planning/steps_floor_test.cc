// What a device with steps of power or rate needs to reach a wanted probability, worked by hand,
// and tried out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"
#include "planning/steps_fleet_for_tests.h"

namespace airlot {
namespace {

using planning::RelativeError;
using planning::SteppedFleet;
using planning::TwoBits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNeedError = 32 * 0x1p-53;  // as in floor_test.cc

void ExpectNeeds(const PlanningProblem& problem, double floor, double energy_budget_j,
                 double time_limit_s, double max_power_w) {
  const FloorReport report = CheckFloor(problem, Solve(problem), floor, 1);
  ASSERT_EQ(report.shortfalls.size(), 1u);
  const Shortfall& shortfall = report.shortfalls[0];
  EXPECT_LE(RelativeError(shortfall.energy_budget_needed_j, energy_budget_j), kNeedError)
      << shortfall.energy_budget_needed_j;
  EXPECT_LE(RelativeError(shortfall.time_limit_needed_s, time_limit_s), kNeedError)
      << shortfall.time_limit_needed_s;
  EXPECT_LE(RelativeError(shortfall.max_power_needed_w, max_power_w), kNeedError)
      << shortfall.max_power_needed_w;
}

// At 1, 3 and 7 W a link carries 1, 2 and 3 bit/s/Hz, an upload takes 2, 1 and 2/3 s, and 2, 3 and
// 14/3 J (steps_test.cc).
TEST(StepsFloorWorkedByHand, Rates) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = {{1, 1}, {3, 2}, {7, 3}};
  problem.energy_budget_j = 2.5;
  ExpectNeeds(problem, 1, 3, 2, kInfinity);  // row 2 on time, or row 1 in its time
  problem.energy_budget_j = 100.0;
  problem.max_power_w = 2.0;
  ExpectNeeds(problem, 1, kInfinity, 2, 3);
  problem.time_limit_s = 0.5;
  ExpectNeeds(problem, 1, kInfinity, 2, kInfinity);  // no row is quick enough
  ExpectNeeds(problem, 0.75, kInfinity, 1.5, 7);
  problem.max_power_w = 0.5;
  ExpectNeeds(problem, 0.25, kInfinity, kInfinity, 1);
}

TEST(StepsFloorWorkedByHand, Levels) {
  PlanningProblem problem = TwoBits();
  const ColumnValues caps = {5};
  problem.max_power_w = caps;
  problem.steps.power_levels_w = {1, 3, 7};
  problem.energy_budget_j = 2.5;
  ExpectNeeds(problem, 1, 3, 2, kInfinity);
  problem.energy_budget_j = 100.0;
  problem.time_limit_s = 2.0 / 3;
  ExpectNeeds(problem, 1, kInfinity, 1, 7);
  // In steps of 2 from 4 W: 4, 2 and 1 W. A P^max of 15 W would carry 4 bit/s/Hz.
  problem.steps = {.min_power_w = 1, .power_step = 2};
  problem.time_limit_s = 0.5;
  problem.max_power_w = 4.0;
  ExpectNeeds(problem, 1, kInfinity, 2 / std::log2(5), 15);
}

// A larger P^max moves all levels in steps from it on.
TEST(StepsFloorWorkedByHand, LevelsThatMove) {
  PlanningProblem problem = TwoBits();
  problem.steps = {.min_power_w = 2, .power_step = 4};
  problem.max_power_w = 8.0;  // and 2 W
  problem.energy_budget_j = 3.0;
  // Within 1 s and 3 J there are only 3 W: the lower level, if the upper one is 12 W.
  ExpectNeeds(problem, 1, 8 * 2 / std::log2(9), 2 / std::log2(3), 12);
  // Above 2.5 W there is 8 W only, and from 10 W on 2.5 W, too, which is just within both limits.
  problem.steps.min_power_w = 2.5;
  problem.time_limit_s = 2 / std::log2(3.5);
  problem.energy_budget_j = 2.5 * 2 / std::log2(3.5) * (1 + 1e-13);
  ExpectNeeds(problem, 1, 8 * 2 / std::log2(9), kInfinity, 10);
  // Row 2 begins at 3 W.
  problem.steps = {.min_power_w = 1, .power_step = 4, .rates = {{1, 1}, {3, 2}, {7, 3}}};
  problem.time_limit_s = 1.0;
  problem.energy_budget_j = 3.0;
  ExpectNeeds(problem, 1, 8 * 2.0 / 3, kInfinity, 12);
  // In steps of 2 from 8 W there are 4 W in this row, which cost 4 J, and 1 W in row 1, which take
  // 2 s. From 12 W there would be 3 W.
  problem.steps.power_step = 2;
  ExpectNeeds(problem, 1, 4, 2, 12);
  problem.energy_budget_j = 2.9;
  ExpectNeeds(problem, 1, 4, 2, kInfinity);
}

TEST(StepsFloorWorkedByHand, LeastPower) {
  PlanningProblem problem = TwoBits();
  problem.steps.min_power_w = 3;
  problem.energy_budget_j = 2.0;  // 1 W would do in 2 s, but is too little
  ExpectNeeds(problem, 1, 3, kInfinity, kInfinity);
}

// With what it needs of one resource a device reaches the probability, and with a little less it
// does not.
TEST(StepsFloor, WhatIsNeededIsEnoughAndNotMore) {
  const std::vector<RateRow> rates = {{0.2, 0.15}, {0.5, 0.4}, {1.5, 0.9}, {6, 1.9}, {40, 4}};
  const std::vector<RadioSteps> radios = {
      {.power_levels_w = {0.001, 0.004, 0.02, 0.05, 0.1, 0.2, 0.5}},
      {.min_power_w = 1e-4, .power_step = 1.3},
      {.rates = rates},
      {.min_power_w = 0.01, .rates = rates},
      {.min_power_w = 0.001, .power_step = 1.3, .rates = rates},
      {.min_power_w = 0.001, .power_step = 5, .rates = rates},
      {.min_power_w = 0.001, .power_step = 5},
      {.power_levels_w = {0.001, 0.02, 0.1, 0.3, 2}, .rates = rates},
      {.min_power_w = 0.01}};
  constexpr double kFloor = 0.4;
  std::size_t tried = 0, tried_powers = 0;
  for (std::uint64_t mix = 0; mix < SteppedFleet::kMixes; ++mix) {
    const SteppedFleet fleet(mix);
    for (const RadioSteps& steps : radios) {
      const PlanningProblem problem = fleet.Problem(steps);
      const FloorReport report = CheckFloor(problem, Solve(problem), kFloor, problem.devices);
      for (const Shortfall& shortfall : report.shortfalls) {
        SCOPED_TRACE(testing::Message() << "mix " << mix << ", device " << shortfall.device);
        const std::size_t i = shortfall.device;
        PlanningProblem one = problem;
        one.devices = 1;
        one.noise_to_gain_w = problem.noise_to_gain_w[i];
        one.nat_time_s = problem.nat_time_s[i];
        one.max_power_w = problem.max_power_w[i];
        one.compute_energy_j = problem.compute_energy_j[i];
        one.compute_time_s = problem.compute_time_s[i];
        const auto probability_with = [&](double budget_j, double limit_s) {
          one.energy_budget_j = budget_j;
          one.time_limit_s = limit_s;
          return Solve(one).probability[0];
        };
        const double budget_j = problem.energy_budget_j[i];
        const double limit_s = problem.time_limit_s[i];
        const double energy_j = shortfall.energy_budget_needed_j;
        const double time_s = shortfall.time_limit_needed_s;
        constexpr double kMore = 1 + 1e-9;
        if (std::isfinite(energy_j)) {
          EXPECT_GE(probability_with(energy_j * kMore, limit_s), kFloor);
          EXPECT_LT(probability_with(energy_j / kMore, limit_s), kFloor);
          ++tried;
        } else {
          EXPECT_LT(probability_with(1e9, limit_s), kFloor);
        }
        if (std::isfinite(time_s)) {
          EXPECT_GE(probability_with(budget_j, time_s * kMore), kFloor);
          EXPECT_LT(probability_with(budget_j, time_s / kMore), kFloor);
          ++tried;
        } else {
          EXPECT_LT(probability_with(budget_j, 1e9), kFloor);
        }
        const double power_w = shortfall.max_power_needed_w;
        const auto probability_at = [&](double max_power_w) {
          one.max_power_w = max_power_w;
          return probability_with(budget_j, limit_s);
        };
        // Powers in between, and where none is enough powers far beyond, are not enough.
        constexpr int kBetween = 50;
        const double end_w = std::isfinite(power_w) ? power_w / kMore : 1e6;
        for (int n = 0; n <= kBetween; ++n) {
          const double between_w = problem.max_power_w[i] *
                                   std::pow(end_w / problem.max_power_w[i], double(n) / kBetween);
          EXPECT_LT(probability_at(between_w), kFloor) << between_w;
        }
        if (std::isfinite(power_w)) {
          EXPECT_GE(probability_at(power_w), kFloor / kMore) << power_w;
          ++tried_powers;
        }
      }
    }
  }
  EXPECT_GT(tried, 1000u);
  EXPECT_GT(tried_powers, 300u);
}

}  // namespace
}  // namespace airlot
