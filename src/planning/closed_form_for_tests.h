// The tests of the closed form share this header: it says what the closed form promises, and how
// far a plan is from that.
#ifndef AIRLOT_PLANNING_CLOSED_FORM_FOR_TESTS_H_
#define AIRLOT_PLANNING_CLOSED_FORM_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <span>

#include "airlot/planning.h"
#include "base/targets_for_tests.h"
#include "planning/planning_vectors_for_tests.h"
#include "planning/solvers.h"

namespace airlot::planning {

inline bool SameBytes(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Largest is the largest error seen, and where.
struct Largest {
  double error = 0;
  std::size_t device = 0;

  void Raise(double value, std::size_t i) {
    if (value > error) *this = {value, i};
  }
};

// Returns by how much a rounding error of the inputs comes back in the power of an energy-limited
// device. Its u solves (11). A relative change ε of the terms of (11) moves u by at most
// ε·Σ|terms|/f'(u), and P = g·expm1(u) by e^u/expm1(u) times that. Without computation time the
// factor is at most about 2·max(1, u), harmless. With it, terms cancel where T^c is much longer
// than the upload: what the time limit leaves for the upload is then known only to so many
// roundings of T^c.
inline double PowerCondition(const PlanningProblem& problem, std::size_t i, double power_w) {
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

inline bool IsAtCap(const PlanningProblem& problem, const Plan& plan, std::size_t i) {
  constexpr double kAlmost = 1 - 1e-9;
  const double snr = plan.power_w[i] / (problem.noise_to_gain_w[i] * problem.snr_gap);
  return plan.power_w[i] >= problem.max_power_w[i] * kAlmost ||
         std::log1p(snr) / std::numbers::ln2 >= problem.spectral_efficiency_cap * kAlmost;
}

// Returns the error that a power may have: 1e-12, or, where that is more and no cap decides it,
// what four roundings of the terms of (11) make of it (a condition above 2250).
inline double AllowedPowerError(const PlanningProblem& problem, const Plan& plan, std::size_t i) {
  if (problem.compute_time_s[i] == 0 || problem.time_rule == TimeRule::kDeadline ||
      plan.probability[i] == 0 || Describe(problem, plan, i).limit != Limit::kEnergy ||
      IsAtCap(problem, plan, i)) {
    return kAccuracy;
  }
  return std::max(kAccuracy, 4 * 0x1p-53 * PowerCondition(problem, i, plan.power_w[i]));
}

// Returns the plan of the plain solver.
inline Plan SolvePlainly(const PlanningProblem& problem) {
  Plan plan{ColumnValues(problem.devices), ColumnValues(problem.devices)};
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const DevicePlan device = SolveScalar(DeviceAt(problem, i));
    plan.probability[i] = device.probability;
    plan.power_w[i] = device.power_w;
  }
  return plan;
}

inline Largest LargestViolation(const PlanningProblem& problem, const Plan& plan) {
  Largest violation;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const double a = plan.probability[i], power_w = plan.power_w[i];
    violation.Raise(static_cast<double>(ViolationOf(problem, i, a, power_w)), i);
  }
  return violation;
}

inline Largest LargestError(const ColumnValues& got, const ColumnValues& want) {
  Largest largest;
  for (std::size_t i = 0; i < want.size(); ++i) largest.Raise(RelativeError(got[i], want[i]), i);
  return largest;
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_CLOSED_FORM_FOR_TESTS_H_
