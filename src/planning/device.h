// A Device is one device of a planning problem, in plain doubles, for the scalar solvers.
#ifndef AIRLOT_PLANNING_DEVICE_H_
#define AIRLOT_PLANNING_DEVICE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "airlot/link.h"
#include "airlot/planning.h"

namespace airlot::planning {

// An EnergyRule is how every solver counts the energies of a problem. What is spent in every round
// leaves the budget first, (13), and all energies are scaled by the amplifier's efficiency η, (E2),
// so that what is radiated is what is drawn. The factors 0 and 1 multiply exactly.
struct EnergyRule {
  double always = 0;  // the share of E^c that is spent in every round
  double drawn = 1;   // the share of E^c that is spent only by participants
  double efficiency = 1;

  double Budget(double energy_budget_j, double compute_energy_j) const {
    return std::max(energy_budget_j - always * compute_energy_j, 0.0) * efficiency;
  }
  double Compute(double compute_energy_j) const { return drawn * compute_energy_j * efficiency; }
};
inline EnergyRule EnergyRuleOf(const PlanningProblem& problem) {
  const bool is_always = problem.compute_rule == ComputeRule::kAlways;
  return {is_always ? 1.0 : 0.0, is_always ? 0.0 : 1.0, problem.amplifier_efficiency};
}

// The energies and the circuit power of a Device are those of the problem's `EnergyRule`.
struct Device {
  double noise_to_gain_w;   // g, with the SNR gap
  double nat_time_s;        // L
  double max_nats;          // ρ·ln 2, maybe infinite
  double max_power_w;       // P^max
  double energy_budget_j;   // E^max
  double compute_energy_j;  // E^c
  double time_limit_s;      // τ
  double compute_time_s;    // T^c
  double circuit_power_w;   // P^c
  bool deadline;            // TimeRule::kDeadline
  bool has_samples;
};

inline Device DeviceAt(const PlanningProblem& problem, std::size_t i) {
  const EnergyRule rule = EnergyRuleOf(problem);
  return {.noise_to_gain_w = problem.noise_to_gain_w[i] * problem.snr_gap,
          .nat_time_s = problem.nat_time_s[i],
          .max_nats = MaxNatsPerHertz(problem.spectral_efficiency_cap),
          .max_power_w = problem.max_power_w[i],
          .energy_budget_j = rule.Budget(problem.energy_budget_j[i], problem.compute_energy_j[i]),
          .compute_energy_j = rule.Compute(problem.compute_energy_j[i]),
          .time_limit_s = problem.time_limit_s[i],
          .compute_time_s = problem.compute_time_s[i],
          .circuit_power_w = problem.circuit_power_w * problem.amplifier_efficiency,
          .deadline = problem.time_rule == TimeRule::kDeadline,
          .has_samples = problem.samples[i] != 0};
}

// A deadline is met or missed, and a device that misses it never takes part. One that just meets it
// must not miss it by rounding, so it counts as met within the accuracy of all constraints.
inline constexpr double kDeadlineSlack = 1e-12;

// This is the nat time of a device that cannot send: it has no band, or no samples to learn from.
inline constexpr double kNoBand = std::numeric_limits<double>::infinity();

struct DevicePlan {
  double probability, power_w;
  bool finished = true;  // false: the iteration met its limit of steps
};

// NatsOf is u = ln(1 + P/g), (3), and PowerOf leads back, (9).
inline double NatsOf(const Device& device, double power_w) {
  return NatsPerHertz(power_w / device.noise_to_gain_w);
}
inline double PowerOf(const Device& device, double nats) {
  return PowerOfNats(device.noise_to_gain_w, nats);
}

// Returns the largest u that the power and the spectral-efficiency cap allow, u_max of (12).
inline double MaxNats(const Device& device) {
  return std::min(NatsOf(device, device.max_power_w), device.max_nats);
}

// Returns the upload energy e(u) of (E3) with its limit at 0.
inline double UploadEnergyAt(const Device& device, double u) {
  const double radiated_w = u > 0 ? PowerOf(device, u) / u : device.noise_to_gain_w;
  const double circuit_w = device.circuit_power_w > 0 ? device.circuit_power_w / u : 0;
  return device.nat_time_s * (radiated_w + circuit_w);
}

// Returns h(u) = 1 + (u - 1)·e^u of (E4). The energy e(u) falls where h is below P^c/g, and rises
// beyond.
inline double EnergySlope(double u) {
  if (u > 0.5) return 1 + (u - 1) * std::exp(u);
  // The sum Σ (k-1)·u^k/k! does not cancel; the last term is below 2^-54 of the first.
  double sum = 0, term = u * u / 2;  // u^k/k!
  for (int k = 2; k <= 15; ++k) {
    sum += (k - 1) * term;
    term *= u / (k + 1);
  }
  return sum;
}

// Returns the longest upload that participating with probability a leaves time for, (25); it may be
// <= 0.
inline double LongestUpload(const Device& device, double a) {
  return (device.deadline ? device.time_limit_s : device.time_limit_s / a) - device.compute_time_s;
}

// Returns T(P), (4).
inline double UploadTime(const Device& device, double power_w) {
  return TimeOfNats(device.nat_time_s, NatsOf(device, power_w));
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_DEVICE_H_
