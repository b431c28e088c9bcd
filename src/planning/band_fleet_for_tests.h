// This header is for tests only: it has fleets that share a band.
#ifndef AIRLOT_PLANNING_BAND_FLEET_FOR_TESTS_H_
#define AIRLOT_PLANNING_BAND_FLEET_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "airlot/band_split.h"
#include "base/random.h"
#include "planning/band_fleet.h"
#include "planning/device.h"
#include "planning/solvers.h"

namespace airlot::planning {

// A DrawnBandFleet has drawn columns, and says what single devices gain by a band.
struct DrawnBandFleet : BandFleet {
  using BandFleet::BandFleet;

  // The columns mix all limits, around a cell of 100 kHz a device: near and far, rich and poor,
  // with and without computation energy, and bands between plenty and next to nothing.
  void Draw(std::uint64_t seed, bool is_density) {
    const std::size_t devices = problem.cell.problem.devices;
    base::RandomStream cell(seed, base::Purpose{902}, 0, 0);
    const bool has_compute = cell.Uniform(0, 1) < 0.75, has_cap = cell.Uniform(0, 1) < 0.3;
    const bool is_always = cell.Uniform(0, 1) < 0.15;
    problem.cell.problem.spectral_efficiency_cap = has_cap ? cell.LogUniform(0.5, 10) : INFINITY;
    problem.cell.problem.snr_gap = cell.Uniform(0, 1) < 0.5 ? 1 : 5.5;
    problem.cell.problem.amplifier_efficiency = cell.Uniform(0, 1) < 0.5 ? 1 : 0.35;
    const bool has_circuits = cell.Uniform(0, 1) < 0.4;
    problem.cell.problem.circuit_power_w = has_circuits ? cell.LogUniform(1e-4, 1) : 0;
    problem.cell.problem.compute_rule =
        is_always ? ComputeRule::kAlways : ComputeRule::kParticipants;
    problem.cell.noise_grows_with_band = is_density;
    problem.cell.total_bandwidth_hz =
        1e5 * static_cast<double>(devices) * cell.LogUniform(1e-3, 1e3);
    for (std::size_t i = 0; i < devices; ++i) {
      base::RandomStream stream(seed, base::Purpose{901}, 0, i);
      own_bandwidth_hz[i] = stream.LogUniform(1e4, 1e6);
      noise_to_gain_w[i] = stream.LogUniform(1e-12, 1e-2);
      max_power_w[i] = stream.LogUniform(0.01, 1);
      energy_budget_j[i] = stream.Uniform(0, 1) < 0.03 ? 0 : stream.LogUniform(1e-4, 100);
      compute_energy_j[i] =
          !has_compute || stream.Uniform(0, 1) < 0.1 ? 0 : stream.LogUniform(1e-3, 10);
      time_limit_s[i] = stream.LogUniform(0.05, 5);
      update_bits[i] = stream.LogUniform(1e5, 1e7);
      weight[i] = stream.Uniform(0, 1) < 0.03 ? 0 : stream.LogUniform(0.1, 10);
      nat_time_s[i] = ColumnsIn(problem.cell, i, own_bandwidth_hz[i]).nat_time_s;
    }
  }

  // Returns a_i(B), by the scalar solver.
  double Probability(std::size_t i, double bandwidth_hz) const {
    if (!(bandwidth_hz > 0)) return 0;
    Device device = DeviceAt(problem.cell.problem, i);
    const BandColumns columns = ColumnsIn(problem.cell, i, bandwidth_hz);
    device.noise_to_gain_w = columns.noise_to_gain_w * problem.cell.problem.snr_gap;
    device.nat_time_s = columns.nat_time_s;
    return SolveScalar(device).probability;
  }
  // Returns w_i·a_i(B).
  double Gain(std::size_t i, double bandwidth_hz) const {
    return weight[i] * Probability(i, bandwidth_hz);
  }
};

// Returns the largest value of a concave function on [low, high], by golden sections.
inline double LargestOf(double low, double high, const std::function<double(double)>& function) {
  constexpr double kGolden = 0.6180339887498949;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int i = 0; i < 90; ++i) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      at_right = function(right = low + kGolden * (high - low));
    } else {
      high = right;
      right = left;
      at_right = at_left;
      at_left = function(left = high - kGolden * (high - low));
    }
  }
  return std::max({at_left, at_right, function(low), function(high)});
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_BAND_FLEET_FOR_TESTS_H_
