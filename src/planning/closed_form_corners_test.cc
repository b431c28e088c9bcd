// These tests try the closed form at the corners of its domain, on every SIMD target.
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
using planning::kAccuracy;
using planning::Largest;
using planning::LargestError;
using planning::LargestViolation;
using planning::SolvePlainly;
using planning::VectorFleet;

// Returns devices at the corners of the domain; computation takes each of these energies and times.
VectorFleet CornersOf(const std::vector<double>& computation) {
  VectorFleet fleet;
  const double positive[] = {kSmallestInput, 1, kLargestInput};
  const double any[] = {0, kSmallestInput, 1, kLargestInput};
  for (const double g : positive) {
    for (const double l : positive) {
      for (const double max_power : positive) {
        for (const double limit : positive) {
          for (const double budget : any) {
            for (const double compute : computation) {
              for (const double time : computation) {
                fleet.Add({g, l, max_power, budget, compute, limit, time});
              }
            }
          }
        }
      }
    }
  }
  return fleet;
}

// Expects a plan that is finite, feasible, and as probable as by bisection.
void ExpectBest(const PlanningProblem& problem, const Plan& plan, const Plan& bisected) {
  for (std::size_t i = 0; i < problem.devices; ++i) {
    ASSERT_TRUE(std::isfinite(plan.probability[i]) && std::isfinite(plan.power_w[i])) << i;
  }
  const Largest probability = LargestError(plan.probability, bisected.probability);
  const Largest violation = LargestViolation(problem, plan);
  EXPECT_LE(probability.error, kAccuracy) << "device " << probability.device;
  EXPECT_LE(violation.error, kAccuracy) << "device " << violation.device;
}

// At every corner of the domain that `Validate` admits, under every option, the plan is finite,
// feasible, and has the probability of the bisection, which shares no formula with the closed form.
TEST(ClosedForm, HoldsAtTheCornersOfTheDomain) {
  const VectorFleet fleet = CornersOf({0, kSmallestInput, 1, kLargestInput});
  PlanningProblem problem = fleet.Problem();
  problem.compute_time_s = fleet.compute_time_s;
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
          OnEveryTarget([&] { ExpectBest(problem, Solve(problem), bisected); });
          ExpectBest(problem, SolvePlainly(problem), bisected);
        }
      }
    }
  }
}

// The corners have circuit power from next to nothing to far more than any budget pays for.
TEST(ClosedForm, HoldsAtTheCornersWithCircuitPower) {
  const VectorFleet fleet = CornersOf({0, 1, kLargestInput});
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
        ExpectBest(problem, Solve(problem), bisected);
      }
    }
  }
}

// Computation time goes from far less to far more than the upload takes. The dimensionless equation
// (16), expm1(u) + c·u = b, has c = c_energy - b·T^c/L: it is drawn here freely, close to -1, where
// for small b the root is double, and close to 0. The reference is the bisection.
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
      OnEveryTarget([&] { ExpectBest(problem, Solve(problem), bisected); });
      ExpectBest(problem, SolvePlainly(problem), bisected);
    }
  }
}

}  // namespace
}  // namespace airlot
