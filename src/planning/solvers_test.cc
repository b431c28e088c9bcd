// The optimum is tested by its conditions, over random fleets and under every option.
#include "planning/solvers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::kAccuracy;
using planning::OnEverySection;
using planning::RelativeError;
using planning::VectorFleet;
using planning::ViolationOf;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The sum h(u) = Σ (k-1)·u^k/k! is exact on both sides of where its two formulas meet: 20 roundings
// at the most (docs/energy.md, "Rounding"), and one of the expected number.
TEST(EnergySlope, IsExactForEveryNats) {
  for (double u = 1e-60; u < 200; u *= 1.37) {
    long double sum = 0, term = static_cast<long double>(u) * u / 2;
    for (int k = 2; k < 2000 && (k < u || term > 0); ++k) {
      sum += (k - 1) * term;
      term *= static_cast<long double>(u) / (k + 1);
    }
    EXPECT_LE(RelativeError(planning::EnergySlope(u), static_cast<double>(sum)), 21 * 0x1p-53) << u;
  }
}

// Returns by how much a relative change of the probability changes the power that it needs, (25):
// the exponent is u = L/T, and T is what the computation leaves of τ/a.
double PowerSensitivity(const PlanningProblem& problem, const Plan& plan, std::size_t i) {
  const Participation participation = Describe(problem, plan, i);
  const double nats = problem.nat_time_s[i] / participation.upload_s;
  return std::max(1.0, nats) * (1 + problem.compute_time_s[i] / participation.upload_s);
}

TEST(Optimum, BisectionFindsTheSame) {
  OnEverySection(2000, [](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan exact = Solve(problem);
    const Plan bisected = Solve(problem, {.solver = Solver::kBisection});
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      ASSERT_LE(RelativeError(bisected.probability[i], exact.probability[i]), 2 * kAccuracy) << i;
      if (exact.probability[i] == 0) {
        ASSERT_EQ(bisected.power_w[i], 0) << i;
        continue;
      }
      // Bisection knows the power only through the last digits of the probability, of which 8
      // roundings may be wrong.
      const double allowed = 2 * kAccuracy + 8 * 0x1p-53 * PowerSensitivity(problem, exact, i);
      ASSERT_LE(RelativeError(bisected.power_w[i], exact.power_w[i]), allowed) << i;
    }
  });
}

// More of a resource never lowers a probability; and it does raise some.
void ExpectMonotone(const VectorFleet& fleet, ColumnValues VectorFleet::*resource) {
  const Plan before = Solve(fleet.Problem());
  for (const double factor : {1 + 1e-9, 1.5, 20.0}) {
    VectorFleet richer = fleet;
    for (double& value : richer.*resource) value *= factor;
    const Plan after = Solve(richer.Problem());
    std::size_t raised = 0;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      ASSERT_GE(after.probability[i], before.probability[i] * (1 - 2 * kAccuracy))
          << i << " " << factor;
      raised += after.probability[i] > before.probability[i] * (1 + 2 * kAccuracy) ? 1 : 0;
    }
    EXPECT_GT(raised, 0u) << factor;
  }
}

TEST(Optimum, GrowsWithTheBudget) {
  OnEverySection(
      500, [](const VectorFleet& fleet) { ExpectMonotone(fleet, &VectorFleet::energy_budget_j); });
}

TEST(Optimum, GrowsWithThePowerCap) {
  OnEverySection(500, [](const VectorFleet& fleet) {
    // A deadline turns on a cap that is just reached: for a factor near 1 that is nobody.
    if (fleet.section.time_rule == TimeRule::kDeadline) return;
    if (fleet.section.spectral_efficiency_cap < 1) return;  // lower than any cap of these powers
    ExpectMonotone(fleet, &VectorFleet::max_power_w);
  });
}

TEST(Optimum, GrowsWithTheTimeLimit) {
  OnEverySection(
      500, [](const VectorFleet& fleet) { ExpectMonotone(fleet, &VectorFleet::time_limit_s); });
}

// Returns P_min(a) of (25) in long double.
long double LeastPower(const PlanningProblem& problem, std::size_t i, long double a) {
  const long double share = problem.time_rule == TimeRule::kDeadline ? 1 : a;
  const long double upload_s = problem.time_limit_s[i] / share - problem.compute_time_s[i];
  const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
  return upload_s > 0 ? g * std::expm1(problem.nat_time_s[i] / upload_s) : kInfinity;
}

