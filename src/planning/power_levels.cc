#include "planning/power_levels.h"

#include <algorithm>

namespace airlot::planning {

PowerLevels::View PowerLevels::Of(std::size_t device) {
  if (problem_.max_power_w.is_constant()) device = 0;
  const std::size_t block = device / kBlock;
  if (block_ != block) {
    block_ = block;
    levels_w_.clear();
    std::ranges::fill(counts_, 0);
    problem_.steps.power_levels_w.empty() ? FindSteps(block * kBlock) : CopyList(block * kBlock);
  }
  return {levels_w_.data() + device % kBlock, counts_[device % kBlock]};
}

// Does what `VisitLevels` does, for all devices of the block at once.
void PowerLevels::FindSteps(std::size_t first_device) {
  const double min_power_w = problem_.steps.min_power_w, step = problem_.steps.power_step;
  const double least_w = min_power_w * (1 - kStepSlack);
  double level_w[kBlock];
  for (std::size_t i = 0; i < kBlock; ++i) {
    level_w[i] = problem_.max_power_w[std::min(first_device + i, problem_.devices - 1)];
  }
  for (std::size_t begin = 0;; begin += kBlock) {
    std::size_t devices = 0;  // that have a level here
    for (std::size_t i = 0; i < kBlock; ++i) {
      const std::size_t has_level = level_w[i] >= least_w ? 1 : 0;
      counts_[i] += has_level;
      devices += has_level;
    }
    if (devices == 0) return;
    levels_w_.resize(begin + kBlock);
    double* const row_w = levels_w_.data() + begin;
    for (std::size_t i = 0; i < kBlock; ++i) {
      row_w[i] = std::max(level_w[i], min_power_w);
      level_w[i] /= step;
    }
  }
}

void PowerLevels::CopyList(std::size_t first_device) {
  levels_w_.resize(problem_.steps.power_levels_w.size() * kBlock);
  for (std::size_t i = 0; i < kBlock && first_device + i < problem_.devices; ++i) {
    VisitLevels(problem_.steps, problem_.max_power_w[first_device + i], [&](double power_w) {
      levels_w_[counts_[i]++ * kBlock + i] = power_w;
      return true;
    });
  }
}

}  // namespace airlot::planning
