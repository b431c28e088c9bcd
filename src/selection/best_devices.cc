#include "selection/best_devices.h"

#include <cmath>
#include <numeric>

#include "base/ranking.h"

namespace airlot::selection {

void BestDevices::Select(const SelectionView& view, Selection& selection) {
  if (able_.Update(view)) devices_ = SelectBest(view);
  selection.devices = devices_;
}

std::size_t ExpectedDevices(const SelectionView& view) {
  const double sum = std::accumulate(view.probability.begin(), view.probability.end(), 0.0);
  return std::size_t(std::floor(sum + 0.5));
}

std::vector<std::uint32_t> Largest(const SelectionView& view, std::span<const double> score,
                                   std::size_t count) {
  std::vector<std::uint32_t> able;
  std::vector<double> score_of_able;
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (view.probability[i] == 0) continue;
    able.push_back(std::uint32_t(i));
    score_of_able.push_back(score[i]);
  }
  std::vector<std::uint32_t> devices = base::PositionsOfLargest(score_of_able, count);
  for (std::uint32_t& device : devices) device = able[device];
  return devices;
}

}  // namespace airlot::selection
