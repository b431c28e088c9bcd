// These tests compare the closed form and the plain solver with 50 digits, on every SIMD target.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "planning/closed_form_for_tests.h"

namespace airlot {
namespace {

using base::OnEveryTarget;
using planning::AllowedPowerError;
using planning::kAccuracy;
using planning::Largest;
using planning::LargestError;
using planning::LargestViolation;
using planning::MakeVectorFleet;
using planning::RelativeError;
using planning::SolvePlainly;
using planning::VectorFleet;
using planning::Vectors;

// Compares `plan` with 50 digits.
void ExpectAccurate(const Vectors& vectors, const Plan& plan) {
  const auto& [fleet, expected] = vectors;
  const PlanningProblem problem = fleet.Problem();
  Largest power;  // in units of what is allowed
  std::size_t excused = 0;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    ASSERT_TRUE(std::isfinite(plan.probability[i]) && std::isfinite(plan.power_w[i])) << i;
    const double allowed = AllowedPowerError(problem, expected, i);
    power.Raise(RelativeError(plan.power_w[i], expected.power_w[i]) / allowed, i);
    excused += allowed > kAccuracy ? 1 : 0;
  }
  const Largest probability = LargestError(plan.probability, expected.probability);
  const Largest violation = LargestViolation(problem, plan);
  EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
  EXPECT_LE(power.error, 1) << "device " << power.device;
  EXPECT_LE(violation.error, kAccuracy) << "device " << violation.device;
  EXPECT_LE(excused, problem.devices / 100);
}

// The amplifier's efficiency scales the budget, (E2), so the kernel has all of its digits; but the
// circuit's power takes the plain solver.
TEST(ClosedForm, MeetsFiftyDigitsOnEveryTarget) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty()) << "tests/data/planning_vectors.bin: missing, or of other inputs";
  OnEveryTarget([&] {
    for (const Vectors& vectors : all) {
      SCOPED_TRACE(vectors.fleet.section.name);
      ExpectAccurate(vectors, Solve(vectors.fleet.Problem()));
    }
  });
}

TEST(ClosedForm, PlainSolverMeetsFiftyDigitsToo) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  for (const Vectors& vectors : all) {
    SCOPED_TRACE(vectors.fleet.section.name);
    ExpectAccurate(vectors, SolvePlainly(vectors.fleet.Problem()));
  }
}

// RoundingErrors are what rounding may make of the plan of a device that sends u nats/s/Hz.
struct RoundingErrors {
  double probability, power;
};

// These are (22) and (23).
RoundingErrors KernelErrors(double u) {
  const double probability = 32 * 0x1p-53 + (u < 0.25 ? 0 : 2e-16 / u);
  return {probability, (1 + u) * probability + 10 * 0x1p-53};
}

// These are derived in docs/energy.md ("Rounding").
RoundingErrors CircuitErrors(double u) {
  return {0x1p-53 * (3 * u + 20), 0x1p-53 * ((1 + u) * (3 * u + 17) + 5)};
}

// Expects that no plan without computation time has larger errors than are stated, and that the
// largest are more than `least` of it.
void ExpectStatedErrors(const std::vector<Vectors>& all, bool has_circuit_power,
                        RoundingErrors (*stated)(double u), double least) {
  Largest probability, power;  // in units of what is stated
  for (const auto& [fleet, expected] : all) {
    const bool has_circuit = fleet.section.circuit_power_w > 0;
    if (fleet.section.has_compute_time() || has_circuit != has_circuit_power) continue;
    SCOPED_TRACE(fleet.section.name);
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const double noise_w = problem.noise_to_gain_w[i] * problem.snr_gap;
      const RoundingErrors most = stated(std::log1p(expected.power_w[i] / noise_w));
      probability.Raise(
          RelativeError(plan.probability[i], expected.probability[i]) / most.probability, i);
      power.Raise(RelativeError(plan.power_w[i], expected.power_w[i]) / most.power, i);
    }
    EXPECT_LE(probability.error, 1) << "device " << probability.device;
    EXPECT_LE(power.error, 1) << "device " << power.device;
  }
  EXPECT_GT(probability.error, least) << "the stated error could be smaller";
  EXPECT_GT(power.error, least) << "the stated error could be smaller";
}

// The promise is 1e-12; the kernel does far better. A lost digit should show before the promise is
// broken. Circuit power takes the plain solver, which has errors of its own.
TEST(ClosedForm, KeepsItsDigits) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  OnEveryTarget([&] { ExpectStatedErrors(all, /*has_circuit_power=*/false, KernelErrors, 0.1); });
}

// The largest errors are far smaller than what is stated, as roundings hardly ever add up to their
// bound.
TEST(ClosedForm, PlainSolverKeepsItsDigitsWithCircuitPower) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  ExpectStatedErrors(all, /*has_circuit_power=*/true, CircuitErrors, 0.05);
}

