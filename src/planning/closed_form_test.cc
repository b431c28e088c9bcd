// The vectorised closed form: against 50 digits, on every SIMD target, at every place of a fleet.
#include "planning/closed_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "base/shards.h"
#include "planning/planning_vectors.h"
#include "planning/solvers.h"

namespace airlot {
namespace {

using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::RelativeError;
using planning::VectorFleet;
using planning::Vectors;
using planning::ViolationOf;

// What the planner promises of probabilities, powers and constraints, relative.
constexpr double kAccuracy = 1e-12;

// Runs `test` on every target that this machine has, and puts the best one back.
void OnEveryTarget(const std::function<void()>& test) {
  for (const std::string_view target : SimdTargets()) {
    SCOPED_TRACE(target);
    EXPECT_TRUE(ForceSimdTarget(target));
    EXPECT_EQ(SimdTarget(), target);
    test();
  }
  ForceSimdTarget("");
}

// Runs `test` on the first devices of every section of the vectors.
void OnEverySection(std::size_t most, const std::function<void(const VectorFleet&)>& test) {
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    SCOPED_TRACE(kVectorSections[number].name);
    test(MakeVectorFleet(number, most));
  }
}

bool SameBytes(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// The largest error seen, and where.
struct Largest {
  double error = 0;
  std::size_t device = 0;

  void Raise(double value, std::size_t i) {
    if (value > error) *this = {value, i};
  }
};

// By how much a rounding error of the inputs comes back in the power of an energy-limited device.
// Its u solves (11). A relative change ε of the terms of (11) moves u by at most ε·Σ|terms|/f'(u),
// and P = g·expm1(u) by e^u/expm1(u) times that. Without computation time the factor is at most
// about 2·max(1, u), harmless. With it, terms cancel where T^c is much longer than the upload: what
// the time limit leaves for the upload is then known only to so many roundings of T^c.
double PowerCondition(const PlanningProblem& problem, std::size_t i, double power_w) {
  const bool always = problem.compute_rule == ComputeRule::kAlways;
  const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
  const long double l = problem.nat_time_s[i];
  const long double compute_j = problem.compute_energy_j[i];
  const long double budget_j = problem.energy_budget_j[i] - (always ? compute_j : 0);
  const long double u = std::log1p(power_w / g);
  const long double e = std::expm1(u);
  const long double b = budget_j / (problem.time_limit_s[i] * g);  // (16)
  const long double c_energy = (always ? 0 : compute_j) / (l * g);
  const long double c_time = b * problem.compute_time_s[i] / l;
  const long double terms = e + c_energy * u + c_time * u + b;
  return static_cast<double>(terms / (e + 1 + c_energy - c_time) * (e + 1) / e);
}

// The error that a power may have: 1e-12, or, where that is more, what four roundings of the terms of
// (11) make of it (a condition above 2250).
double AllowedPowerError(const PlanningProblem& problem, std::size_t i, double power_w) {
  if (problem.compute_time_s[i] == 0 || problem.time_rule == TimeRule::kDeadline) return kAccuracy;
  if (power_w == 0) return kAccuracy;
  return std::max(kAccuracy, 4 * 0x1p-53 * PowerCondition(problem, i, power_w));
}

TEST(ClosedForm, MeetsFiftyDigitsOnEveryTarget) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty()) << "tests/data/planning_vectors.bin: missing, or of other inputs";
  OnEveryTarget([&] {
    for (const auto& [fleet, expected] : all) {
      SCOPED_TRACE(fleet.section.name);
      const PlanningProblem problem = fleet.Problem();
      const Plan plan = Solve(problem);
      Largest probability, power, violation;  // the power in units of what is allowed
      std::size_t excused = 0;
      for (std::size_t i = 0; i < problem.devices; ++i) {
        ASSERT_TRUE(std::isfinite(plan.probability[i]) && std::isfinite(plan.power_w[i])) << i;
        probability.Raise(RelativeError(plan.probability[i], expected.probability[i]), i);
        const double allowed = AllowedPowerError(problem, i, expected.power_w[i]);
        power.Raise(RelativeError(plan.power_w[i], expected.power_w[i]) / allowed, i);
        excused += allowed > kAccuracy ? 1 : 0;
        violation.Raise(static_cast<double>(
                            ViolationOf(problem, i, plan.probability[i], plan.power_w[i])),
                        i);
      }
      EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
      EXPECT_LE(power.error, 1) << "device " << power.device;
      EXPECT_LE(violation.error, kAccuracy) << "device " << violation.device;
      printf("XX %zu %zu %g\n", excused, problem.devices, power.error);
    }
  });
}

