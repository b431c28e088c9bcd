// The optimum, worked by hand and by its conditions, for every solver and option.
#include "planning/solvers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::OnEverySection;
using planning::RelativeError;
using planning::TwoBits;
using planning::VectorFleet;
using planning::ViolationOf;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Worked by hand ------------------------------------------------------------------------------
//
// All with g = 1 W and an update of L = 2·ln2 s, that is 2 bit per hertz. At P = 1 W the device
// sends log2(1 + 1/1) = 1 bit/s/Hz, so the upload takes T = 2 s and 2 J; at 3 W it sends 2 bit/s/Hz
// and takes 1 s and 3 J.

struct Answer {
  double probability, power_w, upload_s, energy_j;
  Limit limit;
};

void ExpectOptimum(const PlanningProblem& problem, const Answer& answer) {
  ASSERT_TRUE(Validate(problem).ok());
  for (const Solver solver : {Solver::kExact, Solver::kBisection}) {
    SCOPED_TRACE(SolverName(solver));
    const Plan plan = Solve(problem, {.solver = solver});
    EXPECT_LE(RelativeError(plan.probability[0], answer.probability), 1e-14);
    EXPECT_LE(RelativeError(plan.power_w[0], answer.power_w), 1e-14);
  }
  const Plan plan = Solve(problem);
  const Participation participation = Describe(problem, plan, 0);
  EXPECT_NEAR(participation.upload_s, answer.upload_s, 1e-14);
  EXPECT_NEAR(participation.energy_j, answer.energy_j, 1e-14);
  EXPECT_EQ(participation.limit, answer.limit) << LimitName(participation.limit);
}

TEST(WorkedByHand, Full) {
  // One second is just enough at 3 W, so the device can always take part. It must not send with
  // more than 3 W, although it may: that would cost more energy for the same a.
  PlanningProblem problem = TwoBits();
  ExpectOptimum(problem, {1, 3, 1, 3, Limit::kFull});
  // With two seconds 1 W is enough.
  problem.time_limit_s = 2.0;
  ExpectOptimum(problem, {1, 1, 2, 2, Limit::kFull});
}

TEST(WorkedByHand, Energy) {
  // Sending at 1 W every other round takes 2 s and 2 J each time: on average the limit of 1 s, and
  // 1 J. More often would need more power, so more than 1 J.
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kEnergy});
  // 2 J for computing each time: on average 1 J more.
  problem.compute_energy_j = 2.0;
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 1, 2, 4, Limit::kEnergy});
}

TEST(WorkedByHand, EnergyWhereComputingAloneCostsMoreThanTheBudget) {
  // 6 J for computing and 2 J for sending, every other round: 4 J on average, less than the 6.
  PlanningProblem problem = TwoBits();
  problem.compute_energy_j = 6.0;
  problem.energy_budget_j = 4.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
}

TEST(WorkedByHand, Power) {
  // At most 1 W: an upload takes 2 s, so the device takes part every other round.
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kPower});
  EXPECT_EQ(Solve(problem).power_w[0], 1);  // the cap itself, not a rounding of it
}

TEST(WorkedByHand, Rate) {
  // At most 1 bit/s/Hz: 2 s, and no sense in sending with more than the 1 W that gives it.
  PlanningProblem problem = TwoBits();
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kRate});
}

TEST(WorkedByHand, SnrGap) {
  // A gap of 2 doubles the power for the same rate.
  PlanningProblem problem = TwoBits();
  problem.snr_gap = 2;
  ExpectOptimum(problem, {1, 6, 1, 6, Limit::kFull});
  problem.max_power_w = 2.0;
  ExpectOptimum(problem, {0.5, 2, 2, 4, Limit::kPower});
}

TEST(WorkedByHand, NoBudget) {
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 0.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
  problem.compute_energy_j = 1.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
}

