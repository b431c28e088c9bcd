#include "selection/best_devices.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace airlot::selection {

void BestDevices::Select(const SelectionView& view, Selection& selection) {
  if (!is_selected_ || view.plan_version != plan_version_) {
    devices_ = SelectBest(view);
    plan_version_ = view.plan_version;
    is_selected_ = true;
  }
  selection.devices = devices_;
}

std::size_t ExpectedDevices(const SelectionView& view) {
  const double sum = std::accumulate(view.probability.begin(), view.probability.end(), 0.0);
  return std::size_t(std::floor(sum + 0.5));
}

std::vector<std::uint32_t> Largest(const SelectionView& view, std::vector<double> score,
                                   std::size_t count) {
  std::vector<std::uint32_t> devices;
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (view.probability[i] > 0) devices.push_back(std::uint32_t(i));
  }
  count = std::min(count, devices.size());
  const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  };
  std::nth_element(devices.begin(), devices.begin() + std::ptrdiff_t(count), devices.end(),
                   is_better);
  devices.resize(count);
  std::sort(devices.begin(), devices.end());
  return devices;
}

}  // namespace airlot::selection
