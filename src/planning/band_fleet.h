// A BandFleet is a fleet that shares a band, in columns.
#ifndef AIRLOT_PLANNING_BAND_FLEET_H_
#define AIRLOT_PLANNING_BAND_FLEET_H_

#include <array>
#include <cstddef>

#include "airlot/band_split.h"

namespace airlot::planning {

// A BandFleet has the columns of a fleet and the problem that views them. It must not be moved.
struct BandFleet {
  ColumnValues noise_to_gain_w, own_bandwidth_hz, nat_time_s, max_power_w, energy_budget_j,
      compute_energy_j, time_limit_s, update_bits, weight;
  BandProblem problem;

  explicit BandFleet(std::size_t devices) {
    for (ColumnValues* column : Columns()) column->assign(devices, 1.0);
    problem.cell.problem.devices = devices;
    problem.cell.problem.noise_to_gain_w = noise_to_gain_w;
    problem.cell.problem.nat_time_s = nat_time_s;
    problem.cell.problem.max_power_w = max_power_w;
    problem.cell.problem.energy_budget_j = energy_budget_j;
    problem.cell.problem.compute_energy_j = compute_energy_j;
    problem.cell.problem.time_limit_s = time_limit_s;
    problem.cell.bandwidth_hz = own_bandwidth_hz;
    problem.cell.update_bits = update_bits;
    problem.weight = weight;
    problem.cell.total_bandwidth_hz = 1;
  }
  BandFleet(const BandFleet&) = delete;
  BandFleet& operator=(const BandFleet&) = delete;

  std::array<ColumnValues*, 9> Columns() {
    return {&noise_to_gain_w,  &own_bandwidth_hz, &nat_time_s,  &max_power_w, &energy_budget_j,
            &compute_energy_j, &time_limit_s,     &update_bits, &weight};
  }
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_BAND_FLEET_H_
