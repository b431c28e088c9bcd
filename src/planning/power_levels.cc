#include "planning/power_levels.h"

#include <algorithm>
#include <cstring>

namespace airlot::planning {
namespace {

// Eight numbers that are divided at once, by whatever vectors the machine has; the compiler does
// not expect that of a loop to pay.
using Eight = double __attribute__((vector_size(8 * sizeof(double))));

void Divide(const double* dividends, double divisor, double* quotients) {
  Eight numbers;
  std::memcpy(&numbers, dividends, sizeof(numbers));
  numbers /= divisor;
  std::memcpy(quotients, &numbers, sizeof(numbers));
}

}  // namespace

PowerLevels::View PowerLevels::Of(std::size_t device) {
  if (problem_.max_power_w.is_constant()) device = 0;
  const std::size_t block = device / kBlock;
  if (block_ != block) {
    block_ = block;
    problem_.steps.power_levels_w.empty() ? FindSteps(block * kBlock) : CopyList(block * kBlock);
  }
  const std::size_t i = device % kBlock;
  return {levels_w_.data() + i, counts_[i], problem_.steps.min_power_w};
}

// Does what `VisitLevels` does, for all devices of the block at once. Quotients of a larger power
// are never smaller, so the device of the largest P^max has the most levels.
void PowerLevels::FindSteps(std::size_t first_device) {
  const double step = problem_.steps.power_step;
  const double least_w = problem_.steps.min_power_w * (1 - kStepSlack);
  levels_w_.resize(std::max(levels_w_.size(), 64 * kBlock));
  std::size_t largest = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    levels_w_[i] = problem_.max_power_w[std::min(first_device + i, problem_.devices - 1)];
    if (levels_w_[i] > levels_w_[largest]) largest = i;
  }
  std::size_t begin = 0;  // where the first level begins that no device has
  while (levels_w_[begin + largest] >= least_w) {
    begin += kBlock;
    if (levels_w_.size() == begin) levels_w_.resize(2 * begin);
    static_assert(kBlock == sizeof(Eight) / sizeof(double));
    Divide(levels_w_.data() + begin - kBlock, step, levels_w_.data() + begin);
  }
  for (std::size_t i = 0; i < kBlock; ++i) {
    counts_[i] = begin / kBlock;
    while (counts_[i] > 0 && !(levels_w_[(counts_[i] - 1) * kBlock + i] >= least_w)) --counts_[i];
  }
}

void PowerLevels::CopyList(std::size_t first_device) {
  levels_w_.resize(problem_.steps.power_levels_w.size() * kBlock);
  std::ranges::fill(counts_, 0);
  for (std::size_t i = 0; i < kBlock && first_device + i < problem_.devices; ++i) {
    VisitLevels(problem_.steps, problem_.max_power_w[first_device + i], [&](double power_w) {
      levels_w_[counts_[i]++ * kBlock + i] = power_w;
      return true;
    });
  }
}

}  // namespace airlot::planning