TEST(WorkedByHand, ComputationTime) {
  // 2 s of computing before 2 s of sending at 1 W, every other round: 2 s on average.
  PlanningProblem problem = TwoBits();
  problem.compute_time_s = 2.0;
  problem.time_limit_s = 2.0;
  problem.energy_budget_j = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  problem.max_power_w = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kPower});
  problem.max_power_w = 100.0;
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kRate});
  // 4 s hold both every time.
  problem.spectral_efficiency_cap = kInfinity;
  problem.time_limit_s = 4.0;
  ExpectOptimum(problem, {1, 1, 2, 2, Limit::kFull});
}

TEST(WorkedByHand, ComputeAlways) {
  // 6 of 7 J go into computing in every round; the one left is that of `Energy`.
  PlanningProblem problem = TwoBits();
  problem.compute_rule = ComputeRule::kAlways;
  problem.compute_energy_j = 6.0;
  problem.energy_budget_j = 7.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
  problem.energy_budget_j = 6.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
}

TEST(WorkedByHand, Deadline) {
  // Every upload must end within 2 s: at 1 W it just does, and costs 2 J.
  PlanningProblem problem = TwoBits();
  problem.time_rule = TimeRule::kDeadline;
  problem.time_limit_s = 2.0;
  ExpectOptimum(problem, {1, 1, 2, 2, Limit::kFull});
  problem.energy_budget_j = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kEnergy});
  problem.compute_energy_j = 2.0;
  ExpectOptimum(problem, {0.25, 1, 2, 4, Limit::kEnergy});
  problem.compute_time_s = 1.0;  // leaves 1 s: 3 W, 3 J
  ExpectOptimum(problem, {0.2, 3, 1, 5, Limit::kEnergy});
  problem.compute_time_s = 0.0;
  problem.max_power_w = 1.0;  // just enough, and must not fall short by rounding
  ExpectOptimum(problem, {0.25, 1, 2, 4, Limit::kEnergy});
  problem.max_power_w = 0.99;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kPower});
  problem.max_power_w = 100.0;
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.25, 1, 2, 4, Limit::kEnergy});
  problem.spectral_efficiency_cap = 0.99;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kRate});
  problem.spectral_efficiency_cap = kInfinity;
  problem.compute_time_s = 2.0;  // leaves no time to upload
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kTime});
  problem.compute_time_s = 0.0;
  problem.energy_budget_j = 0.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
}

TEST(WorkedByHand, Amplifier) {
  // It draws 2 W to radiate 1 W: 4 J in 2 s. A budget of 2 J pays every other round.
  PlanningProblem problem = TwoBits();
  problem.amplifier_efficiency = 0.5;
  ExpectOptimum(problem, {1, 3, 1, 6, Limit::kFull});
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 1, 2, 4, Limit::kEnergy});
  // 4 J more for computing are not the amplifier's.
  problem.compute_energy_j = 4.0;
  problem.energy_budget_j = 4.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
  problem.compute_rule = ComputeRule::kAlways;
  problem.energy_budget_j = 6.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
}

// With circuit power P^c an upload is cheapest where 1 + (u - 1)·e^u = P^c: at u = ln2, that is
// 1 W, for P^c = 2·ln2 - 1; at u = ln4, that is 3 W, for P^c = 8·ln2 - 3. It then takes L·e^u.
constexpr double kCheapestAtOneWatt = 2 * std::numbers::ln2 - 1;
constexpr double kCheapestAtThreeWatts = 8 * std::numbers::ln2 - 3;

TEST(WorkedByHand, CircuitPowerWhereTimeIsLeft) {
  // Four seconds would let it send at 0.41 W, but with the circuit on for so long 1 W costs less.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = kCheapestAtOneWatt;
  problem.time_limit_s = 4.0;
  const double cheapest_j = 4 * std::numbers::ln2;
  ExpectOptimum(problem, {1, 1, 2, cheapest_j, Limit::kFull});
  // Half of that energy pays every other round, and three of four seconds are left over.
  problem.energy_budget_j = cheapest_j / 2;
  ExpectOptimum(problem, {0.5, 1, 2, cheapest_j, Limit::kEnergy});
  // Less than the circuit would take if the radio were on for τ.
  problem.time_limit_s = 1e6;
  ExpectOptimum(problem, {0.5, 1, 2, cheapest_j, Limit::kEnergy});
  // The same efficiency for radiating and for the circuit changes nothing but the unit.
  problem.amplifier_efficiency = 0.25;
  problem.circuit_power_w *= 4;
  problem.energy_budget_j = 2 * cheapest_j;
  ExpectOptimum(problem, {0.5, 1, 2, 4 * cheapest_j, Limit::kEnergy});
}

