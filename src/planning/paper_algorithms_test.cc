// These tests say what the paper's algorithms find, and what they miss.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"
#include "planning/solvers.h"

namespace airlot {
namespace {

using planning::kAccuracy;
using planning::OnEverySection;
using planning::RelativeError;
using planning::TwoBits;
using planning::VectorFleet;

// The thresholds are so small that the algorithms stop only where nothing changes any more.
constexpr PlanningOptions kAlternatingToTheEnd{
    .solver = Solver::kAlternating, .outer_tolerance = 1e-15, .inner_tolerance_j = 1e-300};

// Calls `test` on the sections that the paper's algorithms can solve.
void OnEveryPapersSection(std::size_t most, const std::function<void(const VectorFleet&)>& test) {
  OnEverySection(most, [&](const VectorFleet& fleet) {
    if (Validate(fleet.Problem(), kAlternatingToTheEnd).ok()) test(fleet);
  });
}

// Returns the best probability at the largest power, Algorithm 2's start.
double ProbabilityAtMaxPower(const planning::Device& device) {
  const double power_w = std::min(device.max_power_w, planning::PowerOf(device, device.max_nats));
  const double upload_s = planning::UploadTime(device, power_w);
  return std::min({1.0, device.time_limit_s / upload_s,
                   device.energy_budget_j / (power_w * upload_s + device.compute_energy_j)});
}

TEST(Alternating, KeepsItsStartAndOnlyLowersThePower) {
  OnEveryPapersSection(500, [](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem, kAlternatingToTheEnd);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const planning::Device device = planning::DeviceAt(problem, i);
      const double start = ProbabilityAtMaxPower(device);
      const double least_w =
          planning::PowerOf(device, start * device.nat_time_s / device.time_limit_s);
      // Algorithm 1's power λ/(a·L) - g is all cancellation where it is tiny beside the noise.
      if (start > 0 && least_w < 1e-12 * device.noise_to_gain_w) continue;
      ASSERT_LE(RelativeError(plan.probability[i], start), kAccuracy) << i;
      ASSERT_LE(RelativeError(plan.power_w[i], least_w), kAccuracy) << i;
    }
  });
}

TEST(Alternating, NeverRaisesTheProbability) {
  OnEveryPapersSection(500, [](const VectorFleet& fleet) {
    for (const double start : {0.75, 0.25, 1e-6}) {
      PlanningOptions options = kAlternatingToTheEnd;
      options.start_probability = start;
      const Plan plan = Solve(fleet.Problem(), options);
      for (const double a : plan.probability) ASSERT_LE(a, start * (1 + kAccuracy));
    }
  });
}

// The alternation is optimal for power-limited devices, and for full ones that can pay for an
// upload at P^max in every round. The others end short.
TEST(Alternating, IsOptimalOnlyWhereEnergyDoesNotBind) {
  std::size_t optimal = 0, energy_limited = 0, short_of_it = 0;
  OnEveryPapersSection(1000, [&](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan exact = Solve(problem);
    const Plan plan = Solve(problem, kAlternatingToTheEnd);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const double a = plan.probability[i], best = exact.probability[i];
      ASSERT_LE(a, best * (1 + kAccuracy)) << i;
      const Limit limit = Describe(problem, exact, i).limit;
      if (limit == Limit::kPower || (limit == Limit::kFull && a == 1)) {
        ASSERT_LE(RelativeError(a, best), kAccuracy) << i;
        ASSERT_LE(RelativeError(plan.power_w[i], exact.power_w[i]), kAccuracy) << i;
        ++optimal;
      } else if (limit == Limit::kEnergy && best > 0) {
        ++energy_limited;
        short_of_it += a < best * (1 - 1e-3) ? 1 : 0;
      }
    }
  });
  EXPECT_GT(optimal, 1000u);
  EXPECT_GT(energy_limited, 1000u);
  EXPECT_GT(short_of_it, energy_limited / 3);
}

