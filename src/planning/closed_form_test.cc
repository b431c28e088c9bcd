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

#include "airlot/simd_target.h"
#include "base/shards.h"
#include "planning/planning_vectors_for_tests.h"
#include "planning/solvers.h"

namespace airlot {
namespace {

using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::OnEverySection;
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
  const long double compute_j = problem.compute_energy_j[i] * problem.amplifier_efficiency;
  const long double budget_j =
      problem.energy_budget_j[i] * problem.amplifier_efficiency - (always ? compute_j : 0);
  const long double u = std::log1p(power_w / g);
  const long double e = std::expm1(u);
  const long double b = budget_j / (problem.time_limit_s[i] * g);  // (16)
  const long double c_energy = (always ? 0 : compute_j) / (l * g);
  const long double c_time = b * problem.compute_time_s[i] / l;
  const long double circuit = problem.circuit_power_w * problem.amplifier_efficiency / g;
  const long double terms = e + circuit + c_energy * u + c_time * u + b;
  return static_cast<double>(terms / (e + 1 + c_energy - c_time) * (e + 1) / e);
}

// The error that a power may have: 1e-12, or, where that is more, what four roundings of the terms
// of (11) make of it (a condition above 2250).
double AllowedPowerError(const PlanningProblem& problem, const Plan& plan, std::size_t i) {
  if (problem.compute_time_s[i] == 0 || problem.time_rule == TimeRule::kDeadline ||
      plan.probability[i] == 0 || Describe(problem, plan, i).limit != Limit::kEnergy) {
    return kAccuracy;
  }
  return std::max(kAccuracy, 4 * 0x1p-53 * PowerCondition(problem, i, plan.power_w[i]));
}

// The plan of the plain solver.
Plan SolvePlainly(const PlanningProblem& problem) {
  Plan plan{ColumnValues(problem.devices), ColumnValues(problem.devices)};
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const planning::DevicePlan device = planning::SolveScalar(planning::DeviceAt(problem, i));
    plan.probability[i] = device.probability;
    plan.power_w[i] = device.power_w;
  }
  return plan;
}

Largest LargestViolation(const PlanningProblem& problem, const Plan& plan) {
  Largest violation;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const double a = plan.probability[i], power_w = plan.power_w[i];
    violation.Raise(static_cast<double>(ViolationOf(problem, i, a, power_w)), i);
  }
  return violation;
}

Largest LargestError(const ColumnValues& got, const ColumnValues& want) {
  Largest largest;
  for (std::size_t i = 0; i < want.size(); ++i) largest.Raise(RelativeError(got[i], want[i]), i);
  return largest;
}

// `plan` against 50 digits.
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

// (22) and (23): what rounding may make of the plan of a device that sends u nats/s/Hz.
struct RoundingErrors {
  double probability, power;
};

RoundingErrors MostRoundingErrors(double u) {
  const double probability = 32 * 0x1p-53 + (u < 0.25 ? 0 : 6e-16 / u);
  return {probability, (1 + u) * probability + 10 * 0x1p-53};
}

// The promise is 1e-12; the kernel does far better, as (22) and (23) say. A lost digit should
// show before the promise is broken. Circuit power takes the plain solver, which has errors of its
// own.
TEST(ClosedForm, KeepsItsDigits) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  OnEveryTarget([&] {
    Largest probability, power;  // in units of what is allowed
    for (const auto& [fleet, expected] : all) {
      if (fleet.section.has_compute_time() || fleet.section.circuit_power_w > 0) continue;
      SCOPED_TRACE(fleet.section.name);
      const PlanningProblem problem = fleet.Problem();
      const Plan plan = Solve(problem);
      for (std::size_t i = 0; i < fleet.size(); ++i) {
        const double u =
            std::log1p(expected.power_w[i] / problem.noise_to_gain_w[i] / problem.snr_gap);
        const RoundingErrors most = MostRoundingErrors(u);
        probability.Raise(
            RelativeError(plan.probability[i], expected.probability[i]) / most.probability, i);
        power.Raise(RelativeError(plan.power_w[i], expected.power_w[i]) / most.power, i);
      }
      EXPECT_LE(probability.error, 1) << "device " << probability.device;
      EXPECT_LE(power.error, 1) << "device " << power.device;
    }
    EXPECT_GT(probability.error, 0.1) << "the stated error could be smaller";
    EXPECT_GT(power.error, 0.1) << "the stated error could be smaller";
  });
}