TEST(WorkedByHand, CircuitPowerWhereTimeIsShort) {
  // 1 W for the circuit: at 3 W an upload takes 1 s and 4 J; cheapest is e - 1 W. The limit of
  // half a second allows every other round, for 2 J.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = 1;
  problem.time_limit_s = 0.5;
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 3, 1, 4, Limit::kEnergy});
  // With 3 J of computing each time 1.5 J more.
  problem.compute_energy_j = 3.0;
  problem.energy_budget_j = 3.5;
  ExpectOptimum(problem, {0.5, 3, 1, 7, Limit::kEnergy});
  problem.time_limit_s = 1.0;
  problem.energy_budget_j = 100.0;
  ExpectOptimum(problem, {1, 3, 1, 7, Limit::kFull});
}

TEST(WorkedByHand, CircuitPowerBeyondTheCaps) {
  // 3 W would be cheapest, but there is 1 W: the device sends with all it has, although the time
  // would allow less, and the budget pays every other round.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = kCheapestAtThreeWatts;
  problem.time_limit_s = 10.0;
  const double once_j = (1 + kCheapestAtThreeWatts) * 2;
  problem.energy_budget_j = once_j / 2;
  problem.max_power_w = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, once_j, Limit::kPower});
  EXPECT_EQ(Solve(problem).power_w[0], 1);
  problem.max_power_w = 100.0;
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.5, 1, 2, once_j, Limit::kRate});
  problem.energy_budget_j = 100.0;
  ExpectOptimum(problem, {1, 1, 2, once_j, Limit::kFull});
  // Time binds first.
  problem.time_limit_s = 0.5;
  ExpectOptimum(problem, {0.25, 1, 2, once_j, Limit::kRate});
}

TEST(WorkedByHand, CircuitPowerWithComputationTime) {
  // 9 s of computing and 1 s of sending at 3 W, which takes 4 J, every other round: 5 s and 2 J on
  // average. The circuit alone would take 5 J in τ; but the radio is on for 1 s of the 10.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = 1;
  problem.compute_time_s = 9.0;
  problem.time_limit_s = 5.0;
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 3, 1, 4, Limit::kEnergy});
}

TEST(WorkedByHand, CircuitPowerWithADeadline) {
  PlanningProblem problem = TwoBits();
  problem.time_rule = TimeRule::kDeadline;
  problem.circuit_power_w = kCheapestAtOneWatt;
  problem.time_limit_s = 4.0;  // 1 W and 2 s are cheaper than just to meet it
  const double cheapest_j = 4 * std::numbers::ln2;
  ExpectOptimum(problem, {1, 1, 2, cheapest_j, Limit::kFull});
  problem.energy_budget_j = cheapest_j / 4;
  ExpectOptimum(problem, {0.25, 1, 2, cheapest_j, Limit::kEnergy});
  problem.time_limit_s = 1.0;  // needs 3 W
  const double once_j = 3 + kCheapestAtOneWatt;
  problem.energy_budget_j = once_j / 4;
  ExpectOptimum(problem, {0.25, 3, 1, once_j, Limit::kEnergy});
  // 3 W would be cheapest; there is 1 W, which meets the deadline: more would help.
  problem.circuit_power_w = kCheapestAtThreeWatts;
  problem.time_limit_s = 4.0;
  problem.max_power_w = 1.0;
  problem.energy_budget_j = 1 + kCheapestAtThreeWatts;
  ExpectOptimum(problem, {0.5, 1, 2, 2 * (1 + kCheapestAtThreeWatts), Limit::kPower});
  problem.time_limit_s = 1.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kPower});
}

