// What a device needs to reach a wanted probability is worked by hand, and tried out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::RelativeError;
using planning::TwoBits;
using planning::VectorFleet;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Worked by hand ------------------------------------------------------------------------------
//
// As in solvers_test.cc, g = 1 W and L = 2·ln2 s: at 1 W an upload takes 2 s and 2 J, at 3 W 1 s
// and 3 J; however slow, it never takes less than g·L = 1.39 J.

// What is needed takes some ten operations on u, which is itself known within ten roundings: e(u)
// grows by 0.38 of its share or more where bisection inverts it, and e^u by 1.9 at most.
constexpr double kNeedError = 32 * 0x1p-53;

void ExpectNeeds(const PlanningProblem& problem, double floor, double energy_budget_j,
                 double time_limit_s, double max_power_w) {
  const Plan plan = Solve(problem);
  const FloorReport report = CheckFloor(problem, plan, floor, 1);
  ASSERT_EQ(report.below, 1u);
  ASSERT_EQ(report.shortfalls.size(), 1u);
  const Shortfall& shortfall = report.shortfalls[0];
  EXPECT_EQ(shortfall.device, 0u);
  EXPECT_EQ(shortfall.probability, plan.probability[0]);
  EXPECT_LE(RelativeError(shortfall.energy_budget_needed_j, energy_budget_j), kNeedError);
  EXPECT_LE(RelativeError(shortfall.time_limit_needed_s, time_limit_s), kNeedError);
  EXPECT_LE(RelativeError(shortfall.max_power_needed_w, max_power_w), kNeedError);
}

TEST(FloorWorkedByHand, Energy) {
  // Every round within 1 s takes 3 W and 3 J. With 2 J it has to be slower: 2 s. More power than
  // the 100 W that it has would only cost more.
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 2.0;
  ExpectNeeds(problem, 1, 3, 2, kInfinity);
  // 1 J is less than any upload takes, so time alone does not help.
  problem.energy_budget_j = 1.0;
  ExpectNeeds(problem, 1, 3, kInfinity, kInfinity);
  // Every other round is just what it can: 2 s and 2 J each time, 1 s and 1 J on average.
  EXPECT_EQ(CheckFloor(problem, Solve(problem), 0.5, 1).below, 0u);
  // 2 J of computing each time come on top.
  problem.compute_energy_j = 2.0;
  problem.energy_budget_j = 4.0;
  ExpectNeeds(problem, 1, 5, 2, kInfinity);
}

TEST(FloorWorkedByHand, Power) {
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 1.0;
  ExpectNeeds(problem, 1, kInfinity, 2, 3);
  // Three rounds in four take u = 0.75·L, P = 2^1.5 - 1.
  ExpectNeeds(problem, 0.75, kInfinity, 1.5, std::exp2(1.5) - 1);
  // A budget of 2.5 J pays the 2 J at 1 W, not the 3 J at 3 W: the power alone does not help.
  problem.energy_budget_j = 2.5;
  ExpectNeeds(problem, 1, kInfinity, 2, kInfinity);
}

TEST(FloorWorkedByHand, Rate) {
  PlanningProblem problem = TwoBits();
  problem.spectral_efficiency_cap = 1;
  ExpectNeeds(problem, 1, kInfinity, 2, kInfinity);
}

TEST(FloorWorkedByHand, ComputationTime) {
  // There is 1 s of computing first. Two seconds leave 1 s, 3 W; at 1 W three seconds are needed.
  PlanningProblem problem = TwoBits();
  problem.compute_time_s = 1.0;
  problem.time_limit_s = 2.0;
  problem.max_power_w = 1.0;
  ExpectNeeds(problem, 1, kInfinity, 3, 3);
  problem.time_limit_s = 0.5;  // not even the computing ends in time
  ExpectNeeds(problem, 1, kInfinity, 3, kInfinity);
}

TEST(FloorWorkedByHand, ComputeAlways) {
  PlanningProblem problem = TwoBits();
  problem.compute_rule = ComputeRule::kAlways;
  problem.compute_energy_j = 6.0;
  problem.energy_budget_j = 8.0;
  ExpectNeeds(problem, 1, 9, 2, kInfinity);
  problem.energy_budget_j = 5.0;  // not even enough for the computing
  ExpectNeeds(problem, 0.5, 7, kInfinity, kInfinity);
}

TEST(FloorWorkedByHand, Deadline) {
  PlanningProblem problem = TwoBits();
  problem.time_rule = TimeRule::kDeadline;
  problem.max_power_w = 1.0;  // it needs 2 s and has 1
  ExpectNeeds(problem, 0.5, kInfinity, 2, 3);
  problem.energy_budget_j = 1.0;  // pays half of the rounds at 1 W, not at 3 W
  ExpectNeeds(problem, 0.5, kInfinity, 2, kInfinity);
  problem.max_power_w = 100.0;
  ExpectNeeds(problem, 0.5, 1.5, 2, kInfinity);
}

TEST(FloorWorkedByHand, Amplifier) {
  // The device draws twice of what it radiates: 6 J within 1 s, 4 J within 2 s.
  PlanningProblem problem = TwoBits();
  problem.amplifier_efficiency = 0.5;
  problem.energy_budget_j = 4.0;
  ExpectNeeds(problem, 1, 6, 2, kInfinity);
  problem.compute_rule = ComputeRule::kAlways;
  problem.compute_energy_j = 5.0;
  problem.energy_budget_j = 9.0;
  ExpectNeeds(problem, 1, 11, 2, kInfinity);
}

