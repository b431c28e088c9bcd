#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

// Returns the power of the cheapest upload, u_0 of (E4) or the caps, and 0 without circuit power,
// where the longest upload is cheapest. Positive doubles are ordered like their bits: halving the
// bits finds u_0 to its last place.
double CheapestPower(const Device& device) {
  if (device.circuit_power_w == 0) return 0;
  const double max_u = MaxNats(device);
  const double slope = device.circuit_power_w / device.noise_to_gain_w;
  if (EnergySlope(max_u) <= slope) return std::min(PowerOf(device, max_u), device.max_power_w);
  std::uint64_t falling = 0;
  auto rising = std::bit_cast<std::uint64_t>(max_u);
  while (rising - falling > 1) {
    const std::uint64_t middle = falling + (rising - falling) / 2;
    (EnergySlope(std::bit_cast<double>(middle)) <= slope ? falling : rising) = middle;
  }
  return PowerOf(device, std::bit_cast<double>(falling));
}

// Returns P_min(a), (25): the least power at which participating with probability a meets the time
// limit, and infinity where none does.
double LeastPower(const Device& device, double a) {
  const double upload_s = LongestUpload(device, a);
  if (!(upload_s > 0)) return INFINITY;
  const double u = device.nat_time_s / upload_s;
  const double slack = device.deadline ? 1 + kDeadlineSlack : 1;
  if (u > device.max_nats * slack) return INFINITY;
  const double power_w = PowerOf(device, u);
  return power_w > device.max_power_w * slack ? INFINITY : std::min(power_w, device.max_power_w);
}

// IsFeasible is the oracle (26), and (E8) with circuit power. It is true on an interval [0, a*],
// because the power and the energy that a needs both grow with a.
bool IsFeasible(const Device& device, double a, double cheapest_w) {
  if (a == 0) return true;
  const double least_w = LeastPower(device, a);
  if (least_w == INFINITY) return false;
  const double power_w = std::max(least_w, cheapest_w);
  const double upload_s =
      power_w > least_w ? UploadTime(device, power_w) : LongestUpload(device, a);
  return a * ((power_w + device.circuit_power_w) * upload_s + device.compute_energy_j) <=
         device.energy_budget_j;
}

}  // namespace

DevicePlan SolveBisection(const Device& device) {
  // Without a budget the energy of a tiny a would still round to 0 and pass.
  if (device.energy_budget_j == 0) return {0, 0};
  const double cheapest_w = CheapestPower(device);
  if (IsFeasible(device, 1, cheapest_w)) return {1, std::max(LeastPower(device, 1), cheapest_w)};
  // Halving the bits again finds a to its last place.
  std::uint64_t feasible = 0;
  std::uint64_t infeasible = std::bit_cast<std::uint64_t>(1.0);
  while (infeasible - feasible > 1) {
    const std::uint64_t middle = feasible + (infeasible - feasible) / 2;
    const bool is_feasible = IsFeasible(device, std::bit_cast<double>(middle), cheapest_w);
    (is_feasible ? feasible : infeasible) = middle;
  }
  const double a = std::bit_cast<double>(feasible);
  return {a, a == 0 ? 0 : std::max(LeastPower(device, a), cheapest_w)};
}

}  // namespace airlot::planning