// h(u) = Σ (k-1)·u^k/k! on both sides of where its two formulas meet.
TEST(EnergySlope, IsExactForEveryNats) {
  for (double u = 1e-60; u < 200; u *= 1.37) {
    long double sum = 0, term = static_cast<long double>(u) * u / 2;
    for (int k = 2; k < 2000 && (k < u || term > 0); ++k) {
      sum += (k - 1) * term;
      term *= static_cast<long double>(u) / (k + 1);
    }
    EXPECT_LE(RelativeError(planning::EnergySlope(u), static_cast<double>(sum)),
              1e-15 * std::max(4.0, u))
        << u;
  }
}

// --- Properties over random fleets, under every option -------------------------------------------

// By how much a relative change of the probability changes the power that it needs, (25): the
// exponent u = L/T, and T is what the computation leaves of τ/a.
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
      ASSERT_LE(RelativeError(bisected.probability[i], exact.probability[i]), 1e-11) << i;
      if (exact.probability[i] == 0) {
        ASSERT_EQ(bisected.power_w[i], 0) << i;
        continue;
      }
      // Bisection knows the power only through the last digits of the probability.
      const double allowed = std::max(1e-11, 0x1p-50 * PowerSensitivity(problem, exact, i));
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
      ASSERT_GE(after.probability[i], before.probability[i] * (1 - 1e-14)) << i << " " << factor;
      raised += after.probability[i] > before.probability[i] * (1 + 1e-12) ? 1 : 0;
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

// P_min(a) of (25) in long double.
long double LeastPower(const PlanningProblem& problem, std::size_t i, long double a) {
  const long double share = problem.time_rule == TimeRule::kDeadline ? 1 : a;
  const long double upload_s = problem.time_limit_s[i] / share - problem.compute_time_s[i];
  const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
  return upload_s > 0 ? g * std::expm1(problem.nat_time_s[i] / upload_s) : kInfinity;
}

// No power makes a probability that is larger by 1e-9 feasible. Tried: the least power that it
// needs, powers ever closer to the planned one, and powers all over the range.
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
    if (fleet.section.circuit_power_w > 0) return;  // less power may cost more: the next test
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      if (plan.probability[i] == 0) {
        ASSERT_EQ(plan.power_w[i], 0) << i;
        continue;
      }
      // Lower by as much as makes the round longer by about 1e-9.
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
      // A hair less often, so that rounding does not forbid the powers nearby.
      const long double a = plan.probability[i] * (1 - 1e-12L);
      const long double planned_j = energy_j(i, plan.power_w[i]);
      const long double slack = 1e-11L + 2e-12L * PowerSensitivity(problem, plan, i);
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

// The exact solver against nothing but the problem itself: over a fine grid of powers, the largest
// probability that the constraints allow is never above the planned one, and comes close to it.
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
      ASSERT_LE(best, plan.probability[i] * (1 + 1e-12L)) << i;
      // The grid misses the best power by at most 0.2 %; the nats are at most some 80.
      ASSERT_GE(best, plan.probability[i] * 0.8L) << i;
    }
  });
}

// --- The paper's algorithms ----------------------------------------------------------------------

// With thresholds so small that they stop only where nothing changes any more.
constexpr PlanningOptions kAlternatingToTheEnd{
    .solver = Solver::kAlternating, .outer_tolerance = 1e-15, .inner_tolerance_j = 1e-300};

// The sections that the paper's algorithms can solve.
void OnEveryPapersSection(std::size_t most, const std::function<void(const VectorFleet&)>& test) {
  OnEverySection(most, [&](const VectorFleet& fleet) {
    if (Validate(fleet.Problem(), kAlternatingToTheEnd).ok()) test(fleet);
  });
}

// The best probability at the largest power, Algorithm 2's start.
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
      ASSERT_LE(RelativeError(plan.probability[i], start), 1e-12) << i;
      ASSERT_LE(RelativeError(plan.power_w[i], least_w), 1e-12) << i;
    }
  });
}

