// SmallCell is a small cell for tests, with numbers that are easy to compute with.
#ifndef AIRLOT_PLANNING_SMALL_CELL_FOR_TESTS_H_
#define AIRLOT_PLANNING_SMALL_CELL_FOR_TESTS_H_

#include <numbers>
#include <utility>
#include <vector>

#include "airlot/cell.h"

namespace airlot::planning {

// The devices differ in their noise to gain; all else is easy to compute with: 1 Hz bands, updates
// of 1 bit, P^max = 1 W, a time limit of 1 s, no computation. A test that lets devices compute has
// the time booked as well as bounded by the limit, unless it changes one of the columns.
class SmallCell {
 public:
  explicit SmallCell(std::vector<double> noise_to_gain_w)
      : noise_to_gain_w_(std::move(noise_to_gain_w)),
        compute_s(noise_to_gain_w_.size()),
        compute_j(noise_to_gain_w_.size()) {
    cell.problem = {.devices = noise_to_gain_w_.size(),
                    .noise_to_gain_w = noise_to_gain_w_,
                    .nat_time_s = std::numbers::ln2,
                    .max_power_w = 1.0,
                    .energy_budget_j = 1.0,
                    .compute_energy_j = compute_j,
                    .time_limit_s = 1.0,
                    .compute_time_s = compute_s};
    cell.bandwidth_hz = 1.0;
    cell.update_bits = 1.0;
    cell.compute_time_s = compute_s;
    cell.total_bandwidth_hz = double(noise_to_gain_w_.size());
    cell.model_bits = 1;
  }
  SmallCell(const SmallCell&) = delete;
  SmallCell& operator=(const SmallCell&) = delete;

 private:
  std::vector<double> noise_to_gain_w_;

 public:
  std::vector<double> compute_s, compute_j;  // a test may change them
  Cell cell;
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_SMALL_CELL_FOR_TESTS_H_
