// This header is for tests only: it has fleets for airtime plans.
#ifndef AIRLOT_PLANNING_AIRTIME_FLEET_FOR_TESTS_H_
#define AIRLOT_PLANNING_AIRTIME_FLEET_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "airlot/airtime.h"
#include "base/random.h"

namespace airlot::planning {

// An AirtimeFleet owns the columns of an airtime problem.
struct AirtimeFleet {
  ColumnValues noise_to_gain_w, nat_time_s, max_power_w, energy_budget_j, compute_energy_j;
  ColumnValues weight, energy_price_s_per_j, added_time_s, priced_time_s;
  ColumnValues least_probability, most_probability;
  AirtimeProblem problem;

  explicit AirtimeFleet(std::size_t devices)
      : noise_to_gain_w(devices, 1),
        nat_time_s(devices, 1),
        max_power_w(devices, 1),
        energy_budget_j(devices, 1),
        compute_energy_j(devices, 0),
        weight(devices, 1),
        energy_price_s_per_j(devices, 0),
        added_time_s(devices, 0),
        priced_time_s(devices, 0),
        least_probability(devices, 0),
        most_probability(devices, 1) {
    problem.devices = {.devices = devices,
                       .noise_to_gain_w = noise_to_gain_w,
                       .nat_time_s = nat_time_s,
                       .max_power_w = max_power_w,
                       .energy_budget_j = energy_budget_j,
                       .compute_energy_j = compute_energy_j,
                       .time_limit_s = 1.0};
    problem.seconds = 1;
    problem.participants = 1;
    problem.weight = weight;
    problem.energy_price_s_per_j = energy_price_s_per_j;
    problem.added_time_s = added_time_s;
    problem.priced_time_s = priced_time_s;
    problem.least_probability = least_probability;
    problem.most_probability = most_probability;
  }
  AirtimeFleet(const AirtimeFleet&) = delete;
  AirtimeFleet& operator=(const AirtimeFleet&) = delete;

  // Draws columns that mix all limits: near and far, rich and starved, with and without
  // computation, floors and ceilings, a price of energy, circuits and an amplifier.
  void Draw(std::uint64_t seed, double fairness) {
    const std::size_t devices = problem.devices.devices;
    base::RandomStream all(seed, base::Purpose{903}, 0, 0);
    const auto happens = [&](double share) { return all.Uniform(0, 1) < share; };
    const bool has_floors = happens(0.3), has_price = happens(0.5), has_added = happens(0.3);
    problem.fairness = fairness;
    const bool has_priced = seed % 3 == 1;
    problem.devices.circuit_power_w = happens(0.4) ? all.LogUniform(1e-4, 1) : 0;
    problem.devices.amplifier_efficiency = happens(0.5) ? 1 : 0.35;
    problem.devices.snr_gap = happens(0.5) ? 1 : 5.5;
    problem.devices.spectral_efficiency_cap = happens(0.3) ? all.LogUniform(0.5, 10) : INFINITY;
    problem.devices.compute_rule = happens(0.2) ? ComputeRule::kAlways : ComputeRule::kParticipants;
    problem.is_power_limited = happens(0.8);
    problem.goal = happens(0.7) ? AirtimeGoal::kTime : AirtimeGoal::kParticipants;
    const auto count = static_cast<double>(devices);
    problem.seconds = count * 0.02 * all.LogUniform(0.05, 5);
    problem.participants = count * all.LogUniform(0.003, 0.3);
    for (std::size_t i = 0; i < devices; ++i) {
      base::RandomStream stream(seed, base::Purpose{904}, 0, i);
      noise_to_gain_w[i] = stream.LogUniform(1e-9, 1e-2);
      nat_time_s[i] = stream.Uniform(0, 1) < 0.02 ? INFINITY : stream.LogUniform(0.01, 1);
      max_power_w[i] = stream.LogUniform(0.01, 1);
      energy_budget_j[i] = stream.Uniform(0, 1) < 0.03 ? 0 : stream.LogUniform(1e-6, 1);
      compute_energy_j[i] = stream.Uniform(0, 1) < 0.3 ? 0 : stream.LogUniform(1e-6, 0.1);
      weight[i] = stream.LogUniform(0.1, 10);
      energy_price_s_per_j[i] = has_price ? stream.LogUniform(1e-2, 1e2) : 0;
      added_time_s[i] = has_added ? stream.LogUniform(1e-4, 1e-1) : 0;
      least_probability[i] =
          has_floors && stream.Uniform(0, 1) < 0.5 ? stream.LogUniform(1e-4, 1e-2) : 0;
      if (problem.devices.circuit_power_w == 0) {
        // What a budget pays for at best would take for ever; this is half of it at u = 1.
        const double upload_j = 1.72 * nat_time_s[i] * noise_to_gain_w[i] * problem.devices.snr_gap;
        const double energy_j =
            upload_j / problem.devices.amplifier_efficiency + compute_energy_j[i];
        least_probability[i] = std::min(least_probability[i], 0.5 * energy_budget_j[i] / energy_j);
      }
      most_probability[i] = stream.Uniform(0, 1) < 0.2 ? stream.Uniform(0, 1) : 1;
      if (stream.Uniform(0, 1) < 0.03) most_probability[i] = 0;
      // As in bands, a price that E^c is free of takes off what the price of its joules adds, and m
      // counts as well as it costs.
      const bool is_drawn = problem.devices.compute_rule == ComputeRule::kParticipants;
      const double free_s = is_drawn ? 0.5 * energy_price_s_per_j[i] * compute_energy_j[i] : 0;
      priced_time_s[i] = has_priced ? stream.LogUniform(1e-4, 1e-1) - free_s : 0;
    }
  }
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_AIRTIME_FLEET_FOR_TESTS_H_