TEST(Alternating, NeverRaisesTheProbability) {
  OnEveryPapersSection(500, [](const VectorFleet& fleet) {
    for (const double start : {0.75, 0.25, 1e-6}) {
      PlanningOptions options = kAlternatingToTheEnd;
      options.start_probability = start;
      const Plan plan = Solve(fleet.Problem(), options);
      for (const double a : plan.probability) ASSERT_LE(a, start * (1 + 1e-12));
    }
  });
}

// It is optimal for power-limited devices, and for full ones that can pay for an upload at P^max in
// every round. The others end short.
TEST(Alternating, IsOptimalOnlyWhereEnergyDoesNotBind) {
  std::size_t optimal = 0, energy_limited = 0, short_of_it = 0;
  OnEveryPapersSection(1000, [&](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan exact = Solve(problem);
    const Plan plan = Solve(problem, kAlternatingToTheEnd);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const double a = plan.probability[i], best = exact.probability[i];
      ASSERT_LE(a, best * (1 + 1e-12)) << i;
      const Limit limit = Describe(problem, exact, i).limit;
      if (limit == Limit::kPower || (limit == Limit::kFull && a == 1)) {
        ASSERT_LE(RelativeError(a, best), 1e-12) << i;
        ASSERT_LE(RelativeError(plan.power_w[i], exact.power_w[i]), 1e-12) << i;
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
  EXPECT_NEAR(plan.probability[0], 1.0 / 3, 1e-14);
  EXPECT_NEAR(plan.power_w[0], std::cbrt(4.0) - 1, 1e-14);
}

// Algorithm 1 as printed, in units of the noise: from x = P^max/g, x -> x/ln(1 + x) - 1, until the
// energy a·g·L·x/ln(1 + x) changes by less than ε.
double PrintedAlgorithm1(double x, double energy_unit_j, double tolerance_j) {
  for (;;) {
    const double ratio = x / std::log1p(x);
    x = ratio - 1;
    if (energy_unit_j * std::abs(x / std::log1p(x) - ratio) < tolerance_j) return x;
  }
}

TEST(Literal, RunsTheIterationAsPrinted) {
  // a⁰ = 1 at P⁰ = 3 W. One pass of Algorithm 2: its own threshold is never exceeded.
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 3.0;
  for (const double tolerance_j : {1e-2, 1e-4, 1e-6}) {
    const Plan plan =
        Solve(problem,
              {.solver = Solver::kLiteral, .outer_tolerance = 2, .inner_tolerance_j = tolerance_j});
    const double x = PrintedAlgorithm1(3, 2 * std::numbers::ln2, tolerance_j);
    EXPECT_NEAR(plan.power_w[0], x, 1e-12 * x + 1e-15) << tolerance_j;
    EXPECT_NEAR(plan.probability[0], std::log1p(x) / (2 * std::numbers::ln2), 1e-12 * x + 1e-15);
  }
}

TEST(Literal, FallsToNothingAndIsSetByItsThreshold) {
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 3.0;
  // Near 0 the power halves with each step, so a threshold 1024 times smaller takes ten steps more.
  const auto one_pass = [&](double tolerance_j) {
    return Solve(
        problem,
        {.solver = Solver::kLiteral, .outer_tolerance = 2, .inner_tolerance_j = tolerance_j});
  };
  const Plan coarse = one_pass(1e-5), fine = one_pass(1e-5 / 1024);
  EXPECT_NEAR(fine.power_w[0] * 1024, coarse.power_w[0], 1e-3 * coarse.power_w[0]);
  EXPECT_NEAR(fine.probability[0] * 1024, coarse.probability[0], 1e-3 * coarse.probability[0]);
  // The optimum is to take part in every round at 3 W; run to its end, the paper's algorithm plans
  // next to nothing.
  EXPECT_EQ(Solve(problem).probability[0], 1);
  const Plan literal = Solve(problem, {.solver = Solver::kLiteral});
  EXPECT_GT(literal.probability[0], 0);
  EXPECT_LT(literal.probability[0], 1e-8);
  EXPECT_LT(literal.power_w[0], 1e-8);
}

// Run until the power is 0 but for rounding, it may come out below 0. That means that the device
// does not take part, and its plan then has no power.
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

// --- Names and bad input -------------------------------------------------------------------------

TEST(Names, RoundTrip) {
  for (const Solver solver :
       {Solver::kExact, Solver::kBisection, Solver::kAlternating, Solver::kLiteral}) {
    EXPECT_EQ(SolverByName(SolverName(solver)), solver);
  }
  EXPECT_EQ(SolverName(Solver::kExact), "exact");
  EXPECT_EQ(SolverName(Solver::kBisection), "bisection");
  EXPECT_EQ(SolverName(Solver::kAlternating), "alternating");
  EXPECT_EQ(SolverName(Solver::kLiteral), "literal");
  EXPECT_EQ(SolverByName("Exact"), std::nullopt);
  EXPECT_EQ(SolverByName(""), std::nullopt);
  EXPECT_EQ(LimitName(Limit::kFull), "full");
  EXPECT_EQ(LimitName(Limit::kEnergy), "energy");
  EXPECT_EQ(LimitName(Limit::kPower), "power");
  EXPECT_EQ(LimitName(Limit::kRate), "rate");
}

std::string MessageOf(const Status& status) { return status.ok() ? "" : status.error().message; }

TEST(Validate, AcceptsTheWholeDomain) {
  PlanningProblem problem = TwoBits();
  EXPECT_EQ(MessageOf(Validate(problem)), "");
  problem.noise_to_gain_w = kSmallestInput;
  problem.max_power_w = kLargestInput;
  problem.energy_budget_j = 0.0;
  problem.compute_time_s = kLargestInput;
  problem.snr_gap = 1e10;
  problem.spectral_efficiency_cap = kSmallestInput;
  EXPECT_EQ(MessageOf(Validate(problem)), "");
}

TEST(Validate, NamesColumnDeviceValueAndBound) {
  const struct {
    std::string_view name;
    ColumnView PlanningProblem::*column;
    bool may_be_zero;
  } columns[] = {
      {"noise_to_gain_w", &PlanningProblem::noise_to_gain_w, false},
      {"nat_time_s", &PlanningProblem::nat_time_s, false},
      {"max_power_w", &PlanningProblem::max_power_w, false},
      {"energy_budget_j", &PlanningProblem::energy_budget_j, true},
      {"compute_energy_j", &PlanningProblem::compute_energy_j, true},
      {"time_limit_s", &PlanningProblem::time_limit_s, false},
      {"compute_time_s", &PlanningProblem::compute_time_s, true},
  };
  const std::pair<double, std::string_view> values[] = {
      {std::nan(""), "nan"}, {kInfinity, "inf"},  {-kInfinity, "-inf"}, {-3, "-3"}, {0, "0"},
      {9e-41, "9e-41"},      {1.5e40, "1.5e+40"}, {5e-324, "5e-324"},
  };
  for (const auto& [name, column, may_be_zero] : columns) {
    for (const auto& [value, text] : values) {
      const bool is_no_band = name == "nat_time_s" && value == kInfinity;
      const bool is_fine = (may_be_zero && value == 0) || is_no_band;
      const std::string rest = std::string(name) + " = " + std::string(text) + ": must be " +
                               (may_be_zero ? "0 or " : "") + "1e-40 to 1e+40";
      PlanningProblem problem = TwoBits();
      problem.devices = 3;
      const ColumnValues third = {1, 1, value};
      problem.*column = third;
      EXPECT_EQ(MessageOf(Validate(problem)), is_fine ? "" : "device 3: " + rest);
      problem.*column = value;
      EXPECT_EQ(MessageOf(Validate(problem)), is_fine ? "" : "device 1: " + rest);
    }
    PlanningProblem problem = TwoBits();
    problem.devices = 3;
    const ColumnValues four(4, 1.0);
    problem.*column = four;
    EXPECT_EQ(MessageOf(Validate(problem)), std::string(name) + ": 4 values for 3 devices");
  }
}

TEST(Validate, NamesOptionsAndBounds) {
  PlanningProblem problem = TwoBits();
  problem.devices = 0;
  EXPECT_EQ(MessageOf(Validate(problem)), "a fleet needs at least one device");
  problem = TwoBits();
  problem.snr_gap = 0.5;
  EXPECT_EQ(MessageOf(Validate(problem)), "snr_gap = 0.5: must be 1 to 1e10");
  problem.snr_gap = std::nan("");
  EXPECT_EQ(MessageOf(Validate(problem)), "snr_gap = nan: must be 1 to 1e10");
  problem.snr_gap = kInfinity;
  EXPECT_EQ(MessageOf(Validate(problem)), "snr_gap = inf: must be 1 to 1e10");
  problem = TwoBits();
  problem.spectral_efficiency_cap = 0;
  EXPECT_EQ(MessageOf(Validate(problem)), "spectral_efficiency_cap = 0: must be at least 1e-40");
  problem.spectral_efficiency_cap = -2;
  EXPECT_EQ(MessageOf(Validate(problem)), "spectral_efficiency_cap = -2: must be at least 1e-40");
  problem.spectral_efficiency_cap = std::nan("");
  EXPECT_EQ(MessageOf(Validate(problem)), "spectral_efficiency_cap = nan: must be at least 1e-40");
}

TEST(Validate, NamesTheEnergyTermsAndTheirBounds) {
  PlanningProblem problem = TwoBits();
  for (const auto& [value, text] :
       {std::pair(0.0, "0"), std::pair(-0.5, "-0.5"), std::pair(1.5, "1.5"),
        std::pair(kInfinity, "inf"), std::pair(std::nan(""), "nan")}) {
    problem.amplifier_efficiency = value;
    EXPECT_EQ(MessageOf(Validate(problem)),
              "amplifier_efficiency = " + std::string(text) + ": must be 1e-10 to 1");
  }
  problem = TwoBits();
  for (const auto& [value, text] : {std::pair(-0.5, "-0.5"), std::pair(1e-41, "1e-41"),
                                    std::pair(kInfinity, "inf"), std::pair(std::nan(""), "nan")}) {
    problem.circuit_power_w = value;
    EXPECT_EQ(MessageOf(Validate(problem)),
              "circuit_power_w = " + std::string(text) + ": must be 0 or 1e-40 to 1e+40");
  }
  problem.circuit_power_w = 0;
  EXPECT_EQ(MessageOf(Validate(problem)), "");
  for (const auto& [solver, name] :
       {std::pair(Solver::kAlternating, "alternating"), std::pair(Solver::kLiteral, "literal")}) {
    const std::string message = "solver " + std::string(name) +
                                ": the paper's algorithms know neither an amplifier's efficiency "
                                "nor circuit power; use exact or bisection";
    problem = TwoBits();
    problem.amplifier_efficiency = 0.5;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    problem = TwoBits();
    problem.circuit_power_w = 0.5;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = Solver::kBisection})), "");
  }
}