TEST(ClosedForm, PlainSolverMeetsFiftyDigitsToo) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  for (const auto& [fleet, expected] : all) {
    SCOPED_TRACE(fleet.section.name);
    const PlanningProblem problem = fleet.Problem();
    Largest probability, power;
    for (std::size_t i = 0; i < problem.devices; ++i) {
      const planning::DevicePlan plan = planning::SolveScalar(planning::DeviceAt(problem, i));
      probability.Raise(RelativeError(plan.probability, expected.probability[i]), i);
      power.Raise(RelativeError(plan.power_w, expected.power_w[i]) /
                      AllowedPowerError(problem, i, expected.power_w[i]),
                  i);
    }
    EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
    EXPECT_LE(power.error, 1) << "device " << power.device;
  }
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
    EXPECT_GT(limits.full, fleet.size() / 20) << fleet.section.name;
    EXPECT_GT(limits.energy, fleet.size() / 20) << fleet.section.name;
    EXPECT_GT(limits.power, fleet.size() / 20) << fleet.section.name;
  }
  for (const std::size_t number : {9, 10, 11, 12, 13, 17}) {
    const VectorFleet fleet = MakeVectorFleet(number);
    EXPECT_GT(count(fleet).rate, fleet.size() / 20) << fleet.section.name;
  }
  const auto extremes = [](const Values& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return std::pair(*low, *high);
  };
  const VectorFleet wide = MakeVectorFleet(0);
  EXPECT_EQ(extremes(wide.noise_to_gain_w), std::pair(1e-30, 1e6));
  EXPECT_EQ(extremes(wide.max_power_w), std::pair(1e-12, 1e6));
  EXPECT_EQ(extremes(wide.energy_budget_j), std::pair(0.0, 1e9));
  EXPECT_EQ(extremes(wide.compute_energy_j), std::pair(0.0, 1e9));
  Values ratio(wide.size());
  for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] = wide.nat_time_s[i] / wide.time_limit_s[i];
  EXPECT_NEAR(extremes(ratio).first, 1e-6, 1e-15);
  EXPECT_NEAR(extremes(ratio).second, 1e6, 1e-3);
  // Both signs of the coefficient of (11), among devices at their energy limit.
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

// Every corner of the domain that `Validate` admits, under every option: finite, feasible, and the
// probability of the bisection, which shares no formula with the closed form.
TEST(ClosedForm, HoldsAtTheCornersOfTheDomain) {
  VectorFleet fleet;
  const double positive[] = {kSmallestInput, 1, kLargestInput};
  const double any[] = {0, kSmallestInput, 1, kLargestInput};
  for (const double g : positive) {
    for (const double l : positive) {
      for (const double max_power : positive) {
        for (const double limit : positive) {
          for (const double budget : any) {
            for (const double compute : any) {
              for (const double time : any) {
                fleet.Add({g, l, max_power, budget, compute, limit, time});
              }
            }
          }
        }
      }
    }
  }
  PlanningProblem problem = fleet.Problem();
  problem.compute_time_s = fleet.compute_time_s;
  const auto check = [&] {
    ASSERT_EQ(Validate(problem), std::nullopt);
    const Plan plan = Solve(problem);
    const Plan bisected = Solve(problem, {.solver = Solver::kBisection});
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const double a = plan.probability[i], power_w = plan.power_w[i];
      ASSERT_TRUE(std::isfinite(a) && std::isfinite(power_w)) << "device " << i;
      ASSERT_LE(ViolationOf(problem, i, a, power_w), kAccuracy) << "device " << i;
      ASSERT_LE(RelativeError(a, bisected.probability[i]), 1e-11)
          << "device " << i << " of " << bisected.probability[i];
    }
  };
  for (const TimeRule time_rule : {TimeRule::kExpected, TimeRule::kDeadline}) {
    for (const ComputeRule compute_rule : {ComputeRule::kParticipants, ComputeRule::kAlways}) {
      for (const double cap : {kSmallestInput, 5.0, std::numeric_limits<double>::infinity()}) {
        for (const double gap : {1.0, 1e10}) {
          problem.time_rule = time_rule;
          problem.compute_rule = compute_rule;
          problem.max_spectral_efficiency = cap;
          problem.snr_gap = gap;
          SCOPED_TRACE(testing::Message()
                       << "deadline " << (time_rule == TimeRule::kDeadline) << ", always "
                       << (compute_rule == ComputeRule::kAlways) << ", cap " << cap << ", gap "
                       << gap);
          check();
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}
}  // namespace
}  // namespace airlot
