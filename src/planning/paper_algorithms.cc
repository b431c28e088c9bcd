#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr int kMostOuterSteps = 1000;
constexpr int kMostInnerSteps = 10000;

// a·P·T(P), the objective (23) of the power step, with its limit a·g·L at P = 0.
double UploadEnergy(const Device& device, double a, double power_w) {
  const double x = power_w / device.g;
  const double ratio = x == 0 ? 1 : x / std::log1p(x);
  return a * device.g * device.l * ratio;
}

// The paper's a* (25), misprint corrected: the best a at a given power.
double BestProbability(const Device& device, double power_w) {
  if (power_w <= 0) return 0;
  const double upload_s = UploadTime(device, power_w);
  return std::min({1.0, device.tau / upload_s, device.e_max / (power_w * upload_s + device.e_c)});
}

// P_min(a), (21).
double LeastPower(const Device& device, double a) {
  return PowerOf(device, a * device.l / device.tau);
}

// Algorithm 1: Dinkelbach's iteration (24) from λ⁰, each iterate put between two bounds.
double PowerStep(const Device& device, double a, double lambda_j, double lower_w, double upper_w,
                 double tolerance_j) {
  double power_w = 0;
  for (int j = 0; j < kMostInnerSteps; ++j) {
    power_w = std::clamp(lambda_j / (a * device.l) - device.g, lower_w, upper_w);
    const double next_j = UploadEnergy(device, a, power_w);
    const bool done = std::abs(next_j - lambda_j) < tolerance_j;
    lambda_j = next_j;
    if (done) break;
  }
  return power_w;
}

// Algorithm 2 from P⁰ = P^max. `clamped` tells the two readings of Algorithm 1 apart.
DevicePlan Alternate(const Device& device, const PlanningOptions& options, bool clamped) {
  const double max_power_w = std::min(device.max_p, PowerOf(device, device.max_u));
  double a = std::min(options.start_probability, BestProbability(device, max_power_w));
  if (a <= 0) return {0, 0};
  double power_w = max_power_w;
  for (int n = 0; n < kMostOuterSteps; ++n) {
    // λ⁰, which the paper leaves open: the energy at the current point. A fixed λ⁰ makes the
    // literal reading swing between a tiny and a large a for ever.
    const double lambda_j = UploadEnergy(device, a, power_w);
    // Rounding may put P_min(a) above P^max.
    const double least_w = std::min(LeastPower(device, a), max_power_w);
    power_w = clamped
                  ? PowerStep(device, a, lambda_j, least_w, max_power_w, options.inner_tolerance_j)
                  : PowerStep(device, a, lambda_j, -INFINITY, INFINITY, options.inner_tolerance_j);
    // The paper's test against H = E^max - a·E^c.
    if (UploadEnergy(device, a, power_w) > device.e_max - a * device.e_c) break;
    const double next = BestProbability(device, power_w);
    const bool done = std::abs(next - a) < options.outer_tolerance;
    a = next;
    if (done || a == 0) break;
  }
  return {a, power_w};
}

}  // namespace

DevicePlan SolveAlternating(const Device& device, const PlanningOptions& options) {
  return Alternate(device, options, /*clamped=*/true);
}

DevicePlan SolveLiteral(const Device& device, const PlanningOptions& options) {
  return Alternate(device, options, /*clamped=*/false);
}

}  // namespace airlot::planning
