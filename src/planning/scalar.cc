#include <algorithm>
#include <cmath>
#include <limits>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A point at or right of the root of (11), from which Newton's method descends monotonically.
double StartRightOfRoot(double b, double c) {
  if (c >= 0) return std::min(std::log1p(b), b / (1 + c));  // (19)
  double u = std::log1p(b);                                 // (20), doubling until f(u) >= 0
  for (double step = 1; std::expm1(u) + c * u < b; step *= 2) u += step;
  return u;
}

// The positive root of expm1(u) + c·u = b, (11). The function is convex, so Newton's method from
// the right never passes the root; it ends where rounding stops the descent.
double EnergyRoot(double b, double c) {
  double u = StartRightOfRoot(b, c);
  for (int i = 0; i < 200; ++i) {
    const double e = std::expm1(u);
    const double slope = e + 1 + c;
    if (!(slope > 0)) break;  // positive right of the root, but for rounding
    const double step = (e + c * u - b) / slope;
    u = std::max(u - step, 0.0);
    // The next step would be below (step/u)² ~ 1e-18 of u.
    if (!(std::abs(step) > 1e-9 * u)) break;
  }
  return u;
}

// (14): the upload has to fit into τ - T^c in every round.
DevicePlan SolveDeadline(const Device& device) {
  const double upload_s = device.time_limit_s - device.compute_time_s;
  if (!(upload_s > 0) || device.energy_budget_j == 0) return {0, 0};
  const double u = device.nat_time_s / upload_s;
  if (u > device.max_nats * (1 + kDeadlineSlack)) return {0, 0};
  if (u > NatsOf(device, device.max_power_w * (1 + kDeadlineSlack))) return {0, 0};
  const double power_w = std::min(PowerOf(device, u), device.max_power_w);
  return {std::min(1.0, device.energy_budget_j / (power_w * upload_s + device.compute_energy_j)),
          power_w};
}

}  // namespace

DevicePlan SolveScalar(const Device& device) {
  if (device.deadline) return SolveDeadline(device);
  const double full = device.time_limit_s > device.compute_time_s
                          ? device.nat_time_s / (device.time_limit_s - device.compute_time_s)
                          : kInfinity;
  const double power = NatsOf(device, device.max_power_w);
  const double cap = std::min({full, power, device.max_nats});
  const double b = device.energy_budget_j / (device.time_limit_s * device.noise_to_gain_w);  // (16)
  const double c = device.compute_energy_j / (device.nat_time_s * device.noise_to_gain_w) -
                   b * device.compute_time_s / device.nat_time_s;
  // Where the cap already meets the budget it is the smallest root; otherwise the crossing is.
  const double u = std::expm1(cap) + c * cap <= b ? cap : std::min(EnergyRoot(b, c), cap);
  return {u >= full ? 1.0
                    : std::min(1.0, device.time_limit_s * u /
                                        (device.nat_time_s + device.compute_time_s * u)),
          u >= power ? device.max_power_w : PowerOf(device, u)};
}

}  // namespace airlot::planning
