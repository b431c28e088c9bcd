#include <algorithm>
#include <cmath>
#include <limits>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns a point at or right of the root of (11), from which Newton's method descends
// monotonically.
double StartRightOfRoot(double b, double c) {
  if (c >= 0) return std::min(std::log1p(b), b / (1 + c));  // (20)
  double u = std::log1p(b);                                 // (24), doubling until f(u) >= 0
  for (double step = 1; std::expm1(u) + c * u < b; step *= 2) u += step;
  return u;
}

// Returns the positive root of expm1(u) + c·u = b, (11), from a point right of it. The function is
// convex, so Newton's method never passes the root; it ends where rounding stops the descent.
double Descend(double u, double b, double c) {
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

double EnergyRoot(double b, double c) { return Descend(StartRightOfRoot(b, c), b, c); }

// Returns the largest a that the budget pays for at u.
double AffordableProbability(const Device& device, double u) {
  return std::min(1.0,
                  device.energy_budget_j / (UploadEnergyAt(device, u) + device.compute_energy_j));
}

// Returns P of (9), and at the cap the cap itself.
double CappedPower(const Device& device, double u) {
  return u >= NatsOf(device, device.max_power_w) ? device.max_power_w
                                                 : std::min(PowerOf(device, u), device.max_power_w);
}

// By (14) and (E7), the upload has to fit into τ - T^c in every round.
DevicePlan SolveDeadline(const Device& device) {
  const double upload_s = device.time_limit_s - device.compute_time_s;
  if (!(upload_s > 0) || device.energy_budget_j == 0) return {0, 0};
  const double u = device.nat_time_s / upload_s;
  if (u > device.max_nats * (1 + kDeadlineSlack)) return {0, 0};
  if (u > NatsOf(device, device.max_power_w * (1 + kDeadlineSlack))) return {0, 0};
  if (device.circuit_power_w > 0) {  // sooner may be cheaper
    const double cheaper = std::min(CheapestNats(device), MaxNats(device));
    if (cheaper > u) return {AffordableProbability(device, cheaper), CappedPower(device, cheaper)};
  }
  const double power_w = std::min(PowerOf(device, u), device.max_power_w);
  const double upload_j = (power_w + device.circuit_power_w) * upload_s;
  return {std::min(1.0, device.energy_budget_j / (upload_j + device.compute_energy_j)), power_w};
}

// Returns the smallest u at which time allows a = 1, (12).
double FullNats(const Device& device) {
  const double upload_s = device.time_limit_s - device.compute_time_s;
  return upload_s > 0 ? device.nat_time_s / upload_s : kInfinity;
}

// Returns the largest a for which time is enough at u.
double TimelyProbability(const Device& device, double u) {
  if (u >= FullNats(device)) return 1;
  return std::min(1.0, device.time_limit_s * u / (device.nat_time_s + device.compute_time_s * u));
}

// Returns the root of expm1(u) + c·u = b right of `left`, where the convex left side is still too
// small.
double EnergyRootBeyond(double left, double b, double c) {
  if (c >= 0) return EnergyRoot(b, c);  // b > 0: the left side is positive
  double u = left;
  for (double step = 1; std::expm1(u) + c * u < b; step *= 2) u += step;
  return Descend(u, b, c);
}

// In (E6) the least energy is not at the longest upload any more, and time need not be tight.
DevicePlan SolveCircuitPower(const Device& device) {
  if (device.energy_budget_j == 0) return {0, 0};
  const double max_u = MaxNats(device);
  const double cheapest = std::min(CheapestNats(device), max_u);
  const double cap = std::min(std::max(FullNats(device), cheapest), max_u);
  const double tau_g = device.time_limit_s * device.noise_to_gain_w;
  const double b = std::fma(-device.time_limit_s, device.circuit_power_w, device.energy_budget_j) /
                   tau_g;  // (E5) divided by τ·g
  const double c = device.compute_energy_j / (device.nat_time_s * device.noise_to_gain_w) -
                   device.energy_budget_j / tau_g * (device.compute_time_s / device.nat_time_s);
  const auto is_affordable = [&](double u) { return std::expm1(u) + c * u <= b; };
  if (is_affordable(cap)) return {TimelyProbability(device, cap), CappedPower(device, cap)};
  if (!is_affordable(cheapest)) {
    return {AffordableProbability(device, cheapest), CappedPower(device, cheapest)};
  }
  const double u = std::clamp(EnergyRootBeyond(cheapest, b, c), cheapest, cap);
  return {TimelyProbability(device, u), CappedPower(device, u)};
}

}  // namespace

// The slope h of (E4) is convex, so Newton's method from the right, (E10), descends to its root.
double CheapestNats(const Device& device) {
  const double r = device.circuit_power_w / device.noise_to_gain_w;
  double u = std::min(std::sqrt(2 * r), std::max(2.0, std::log1p(r)));
  for (int i = 0; i < 100 && u > 0; ++i) {
    const double step = (EnergySlope(u) - r) / (u * std::exp(u));
    u -= step;
    if (!(std::abs(step) > 1e-9 * u)) break;  // the next step would be below 1e-18 of u
  }
  return u;
}

DevicePlan SolveScalar(const Device& device) {
  if (device.deadline) return SolveDeadline(device);
  if (device.circuit_power_w > 0) return SolveCircuitPower(device);
  const double full = FullNats(device);
  const double power = NatsOf(device, device.max_power_w);
  const double cap = std::min({full, power, device.max_nats});
  const double b = device.energy_budget_j / (device.time_limit_s * device.noise_to_gain_w);  // (16)
  const double c = device.compute_energy_j / (device.nat_time_s * device.noise_to_gain_w) -
                   b * device.compute_time_s / device.nat_time_s;
  // Where the cap already meets the budget it is the smallest root; otherwise the crossing is.
  const double u = std::expm1(cap) + c * cap <= b ? cap : std::min(EnergyRoot(b, c), cap);
  return {TimelyProbability(device, u), u >= power ? device.max_power_w : PowerOf(device, u)};
}

}  // namespace airlot::planning