TEST(FloorWorkedByHand, CircuitPower) {
  // 3 W are cheapest: 1 s and 8·ln2 J. With 1 W an upload takes 2 s and 2·(1 + P^c) J.
  const double circuit_w = 8 * std::numbers::ln2 - 3;
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = circuit_w;
  problem.time_limit_s = 10.0;
  problem.energy_budget_j = 3 + circuit_w - 0.1;  // not even the cheapest, however long it may take
  ExpectNeeds(problem, 1, 3 + circuit_w, kInfinity, kInfinity);
  // At half a watt the device lacks power, which 1 W would be enough of, or energy, but not time.
  problem.max_power_w = 0.5;
  problem.energy_budget_j = 2 + 2 * circuit_w;
  ExpectNeeds(problem, 1, (0.5 + circuit_w) * 2 * std::numbers::ln2 / std::log(1.5), kInfinity, 1);
  // A quarter of a second takes 255 W, half a second 15 W.
  problem.max_power_w = 1000.0;
  problem.time_limit_s = 0.25;
  problem.energy_budget_j = (15 + circuit_w) / 2;
  ExpectNeeds(problem, 1, (255 + circuit_w) / 4, 0.5, kInfinity);
}

TEST(FloorWorkedByHand, NoBudget) {
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 0.0;
  ExpectNeeds(problem, 1, 3, kInfinity, kInfinity);
}

TEST(Floor, ReportsInOrderAndAtMostAsManyAsAsked) {
  const ColumnValues max_power_w = {1, 100, 1, 1, 100, 1};
  PlanningProblem problem = TwoBits();
  problem.devices = 6;
  problem.max_power_w = max_power_w;
  const Plan plan = Solve(problem);  // the probability is 1/2 at 1 W, else 1
  const FloorReport report = CheckFloor(problem, plan, 0.75, 3);
  EXPECT_EQ(report.below, 4u);
  ASSERT_EQ(report.shortfalls.size(), 3u);
  EXPECT_EQ(report.shortfalls[0].device, 0u);
  EXPECT_EQ(report.shortfalls[1].device, 2u);
  EXPECT_EQ(report.shortfalls[2].device, 3u);
  EXPECT_EQ(CheckFloor(problem, plan, 0.75, 0).below, 4u);
  EXPECT_TRUE(CheckFloor(problem, plan, 0.75, 0).shortfalls.empty());
  EXPECT_EQ(CheckFloor(problem, plan, 0.5, 10).below, 0u);
  EXPECT_EQ(CheckFloor(problem, plan, 0, 10).below, 0u);
}

// --- Tried out, under every option ---------------------------------------------------------------

struct Tried {
  std::size_t finite = 0, infinite = 0;
};

// Returns the optimum of one device of the fleet with another amount of one resource.
double ProbabilityWith(const VectorFleet& fleet, std::size_t i, ColumnValues VectorFleet::*resource,
                       double amount) {
  VectorFleet one;
  one.section = fleet.section;
  one.Add({fleet.noise_to_gain_w[i], fleet.nat_time_s[i], fleet.max_power_w[i],
           fleet.energy_budget_j[i], fleet.compute_energy_j[i], fleet.time_limit_s[i],
           fleet.compute_time_s[i]});
  (one.*resource)[0] = amount;
  return Solve(one.Problem()).probability[0];
}

// With just `needed` the device reaches the floor; with a millionth less it does not. Where
// `needed` is infinite not even the largest amount suffices. The floor counts as reached within
// kLargestViolation, as every constraint does.
void TryOut(const VectorFleet& fleet, const Shortfall& shortfall, double floor,
            ColumnValues VectorFleet::*resource, double needed, Tried& tried) {
  const auto probability_with = [&](double amount) {
    return ProbabilityWith(fleet, shortfall.device, resource, amount);
  };
  if (needed == kInfinity) {
    // The device is nearly there already: rounding would decide.
    if (shortfall.probability > floor * (1 - 1e-6)) return;
    EXPECT_LT(probability_with(kLargestInput), floor * (1 - kLargestViolation))
        << "device " << shortfall.device;
    ++tried.infinite;
  } else if (needed >= kSmallestInput && needed <= kLargestInput) {
    EXPECT_GE(probability_with(needed), floor * (1 - kLargestViolation))
        << "device " << shortfall.device;
    EXPECT_LT(probability_with(needed * (1 - 1e-6)), floor) << "device " << shortfall.device;
    ++tried.finite;
  } else {
    EXPECT_TRUE(std::isfinite(needed) && needed > 0) << needed;
  }
}

TEST(Floor, EachNeedIsJustEnoughUnderEveryOption) {
  Tried energy, time, power;
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    SCOPED_TRACE(kVectorSections[number].name);
    const VectorFleet fleet = MakeVectorFleet(number, 1000);
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    for (const double floor : {1e-3, 0.3, 0.95}) {
      SCOPED_TRACE(floor);
      const FloorReport report = CheckFloor(problem, plan, floor, SIZE_MAX);
      EXPECT_EQ(report.below, report.shortfalls.size());
      for (const Shortfall& shortfall : report.shortfalls) {
        TryOut(fleet, shortfall, floor, &VectorFleet::energy_budget_j,
               shortfall.energy_budget_needed_j, energy);
        TryOut(fleet, shortfall, floor, &VectorFleet::time_limit_s, shortfall.time_limit_needed_s,
               time);
        TryOut(fleet, shortfall, floor, &VectorFleet::max_power_w, shortfall.max_power_needed_w,
               power);
      }
    }
  }
  for (const Tried& tried : {energy, time, power}) {
    EXPECT_GT(tried.finite, 500u);
    EXPECT_GT(tried.infinite, 500u);
  }
}

}  // namespace
}  // namespace airlot
