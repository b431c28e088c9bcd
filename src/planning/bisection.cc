#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

// P_min(a), (21): the least power at which participating with probability a meets the time limit;
// infinite where none does.
double LeastPower(const Device& device, double a) {
  const double upload_s = LongestUpload(device, a);
  if (!(upload_s > 0)) return INFINITY;
  const double u = device.nat_time_s / upload_s;
  const double slack = device.deadline ? 1 + kDeadlineSlack : 1;
  if (u > device.max_nats * slack) return INFINITY;
  const double power_w = PowerOf(device, u);
  return power_w > device.max_power_w * slack ? INFINITY : std::min(power_w, device.max_power_w);
}

// The oracle (22). True on an interval [0, a*], because the power and the energy that a needs both
// grow with a.
bool IsFeasible(const Device& device, double a) {
  if (a == 0) return true;
  const double power_w = LeastPower(device, a);
  if (power_w == INFINITY) return false;
  return a * (power_w * LongestUpload(device, a) + device.compute_energy_j) <=
         device.energy_budget_j;
}

}  // namespace

DevicePlan SolveBisection(const Device& device) {
  // Without a budget the energy of a tiny a would still round to 0 and pass.
  if (device.energy_budget_j == 0) return {0, 0};
  if (IsFeasible(device, 1)) return {1, LeastPower(device, 1)};
  // Positive doubles are ordered like their bits: halving the bits finds a to its last place.
  std::uint64_t feasible = 0;
  std::uint64_t infeasible = std::bit_cast<std::uint64_t>(1.0);
  while (infeasible - feasible > 1) {
    const std::uint64_t middle = feasible + (infeasible - feasible) / 2;
    (IsFeasible(device, std::bit_cast<double>(middle)) ? feasible : infeasible) = middle;
  }
  const double a = std::bit_cast<double>(feasible);
  return {a, a == 0 ? 0 : LeastPower(device, a)};
}

}  // namespace airlot::planning
