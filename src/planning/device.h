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
  double g;       // noise-to-gain with the SNR gap, W
  double l;       // nat time, s
  double max_u;   // largest nats/s/Hz under the spectral-efficiency cap, maybe infinite
  double max_p;   // W
  double e_max;   // J; under ComputeRule::kAlways what is left after computing, (13)
  double e_c;     // J; under ComputeRule::kAlways 0
  double tau;     // s
  double t_c;     // s
  bool deadline;  // TimeRule::kDeadline
};

inline Device DeviceAt(const PlanningProblem& problem, std::size_t i) {
  Device device{.g = problem.noise_to_gain_w[i] * problem.snr_gap,
                .l = problem.nat_time_s[i],
                .max_u = problem.max_spectral_efficiency * std::numbers::ln2,
                .max_p = problem.max_power_w[i],
                .e_max = problem.energy_budget_j[i],
                .e_c = problem.compute_energy_j[i],
                .tau = problem.time_limit_s[i],
                .t_c = problem.compute_time_s[i],
                .deadline = problem.time_rule == TimeRule::kDeadline};
  if (problem.compute_rule == ComputeRule::kAlways) {
    device.e_max = std::max(device.e_max - device.e_c, 0.0);
    device.e_c = 0;
  }
  return device;
}

// A deadline is met or missed, and a device that misses it never takes part. One that just meets it
// must not miss it by rounding, so it counts as met within the accuracy of all constraints.
inline constexpr double kDeadlineSlack = 1e-12;

struct DevicePlan {
  double probability, power_w;
};

// u = ln(1 + P/g), (3), and back, (9).
inline double NatsOf(const Device& device, double power_w) {
  return std::log1p(power_w / device.g);
}
inline double PowerOf(const Device& device, double nats) { return device.g * std::expm1(nats); }

// T(P), (4).
inline double UploadTime(const Device& device, double power_w) {
  return device.l / NatsOf(device, power_w);
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_DEVICE_H_