// At the power limit the power is the cap itself, not a rounding of it.
TEST(ClosedForm, PowerLimitIsTheCapItself) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  OnEveryTarget([&] {
    std::size_t at_cap = 0;
    for (const std::size_t number : {0, 1, 3}) {  // without the section of ties
      const auto& [fleet, expected] = all[number];
      const Plan plan = Solve(fleet.Problem());
      for (std::size_t i = 0; i < fleet.size(); ++i) {
        if (expected.power_w[i] != fleet.max_power_w[i]) continue;
        ASSERT_EQ(plan.power_w[i], fleet.max_power_w[i]) << fleet.section.name << ", device " << i;
        ++at_cap;
      }
    }
    EXPECT_GT(at_cap, 10000u);
  });
}

// The vectors would prove little if one limit bound almost everywhere.
TEST(ClosedForm, VectorsCoverEveryLimitAndExtreme) {
  const auto count = [](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    return Expect(problem, Solve(problem));
  };
  for (const std::size_t number : {0, 1, 2, 3, 4, 5}) {
    const VectorFleet fleet = MakeVectorFleet(number);
    const Expectations limits = count(fleet);
    EXPECT_GT(limits.limited_by(Limit::kFull), fleet.size() / 20) << fleet.section.name;
    EXPECT_GT(limits.limited_by(Limit::kEnergy), fleet.size() / 20) << fleet.section.name;
    EXPECT_GT(limits.limited_by(Limit::kPower), fleet.size() / 20) << fleet.section.name;
  }
  for (const std::size_t number : {9, 10, 11, 12, 13, 17}) {
    const VectorFleet fleet = MakeVectorFleet(number);
    EXPECT_GT(count(fleet).limited_by(Limit::kRate), fleet.size() / 20) << fleet.section.name;
  }
  const auto extremes = [](const ColumnValues& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return std::pair(*low, *high);
  };
  const VectorFleet wide = MakeVectorFleet(0);
  EXPECT_EQ(extremes(wide.noise_to_gain_w), std::pair(1e-30, 1e6));
  EXPECT_EQ(extremes(wide.max_power_w), std::pair(1e-12, 1e6));
  EXPECT_EQ(extremes(wide.energy_budget_j), std::pair(0.0, 1e9));
  EXPECT_EQ(extremes(wide.compute_energy_j), std::pair(0.0, 1e9));
  ColumnValues ratio(wide.size());
  for (std::size_t i = 0; i < ratio.size(); ++i)
    ratio[i] = wide.nat_time_s[i] / wide.time_limit_s[i];
  EXPECT_DOUBLE_EQ(extremes(ratio).first, 1e-6);
  EXPECT_DOUBLE_EQ(extremes(ratio).second, 1e6);
  // With circuit power there are the crossing, the cheapest upload below it, and full devices that
  // send sooner than they must.
  const VectorFleet circuit = MakeVectorFleet(21);
  const PlanningProblem with_circuit = circuit.Problem();
  ASSERT_GT(with_circuit.circuit_power_w, 0);
  const Plan circuit_plan = Solve(with_circuit);
  std::size_t crossing = 0, cheapest = 0, full_sooner = 0;
  for (std::size_t i = 0; i < circuit.size(); ++i) {
    const Participation participation = Describe(with_circuit, circuit_plan, i);
    const bool is_tight =
        circuit_plan.probability[i] * participation.upload_s > circuit.time_limit_s[i] * (1 - 1e-9);
    crossing += participation.limit == Limit::kEnergy && is_tight ? 1 : 0;
    const bool is_off_caps = !planning::IsAtCap(with_circuit, circuit_plan, i);
    cheapest += participation.limit == Limit::kEnergy && !is_tight && is_off_caps ? 1 : 0;
    full_sooner += participation.limit == Limit::kFull && !is_tight ? 1 : 0;
  }
  EXPECT_GT(crossing, circuit.size() / 20);
  EXPECT_GT(cheapest, circuit.size() / 20);
  EXPECT_GT(full_sooner, circuit.size() / 20);
  // Both signs of the coefficient of (11) occur among devices at their energy limit.
  const VectorFleet fleet = MakeVectorFleet(3);
  const PlanningProblem problem = fleet.Problem();
  const Plan plan = Solve(problem);
  int positive = 0, negative = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    if (Describe(problem, plan, i).limit != Limit::kEnergy || plan.probability[i] == 0) continue;
    const double c = fleet.time_limit_s[i] * fleet.compute_energy_j[i] -
                     fleet.energy_budget_j[i] * fleet.compute_time_s[i];
    ++(c < 0 ? negative : positive);
  }
  EXPECT_GT(positive, 100);
  EXPECT_GT(negative, 100);
}

}  // namespace
}  // namespace airlot
