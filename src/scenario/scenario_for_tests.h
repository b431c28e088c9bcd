// The tests of scenarios share this header: it reads a scenario, and compares two.
#ifndef AIRLOT_SCENARIO_SCENARIO_FOR_TESTS_H_
#define AIRLOT_SCENARIO_SCENARIO_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario.h"

namespace airlot::scenario {

using Overrides = std::vector<std::string>;

// Returns what is wrong with a scenario, or "" if nothing is.
inline std::string Message(const Result<Scenario>& scenario) {
  return scenario.ok() ? "" : scenario.error().message;
}

inline Scenario Read(std::string_view text, const Overrides& overrides = {}) {
  const Result<Scenario> scenario = ParseScenario(text, "x.toml", overrides);
  EXPECT_EQ(Message(scenario), "");
  return scenario ? *scenario : Scenario();
}

// ExpectSame compares field by field, because a comparison of formatted scenarios could not see a
// key that is never formatted.
inline void ExpectSame(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.evaluate_every, b.evaluate_every);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.learning.rate, b.learning.rate);
  EXPECT_EQ(a.learning.batch, b.learning.batch);
  EXPECT_EQ(a.learning.aggregation, b.learning.aggregation);
  EXPECT_EQ(a.learning.least_probability, b.learning.least_probability);
  EXPECT_EQ(a.learning.momentum, b.learning.momentum);
  EXPECT_EQ(a.learning.local_steps, b.learning.local_steps);
  EXPECT_EQ(a.learning.local_epochs, b.learning.local_epochs);
  EXPECT_EQ(a.learning.rule, b.learning.rule);
  EXPECT_EQ(a.learning.server_rate, b.learning.server_rate);
  EXPECT_EQ(a.learning.proximal, b.learning.proximal);
  EXPECT_EQ(a.learning.beta1, b.learning.beta1);
  EXPECT_EQ(a.learning.beta2, b.learning.beta2);
  EXPECT_EQ(a.learning.tau, b.learning.tau);
  EXPECT_EQ(a.learning.bias_correction, b.learning.bias_correction);
  EXPECT_EQ(a.learning.compression.method, b.learning.compression.method);
  EXPECT_EQ(a.learning.compression.keep, b.learning.compression.keep);
  EXPECT_EQ(a.learning.compression.levels, b.learning.compression.levels);
  EXPECT_EQ(a.learning.compression.bucket, b.learning.compression.bucket);
  EXPECT_EQ(a.radio.server_power_w, b.radio.server_power_w);
  EXPECT_EQ(a.radio.propagation.frequency_hz, b.radio.propagation.frequency_hz);
  EXPECT_EQ(a.radio.propagation.base_height_m, b.radio.propagation.base_height_m);
  EXPECT_EQ(a.radio.propagation.device_height_m, b.radio.propagation.device_height_m);
  EXPECT_EQ(a.radio.propagation.building_height_m, b.radio.propagation.building_height_m);
  EXPECT_EQ(a.radio.propagation.street_width_m, b.radio.propagation.street_width_m);
  EXPECT_EQ(a.radio.propagation.open_office, b.radio.propagation.open_office);
  EXPECT_EQ(a.radio.propagation.path_loss_exponent, b.radio.propagation.path_loss_exponent);
  EXPECT_EQ(a.radio.propagation.reference_loss_db, b.radio.propagation.reference_loss_db);
  EXPECT_EQ(a.radio.propagation.shadowing, b.radio.propagation.shadowing);
  EXPECT_EQ(a.idle_shadowing_sd_db, b.idle_shadowing_sd_db);
  EXPECT_EQ(a.radio.fading.kind, b.radio.fading.kind);
  EXPECT_EQ(a.radio.fading.rician_k_db, b.radio.fading.rician_k_db);
  EXPECT_EQ(a.radio.fading.nakagami_m, b.radio.fading.nakagami_m);
  EXPECT_EQ(a.radio.band.sharing, b.radio.band.sharing);
  EXPECT_EQ(a.radio.band.block_hz, b.radio.band.block_hz);
  EXPECT_EQ(a.radio.consumption.amplifier_efficiency, b.radio.consumption.amplifier_efficiency);
  EXPECT_EQ(a.radio.consumption.circuit_power_w, b.radio.consumption.circuit_power_w);
  EXPECT_EQ(a.radio.consumption.receive_power_w, b.radio.consumption.receive_power_w);
  EXPECT_TRUE(a.fleet.battery_j == b.fleet.battery_j);
  EXPECT_TRUE(a.fleet.harvest_w == b.fleet.harvest_w);
  EXPECT_EQ(a.round.time_weight, b.round.time_weight);
  EXPECT_EQ(a.round.empty, b.round.empty);
  EXPECT_EQ(a.planning.solver, b.planning.solver);
  EXPECT_EQ(a.planning.start_probability, b.planning.start_probability);
  EXPECT_EQ(a.planning.inner_tolerance_j, b.planning.inner_tolerance_j);
  EXPECT_EQ(a.planning.outer_tolerance, b.planning.outer_tolerance);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.data.dataset, b.data.dataset);
  EXPECT_EQ(a.data.partition.method, b.data.partition.method);
  EXPECT_EQ(a.data.partition.beta, b.data.partition.beta);
  EXPECT_EQ(a.data.partition.minimum_samples, b.data.partition.minimum_samples);
  EXPECT_EQ(a.data.partition.shards_per_device, b.data.partition.shards_per_device);
  EXPECT_EQ(a.data.partition.samples_per_device, b.data.partition.samples_per_device);
  EXPECT_EQ(a.data.partition.overlap, b.data.partition.overlap);
  EXPECT_EQ(a.model.name, b.model.name);
  EXPECT_EQ(a.model.parameters, b.model.parameters);
  EXPECT_EQ(a.model.bits_per_parameter, b.model.bits_per_parameter);
  EXPECT_EQ(a.fleet.devices, b.fleet.devices);
  EXPECT_EQ(a.fleet.area_m, b.fleet.area_m);
  EXPECT_TRUE(a.fleet.max_power_w == b.fleet.max_power_w);
  EXPECT_TRUE(a.fleet.kappa == b.fleet.kappa);
  EXPECT_TRUE(a.fleet.energy_budget_j == b.fleet.energy_budget_j);
  EXPECT_TRUE(a.fleet.cycles_per_sample == b.fleet.cycles_per_sample);
  EXPECT_TRUE(a.fleet.cpu_hz == b.fleet.cpu_hz);
  EXPECT_TRUE(a.fleet.samples == b.fleet.samples);
  EXPECT_EQ(a.fleet.file, b.fleet.file);
  EXPECT_EQ(a.radio.propagation.path_loss, b.radio.propagation.path_loss);
  EXPECT_EQ(a.radio.noise, b.radio.noise);
  EXPECT_EQ(a.radio.band.bandwidth_hz, b.radio.band.bandwidth_hz);
  EXPECT_EQ(a.radio.coding.snr_gap_db, b.radio.coding.snr_gap_db);
  EXPECT_EQ(a.radio.coding.spectral_efficiency_cap, b.radio.coding.spectral_efficiency_cap);
  EXPECT_EQ(a.round.time_limit_s, b.round.time_limit_s);
  EXPECT_EQ(a.round.time_rule, b.round.time_rule);
  EXPECT_EQ(a.round.count_compute_time, b.round.count_compute_time);
  EXPECT_EQ(a.round.compute, b.round.compute);
  EXPECT_EQ(a.round.min_probability, b.round.min_probability);
}

}  // namespace airlot::scenario

#endif  // AIRLOT_SCENARIO_SCENARIO_FOR_TESTS_H_