TEST(ClosedForm, PlainSolverKeepsItsDigitsWithCircuitPower) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  for (const auto& [fleet, expected] : all) {
    if (fleet.section.has_compute_time() || fleet.section.circuit_power_w == 0) continue;
    SCOPED_TRACE(fleet.section.name);
    const Plan plan = Solve(fleet.Problem());
    EXPECT_LE(LargestError(plan.probability, expected.probability).error, 4e-15);
    EXPECT_LE(LargestError(plan.power_w, expected.power_w).error, 1e-13);
  }
}

// At the power limit the power is the cap itself, not a rounding of it.
TEST(ClosedForm, PowerLimitIsTheCapItself) {
  const std::vector<Vectors> all = planning::ReadVectors();
  ASSERT_FALSE(all.empty());
  OnEveryTarget([&] {
    std::size_t at_cap = 0;
    for (const std::size_t number : {0, 1, 3}) {  // not the ties
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
  EXPECT_NEAR(extremes(ratio).first, 1e-6, 1e-15);
  EXPECT_NEAR(extremes(ratio).second, 1e6, 1e-3);
  // With circuit power: the crossing, the cheapest upload below it, and full devices that send
  // sooner than they must.
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
    cheapest += participation.limit == Limit::kEnergy && !is_tight ? 1 : 0;
    full_sooner += participation.limit == Limit::kFull && !is_tight ? 1 : 0;
  }
  EXPECT_GT(crossing, circuit.size() / 20);
  EXPECT_GT(cheapest, circuit.size() / 20);
  EXPECT_GT(full_sooner, circuit.size() / 20);
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
  const auto check = [&](const Plan& plan, const Plan& bisected) {
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      ASSERT_TRUE(std::isfinite(plan.probability[i]) && std::isfinite(plan.power_w[i])) << i;
    }
    const Largest probability = LargestError(plan.probability, bisected.probability);
    const Largest violation = LargestViolation(problem, plan);
    EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
    EXPECT_LE(violation.error, kAccuracy) << "device " << violation.device;
  };
  for (const TimeRule time_rule : {TimeRule::kExpected, TimeRule::kDeadline}) {
    for (const ComputeRule compute_rule : {ComputeRule::kParticipants, ComputeRule::kAlways}) {
      for (const double cap : {kSmallestInput, 5.0, std::numeric_limits<double>::infinity()}) {
        for (const double gap : {1.0, 1e10}) {
          problem.time_rule = time_rule;
          problem.compute_rule = compute_rule;
          problem.spectral_efficiency_cap = cap;
          problem.snr_gap = gap;
          SCOPED_TRACE(testing::Message() << "deadline " << (time_rule == TimeRule::kDeadline)
                                          << ", always " << (compute_rule == ComputeRule::kAlways)
                                          << ", cap " << cap << ", gap " << gap);
          ASSERT_TRUE(Validate(problem).ok());
          const Plan bisected = Solve(problem, {.solver = Solver::kBisection});
          OnEveryTarget([&] { check(Solve(problem), bisected); });
          check(SolvePlainly(problem), bisected);
        }
      }
    }
  }
}

// The same with circuit power from next to nothing to far more than any budget pays for.
TEST(ClosedForm, HoldsAtTheCornersWithCircuitPower) {
  VectorFleet fleet;
  const double positive[] = {kSmallestInput, 1, kLargestInput};
  const double any[] = {0, kSmallestInput, 1, kLargestInput};
  for (const double g : positive) {
    for (const double l : positive) {
      for (const double max_power : positive) {
        for (const double limit : positive) {
          for (const double budget : any) {
            for (const double compute : {0.0, 1.0, kLargestInput}) {
              for (const double time : {0.0, 1.0, kLargestInput}) {
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
  for (const TimeRule time_rule : {TimeRule::kExpected, TimeRule::kDeadline}) {
    for (const double cap : {5.0, std::numeric_limits<double>::infinity()}) {
      for (const double circuit_w : {kSmallestInput, 1.0, kLargestInput}) {
        problem.time_rule = time_rule;
        problem.spectral_efficiency_cap = cap;
        problem.circuit_power_w = circuit_w;
        problem.amplifier_efficiency = circuit_w == 1 ? 1e-10 : 0.5;
        SCOPED_TRACE(testing::Message() << "deadline " << (time_rule == TimeRule::kDeadline)
                                        << ", cap " << cap << ", circuit " << circuit_w);
        ASSERT_TRUE(Validate(problem).ok());
        const Plan bisected = Solve(problem, {.solver = Solver::kBisection});
        const Plan plan = Solve(problem);
        for (std::size_t i = 0; i < fleet.size(); ++i) {
          ASSERT_TRUE(std::isfinite(plan.probability[i]) && std::isfinite(plan.power_w[i])) << i;
        }
        const Largest probability = LargestError(plan.probability, bisected.probability);
        const Largest violation = LargestViolation(problem, plan);
        EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
        EXPECT_LE(violation.error, kAccuracy) << "device " << violation.device;
      }
    }
  }
}

// Computation time from far less to far more than the upload takes. The dimensionless equation
// (16), expm1(u) + c·u = b, has c = c_energy - b·T^c/L: drawn here freely, close to -1, where for
// small b the root is double, and close to 0. The reference is the bisection.
TEST(ClosedForm, HoldsForAnyComputationTime) {
  for (const int octaves : {10, 50, 110}) {
    for (const std::string_view c : {"free", "near -1", "near 0"}) {
      SCOPED_TRACE(testing::Message() << octaves << " octaves, c " << c);
      VectorFleet fleet;
      for (std::size_t i = 0; i < 10000; ++i) {
        const planning::VectorDraw draw(1000, i);
        const auto any = [&](std::uint64_t purpose) {
          return draw.Octaves(purpose, -octaves, octaves);
        };
        const double g = any(0), l = any(1), limit = any(2), b = any(3);
        const double close = draw.NearOne(4);
        double c_energy = draw.Below(5, 2) == 0 ? 0 : any(6);
        double time_ratio = any(7);
        if (c == "near -1") time_ratio = (c_energy + close) / b;
        if (c == "near 0") c_energy = b * time_ratio * close;
        fleet.Add({g, l, g * any(8), b * limit * g, c_energy * l * g, limit, time_ratio * l});
      }
      // What fell out of the domain is put back to its border.
      for (ColumnValues* column : {&fleet.max_power_w, &fleet.energy_budget_j,
                                   &fleet.compute_energy_j, &fleet.compute_time_s}) {
        for (double& value : *column) {
          if (value != 0) value = std::clamp(value, kSmallestInput, kLargestInput);
        }
      }
      PlanningProblem problem = fleet.Problem();
      problem.compute_time_s = fleet.compute_time_s;
      ASSERT_TRUE(Validate(problem).ok());
      const Plan bisected = Solve(problem, {.solver = Solver::kBisection});
      const auto check = [&](const Plan& plan) {
        const Largest probability = LargestError(plan.probability, bisected.probability);
        const Largest violation = LargestViolation(problem, plan);
        EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
        EXPECT_LE(violation.error, kAccuracy) << "device " << violation.device;
      };
      OnEveryTarget([&] { check(Solve(problem)); });
      check(SolvePlainly(problem));
    }
  }
}

// A device's plan, alone in its fleet.
planning::DevicePlan SolveAlone(const VectorFleet& fleet, std::size_t i) {
  const Plan plan = Solve(fleet.Problem(i, i + 1));
  return {plan.probability[0], plan.power_w[0]};
}

// Among thousands of neighbours, some of which need more steps than others, each device has the
// bytes that it has alone.
TEST(ClosedForm, DoesNotDependOnNeighbours) {
  OnEveryTarget([] {
    for (const std::size_t number : {1, 3, 5, 14}) {
      SCOPED_TRACE(kVectorSections[number].name);
      const VectorFleet fleet = MakeVectorFleet(number);
      const Plan together = Solve(fleet.Problem());
      for (std::size_t i = 0; i < fleet.size(); ++i) {
        const planning::DevicePlan alone = SolveAlone(fleet, i);
        ASSERT_EQ(together.probability[i], alone.probability) << i;
        ASSERT_EQ(together.power_w[i], alone.power_w) << i;
      }
    }
  });
}

// Sizes 1 ... 130 pass a block of 64 twice and leave every remainder of every vector length. Each
// device has the bytes that it has alone, wherever it stands, and memory around the range stays as
// it was.
TEST(ClosedForm, DoesNotDependOnPlace) {
  constexpr std::size_t kMost = 130;
  constexpr double kUntouched = -7;
  OnEveryTarget([&] {
    OnEverySection(2 * kMost, [&](const VectorFleet& fleet) {
      std::vector<planning::DevicePlan> alone;
      for (std::size_t i = 0; i < fleet.size(); ++i) alone.push_back(SolveAlone(fleet, i));
      const PlanningProblem problem = fleet.Problem();
      for (std::size_t size = 1; size <= kMost; ++size) {
        const std::size_t begin = size * 7 % kMost, end = begin + size;
        ColumnValues probability(fleet.size(), kUntouched), power_w(fleet.size(), kUntouched);
        planning::SolveClosedForm(problem, begin, end, probability, power_w);
        for (std::size_t i = 0; i < fleet.size(); ++i) {
          const bool inside = i >= begin && i < end;
          ASSERT_EQ(probability[i], inside ? alone[i].probability : kUntouched) << i << " " << size;
          ASSERT_EQ(power_w[i], inside ? alone[i].power_w : kUntouched) << i << " " << size;
        }
      }
    });
  });
}

// The same for fleets of exactly that size, whose end a wide load must not pass (address
// sanitizer).
TEST(ClosedForm, AgreesWithThePlainSolverAtEverySize) {
  OnEveryTarget([&] {
    for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
      SCOPED_TRACE(kVectorSections[number].name);
      for (std::size_t size = 1; size <= 130; ++size) {
        const VectorFleet fleet = MakeVectorFleet(number, size);
        const PlanningProblem problem = fleet.Problem();
        const Plan plan = Solve(problem);
        ASSERT_EQ(plan.probability.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
          const planning::DevicePlan plain = planning::SolveScalar(planning::DeviceAt(problem, i));
          ASSERT_LE(RelativeError(plan.probability[i], plain.probability), kAccuracy) << i;
          ASSERT_LE(RelativeError(plan.power_w[i], plain.power_w),
                    AllowedPowerError(problem, plan, i))
              << i << " of " << size;
        }
      }
    }
  });
}

// One value for all devices must give the bytes of a column that repeats it. The one exception is a
// computation time of 0: the constant takes the shorter way through the formulas.
TEST(ClosedForm, ConstantsAreColumnsOfOneValue) {
  ColumnView PlanningProblem::*const columns[] = {
      &PlanningProblem::noise_to_gain_w,  &PlanningProblem::nat_time_s,
      &PlanningProblem::max_power_w,      &PlanningProblem::energy_budget_j,
      &PlanningProblem::compute_energy_j, &PlanningProblem::time_limit_s,
      &PlanningProblem::compute_time_s};
  OnEveryTarget([&] {
    OnEverySection(200, [&](const VectorFleet& fleet) {
      for (const auto column : columns) {
        PlanningProblem constant = fleet.Problem(), full = fleet.Problem();
        const double value = (full.*column)[3];
        const ColumnValues repeated(fleet.size(), value);
        constant.*column = value;
        full.*column = repeated;
        const Plan a = Solve(constant), b = Solve(full);
        const bool exempt = column == &PlanningProblem::compute_time_s && value == 0;
        for (std::size_t i = 0; exempt && i < fleet.size(); ++i) {
          ASSERT_LE(RelativeError(a.probability[i], b.probability[i]), kAccuracy);
          ASSERT_LE(RelativeError(a.power_w[i], b.power_w[i]), kAccuracy);
        }
        if (exempt) continue;
        EXPECT_TRUE(SameBytes(a.probability, b.probability));
        EXPECT_TRUE(SameBytes(a.power_w, b.power_w));
      }
    });
  });
}

TEST(ClosedForm, SameBytesForAnyNumberOfThreads) {
  for (const std::size_t number : {0, 1, 2}) {  // 4, 2 and 2 shards, the last of each not whole
    const VectorFleet fleet = MakeVectorFleet(number);
    const PlanningProblem problem = fleet.Problem();
    ASSERT_GT(base::ShardCount(problem.devices), 1u);
    const Plan one = Solve(problem, {.threads = 1});
    for (const int threads : {2, 3, 8}) {
      const Plan many = Solve(problem, {.threads = threads});
      EXPECT_TRUE(SameBytes(one.probability, many.probability)) << threads;
      EXPECT_TRUE(SameBytes(one.power_w, many.power_w)) << threads;
    }
  }
}

TEST(SimdTarget, CanBeForcedAndPutBack) {
  const std::string_view best = SimdTarget();
  ASSERT_EQ(SimdTargets().front(), best);
  EXPECT_TRUE(ForceSimdTarget(SimdTargets().back()));
  EXPECT_EQ(SimdTarget(), SimdTargets().back());
  // All targets stay on offer while one is forced.
  EXPECT_FALSE(ForceSimdTarget("Z80"));
  EXPECT_EQ(SimdTarget(), best);
  EXPECT_TRUE(ForceSimdTarget(""));
  EXPECT_EQ(SimdTarget(), best);
}

}  // namespace
}  // namespace airlot