TEST(Validate, KnowsWhatASolverCannotSolve) {
  for (const auto& [solver, name] :
       {std::pair(Solver::kAlternating, "alternating"), std::pair(Solver::kLiteral, "literal")}) {
    const std::string message =
        "solver " + std::string(name) +
        ": the paper's algorithms know neither a deadline nor computation time in the limit; use "
        "exact or bisection";
    PlanningProblem problem = TwoBits();
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), "");
    problem.time_rule = TimeRule::kDeadline;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    problem.time_rule = TimeRule::kExpected;
    problem.compute_time_s = 1.0;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    problem.time_rule = TimeRule::kDeadline;
    for (const Solver other : {Solver::kExact, Solver::kBisection}) {
      EXPECT_EQ(MessageOf(Validate(problem, {.solver = other})), "");
    }
  }
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.threads = 0})), "threads = 0: must be >= 1");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.start_probability = 0})),
            "start_probability = 0: must be > 0 and <= 1");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.start_probability = std::nan("")})),
            "start_probability = nan: must be > 0 and <= 1");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.outer_tolerance = 0})),
            "outer_tolerance = 0: must be > 0");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.inner_tolerance_j = -1})),
            "inner_tolerance_j = -1: must be > 0");
}

}  // namespace
}  // namespace airlot
