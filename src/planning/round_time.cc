#include "planning/round_time.h"

#include <algorithm>
#include <cstddef>

namespace airlot::planning {

// Sorted by falling time, a device sets the round's time where it takes part and nobody slower
// does. What is left after a device is at most the chance of having got there times its own time,
// so only the slowest few need sorting: they are split off in growing pieces until the rest cannot
// change the last digit.
double ExpectedMaximum(std::vector<Draw>& draws) {
  const auto slower = [](const Draw& a, const Draw& b) { return a.time_s > b.time_s; };
  double expected_s = 0;
  double nobody_slower = 1;
  std::size_t piece = 4096;
  for (std::size_t begin = 0; begin < draws.size(); piece *= 4) {
    const std::size_t end = std::min(draws.size(), begin + piece);
    const auto at = [&](std::size_t i) { return draws.begin() + static_cast<std::ptrdiff_t>(i); };
    if (end < draws.size()) std::nth_element(at(begin), at(end), draws.end(), slower);
    std::sort(at(begin), at(end), slower);
    for (; begin < end; ++begin) {
      const auto& [time_s, probability] = draws[begin];
      if (nobody_slower * time_s < 1e-18 * expected_s) return expected_s;
      expected_s += time_s * probability * nobody_slower;
      nobody_slower *= 1 - probability;
    }
  }
  return expected_s;
}

void AddedTime::Set(std::span<const Draw> others) {
  const std::size_t size = others.size();
  times_s_.resize(size);
  added_s_.resize(size);
  nobody_slower_.resize(size + 1);
  nobody_slower_[size] = 1;
  for (std::size_t k = size; k-- > 0;) {
    times_s_[k] = others[k].time_s;
    nobody_slower_[k] = nobody_slower_[k + 1] * (1 - others[k].probability);
  }
  double before_s = 0, added_s = 0;
  for (std::size_t k = 0; k < size; ++k) {
    added_s += (times_s_[k] - before_s) * nobody_slower_[k];
    added_s_[k] = added_s;
    before_s = times_s_[k];
  }
}

AddedTime::Value AddedTime::At(double time_s) const {
  const auto next = std::lower_bound(times_s_.begin(), times_s_.end(), time_s);
  const auto k = static_cast<std::size_t>(next - times_s_.begin());
  const double before_s = k == 0 ? 0 : times_s_[k - 1];
  const double added_s = k == 0 ? 0 : added_s_[k - 1];
  return {added_s + (time_s - before_s) * nobody_slower_[k], nobody_slower_[k]};
}

}  // namespace airlot::planning