TEST(Alternating, WorkedByHand) {
  // At P⁰ = 3 W an upload takes 1 s and 3 J. A budget of 1 J pays one round in three, a⁰ = 1/3; the
  // limit of 1 s would be met with T = 3 s, u = 2·ln2/3, P = 2^(2/3) - 1 W. There it stays,
  // although 1 W and a = 1/2 are feasible.
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 3.0;
  problem.energy_budget_j = 1.0;
  const Plan plan = Solve(problem, kAlternatingToTheEnd);
  // Some ten operations each, on numbers below 4: 40 roundings of 2^-52 at the most.
  EXPECT_NEAR(plan.probability[0], 1.0 / 3, 1e-14);
  EXPECT_NEAR(plan.power_w[0], std::cbrt(4.0) - 1, 1e-14);
}

// This is Algorithm 1 as printed, in units of the noise: from x = P^max/g, x -> x/ln(1 + x) - 1,
// until the energy a·g·L·x/ln(1 + x) changes by less than ε.
double PrintedAlgorithm1(double x, double energy_unit_j, double tolerance_j) {
  for (;;) {
    const double ratio = x / std::log1p(x);
    x = ratio - 1;
    if (energy_unit_j * std::abs(x / std::log1p(x) - ratio) < tolerance_j) return x;
  }
}

TEST(Literal, RunsTheIterationAsPrinted) {
  // Algorithm 2 starts from a⁰ = 1 at P⁰ = 3 W and makes one pass: its own threshold is never
  // exceeded.
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 3.0;
  for (const double tolerance_j : {1e-2, 1e-4, 1e-6}) {
    const Plan plan =
        Solve(problem,
              {.solver = Solver::kLiteral, .outer_tolerance = 2, .inner_tolerance_j = tolerance_j});
    const double x = PrintedAlgorithm1(3, 2 * std::numbers::ln2, tolerance_j);
    // Each step subtracts the noise of 1 W, which rounds by up to 4·2^-53 W, and halves what the
    // steps before were off by: 8 roundings on either side.
    const double most = kAccuracy * x + 16 * 0x1p-53;
    EXPECT_NEAR(plan.power_w[0], x, most) << tolerance_j;
    EXPECT_NEAR(plan.probability[0], std::log1p(x) / (2 * std::numbers::ln2), most);
  }
}

TEST(Literal, FallsToNothingAndIsSetByItsThreshold) {
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 3.0;
  // Near 0 the power halves with each step, so a threshold 1024 times smaller takes ten steps more;
  // but for x/6 of it (28), and x is below 1e-4 here.
  const auto one_pass = [&](double tolerance_j) {
    return Solve(
        problem,
        {.solver = Solver::kLiteral, .outer_tolerance = 2, .inner_tolerance_j = tolerance_j});
  };
  const Plan coarse = one_pass(1e-5), fine = one_pass(1e-5 / 1024);
  EXPECT_NEAR(fine.power_w[0] * 1024, coarse.power_w[0], 1e-3 * coarse.power_w[0]);
  EXPECT_NEAR(fine.probability[0] * 1024, coarse.probability[0], 1e-3 * coarse.probability[0]);
  // The optimum is to take part in every round at 3 W, where power and time bind at once, so that a
  // rounding may keep it from 1; run to its end, the paper's algorithm plans next to nothing.
  EXPECT_NEAR(Solve(problem).probability[0], 1, kAccuracy);
  const Plan literal = Solve(problem, {.solver = Solver::kLiteral});
  EXPECT_GT(literal.probability[0], 0);
  EXPECT_LT(literal.probability[0], 1e-8);
  EXPECT_LT(literal.power_w[0], 1e-8);
}

// Run until the power is 0 but for rounding, the power may come out below 0. That means that the
// device does not take part, and its plan then has no power.
TEST(Literal, LeavesNoPowerAtProbabilityZero) {
  std::size_t absent = 0;
  for (double noise_to_gain_w = 1e-9; noise_to_gain_w < 10; noise_to_gain_w *= 1.37) {
    PlanningProblem problem = TwoBits();
    problem.noise_to_gain_w = noise_to_gain_w;
    const Plan plan = Solve(problem, {.solver = Solver::kLiteral, .inner_tolerance_j = 1e-30});
    if (plan.probability[0] > 0) continue;
    ++absent;
    EXPECT_EQ(plan.power_w[0], 0) << noise_to_gain_w;
  }
  EXPECT_GT(absent, 5u);
}

}  // namespace
}  // namespace airlot