// No power makes a probability that is larger by 1e-9 feasible. The test tries the least power that
// it needs, powers ever closer to the planned one, and powers all over the range.
TEST(Optimum, HasNoBetterNeighbour) {
  OnEverySection(300, [](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const long double a = plan.probability[i] * (1 + 1e-9L);
      if (a == 0) continue;
      // Computing always takes a part of the budget that does not depend on a; where it leaves next
      // to nothing, long double does not see the rest.
      if (problem.compute_rule == ComputeRule::kAlways &&
          problem.energy_budget_j[i] - problem.compute_energy_j[i] <
              1e-6 * problem.energy_budget_j[i]) {
        continue;
      }
      const long double power_w = plan.power_w[i];
      std::vector<long double> tried = {LeastPower(problem, i, a), power_w};
      for (long double step = 1e-15L; step < 1; step *= 10) tried.push_back(power_w * (1 + step));
      for (long double factor = 1e-6L; factor < 1e7L; factor *= 10)
        tried.push_back(power_w * factor);
      for (const long double other_w : tried) {
        ASSERT_GT(ViolationOf(problem, i, a, other_w), 0)
            << "device " << i << ", power " << other_w;
      }
    }
  });
}

// At the planned probability every lower power takes too long: the plan has the least energy.
TEST(Optimum, HasTheLeastPower) {
  OnEverySection(1000, [](const VectorFleet& fleet) {
    // Less power may cost more with circuit power: HasTheLeastEnergy tests that.
    if (fleet.section.circuit_power_w > 0) return;
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      if (plan.probability[i] == 0) {
        ASSERT_EQ(plan.power_w[i], 0) << i;
        continue;
      }
      // The power is lower by as much as makes the round longer by about 1e-9, at least by a tenth
      // of that; rounding is a thousandth.
      const double step = 1e-9 * PowerSensitivity(problem, plan, i);
      if (step > 0.1) continue;
      const long double lower_w = plan.power_w[i] * (1 - static_cast<long double>(step));
      ASSERT_GT(ViolationOf(problem, i, plan.probability[i], lower_w), 1e-10L) << i;
    }
  });
}

// No power that lets a device take part with its probability costs less energy.
TEST(Optimum, HasTheLeastEnergy) {
  std::size_t tried = 0, dearer = 0;
  OnEverySection(300, [&](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    const auto energy_j = [&](std::size_t i, long double power_w) {
      const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
      return (power_w / problem.amplifier_efficiency + problem.circuit_power_w) *
             problem.nat_time_s[i] / std::log1p(power_w / g);
    };
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      if (plan.probability[i] == 0) continue;
      // The device takes part a hair less often, so that rounding does not forbid the powers
      // nearby.
      const long double a = plan.probability[i] * (1 - static_cast<long double>(kAccuracy));
      const long double planned_j = energy_j(i, plan.power_w[i]);
      // The power may then be lower by as much, times its sensitivity, and has its own error.
      const long double slack = kAccuracy * (1 + 2 * PowerSensitivity(problem, plan, i));
      for (long double step = 1e-7L; step < 1e7L; step *= 10) {
        for (const long double power_w :
             {plan.power_w[i] * (1 + step), plan.power_w[i] / (1 + step)}) {
          if (ViolationOf(problem, i, a, power_w) > 0) continue;
          ASSERT_GE(energy_j(i, power_w), planned_j * (1 - slack))
              << "device " << i << ", power " << power_w;
          ++tried;
          dearer += energy_j(i, power_w) > planned_j * (1 + 1e-6L) ? 1 : 0;
        }
      }
    }
  });
  EXPECT_GT(tried, 10000u);
  EXPECT_GT(dearer, 5000u);
}

// The exact solver is tested against nothing but the problem itself: over a fine grid of powers,
// the largest probability that the constraints allow is never above the planned one, and comes
// close to it.
TEST(Optimum, OfCircuitPowerIsTheBestOfAGrid) {
  OnEverySection(60, [](const VectorFleet& fleet) {
    if (fleet.section.circuit_power_w == 0) return;
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    const bool always = problem.compute_rule == ComputeRule::kAlways;
    const bool deadline = problem.time_rule == TimeRule::kDeadline;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
      const long double compute_j = problem.compute_energy_j[i];
      const long double budget_j = problem.energy_budget_j[i] - (always ? compute_j : 0);
      const long double max_nats =
          std::min(std::log1p(problem.max_power_w[i] / g),
                   problem.spectral_efficiency_cap * std::numbers::ln2_v<long double>);
      long double best = 0;
      for (long double share = 1; share > 1e-25L; share *= 0.998L) {
        const long double nats = max_nats * share;
        const long double upload_s = problem.nat_time_s[i] / nats;
        const long double time_s = upload_s + problem.compute_time_s[i];
        if (deadline && time_s > problem.time_limit_s[i]) break;
        const long double drawn_w =
            g * std::expm1(nats) / problem.amplifier_efficiency + problem.circuit_power_w;
        const long double once_j = drawn_w * upload_s + (always ? 0 : compute_j);
        const long double timely = deadline ? 1 : problem.time_limit_s[i] / time_s;
        best = std::max(best, std::min({1.0L, timely, std::max(budget_j, 0.0L) / once_j}));
      }
      ASSERT_LE(best, plan.probability[i] * (1 + static_cast<long double>(kAccuracy))) << i;
      // The grid misses the best power by at most 0.2 %; the nats are at most some 80.
      ASSERT_GE(best, plan.probability[i] * 0.8L) << i;
    }
  });
}

}  // namespace
}  // namespace airlot
