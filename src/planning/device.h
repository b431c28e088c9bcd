// One device of a planning problem, in plain doubles, for the scalar solvers.
#ifndef AIRLOT_PLANNING_DEVICE_H_
#define AIRLOT_PLANNING_DEVICE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "airlot/planning.h"

namespace airlot::planning {

struct Device {
  double noise_to_gain_w;   // g, with the SNR gap
  double nat_time_s;        // L
  double max_nats;          // ρ·ln 2, maybe infinite
  double max_power_w;       // P^max
  double energy_budget_j;   // E^max; under ComputeRule::kAlways what is left after computing, (13)
  double compute_energy_j;  // E^c; under ComputeRule::kAlways 0
  double time_limit_s;      // τ
  double compute_time_s;    // T^c
  bool deadline;            // TimeRule::kDeadline
};

inline Device DeviceAt(const PlanningProblem& problem, std::size_t i) {
  Device device{.noise_to_gain_w = problem.noise_to_gain_w[i] * problem.snr_gap,
                .nat_time_s = problem.nat_time_s[i],
                .max_nats = problem.spectral_efficiency_cap * std::numbers::ln2,
                .max_power_w = problem.max_power_w[i],
                .energy_budget_j = problem.energy_budget_j[i],
                .compute_energy_j = problem.compute_energy_j[i],
                .time_limit_s = problem.time_limit_s[i],
                .compute_time_s = problem.compute_time_s[i],
                .deadline = problem.time_rule == TimeRule::kDeadline};
  if (problem.compute_rule == ComputeRule::kAlways) {
    device.energy_budget_j = std::max(device.energy_budget_j - device.compute_energy_j, 0.0);
    device.compute_energy_j = 0;
  }
  return device;
}

// A deadline is met or missed, and a device that misses it never takes part. One that just meets it
// must not miss it by rounding, so it counts as met within the accuracy of all constraints.
inline constexpr double kDeadlineSlack = 1e-12;

struct DevicePlan {
  double probability, power_w;
  bool finished = true;  // false: the iteration met its limit of steps
};

// u = ln(1 + P/g), (3), and back, (9).
inline double NatsOf(const Device& device, double power_w) {
  return std::log1p(power_w / device.noise_to_gain_w);
}
inline double PowerOf(const Device& device, double nats) {
  return device.noise_to_gain_w * std::expm1(nats);
}

// The longest upload that participating with probability a leaves time for, (21); maybe <= 0.
inline double LongestUpload(const Device& device, double a) {
  return (device.deadline ? device.time_limit_s : device.time_limit_s / a) - device.compute_time_s;
}

// T(P), (4).
inline double UploadTime(const Device& device, double power_w) {
  return device.nat_time_s / NatsOf(device, power_w);
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_DEVICE_H_
