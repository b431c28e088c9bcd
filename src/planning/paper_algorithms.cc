#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr int kMostOuterSteps = 1000;
constexpr int kMostInnerSteps = 10000;

// Returns a·P·T(P), the objective (27) of the power step, with its limit a·g·L at P = 0.
double UploadEnergy(const Device& device, double a, double power_w) {
  const double x = power_w / device.noise_to_gain_w;
  const double ratio = x == 0 ? 1 : x / std::log1p(x);
  return a * device.noise_to_gain_w * device.nat_time_s * ratio;
}

// Returns the paper's a* (29), misprint corrected: the best a at a given power.
double BestProbability(const Device& device, double power_w) {
  if (power_w <= 0) return 0;
  const double upload_s = UploadTime(device, power_w);
  return std::min({1.0, device.time_limit_s / upload_s,
                   device.energy_budget_j / (power_w * upload_s + device.compute_energy_j)});
}

// Returns P_min(a), (25).
double LeastPower(const Device& device, double a) {
  return PowerOf(device, a * device.nat_time_s / device.time_limit_s);
}

struct PowerStepResult {
  double power_w;
  bool finished;
};

// PowerStep is Algorithm 1: Dinkelbach's iteration (28) from λ⁰, each iterate put between two
// bounds.
PowerStepResult PowerStep(const Device& device, double a, double lambda_j, double lower_w,
                          double upper_w, double tolerance_j) {
  double power_w = 0;
  for (int j = 0; j < kMostInnerSteps; ++j) {
    power_w =
        std::clamp(lambda_j / (a * device.nat_time_s) - device.noise_to_gain_w, lower_w, upper_w);
    const double next_j = UploadEnergy(device, a, power_w);
    if (std::abs(next_j - lambda_j) < tolerance_j) return {power_w, true};
    lambda_j = next_j;
  }
  return {power_w, false};
}

// Alternate is Algorithm 2 from P⁰ = P^max. `clamped` tells the two readings of Algorithm 1 apart.
DevicePlan Alternate(const Device& device, const PlanningOptions& options, bool clamped) {
  const double max_power_w = std::min(device.max_power_w, PowerOf(device, device.max_nats));
  DevicePlan plan{std::min(options.start_probability, BestProbability(device, max_power_w)),
                  max_power_w};
  if (plan.probability <= 0) return {0, 0};
  for (int n = 0; n < kMostOuterSteps; ++n) {
    const double a = plan.probability;
    // The paper leaves λ⁰ open; we take the energy at the current point. A fixed λ⁰ makes the
    // literal reading swing between a tiny and a large a for ever.
    const double lambda_j = UploadEnergy(device, a, plan.power_w);
    // Rounding may put P_min(a) above P^max.
    const double lower_w = clamped ? std::min(LeastPower(device, a), max_power_w) : -INFINITY;
    const double upper_w = clamped ? max_power_w : INFINITY;
    const PowerStepResult step =
        PowerStep(device, a, lambda_j, lower_w, upper_w, options.inner_tolerance_j);
    plan.power_w = step.power_w;
    plan.finished = plan.finished && step.finished;
    // This is the paper's test against H = E^max - a·E^c.
    if (UploadEnergy(device, a, plan.power_w) >
        device.energy_budget_j - a * device.compute_energy_j) {
      return plan;
    }
    plan.probability = BestProbability(device, plan.power_w);
    if (plan.probability == 0) return {0, 0, plan.finished};
    if (std::abs(plan.probability - a) < options.outer_tolerance) return plan;
  }
  plan.finished = false;
  return plan;
}

}  // namespace

DevicePlan SolveAlternating(const Device& device, const PlanningOptions& options) {
  return Alternate(device, options, /*clamped=*/true);
}

DevicePlan SolveLiteral(const Device& device, const PlanningOptions& options) {
  return Alternate(device, options, /*clamped=*/false);
}

}  // namespace airlot::planning
