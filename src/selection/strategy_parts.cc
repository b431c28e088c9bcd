#include "airlot/strategy_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/ranking.h"
#include "selection/purposes.h"

namespace airlot {

StrategyOption CountOption(std::string name, double count, std::string summary) {
  return {.name = std::move(name),
          .value = count,
          .low = 1,
          .high = 1e9,
          .is_whole = true,
          .summary = std::move(summary)};
}

StrategyOption ShareOption(std::string name, double share, std::string summary) {
  return {
      .name = std::move(name), .value = share, .low = 0, .high = 1, .summary = std::move(summary)};
}

StrategyOption DevicesOption(double devices, std::string summary) {
  return CountOption("devices", devices, std::move(summary));
}

bool AbleDevices::Update(const SelectionView& view) {
  if (is_found_ && plan_version_ == view.plan_version) return false;
  devices_.clear();
  for (std::size_t i = 0; i < view.probability.size(); ++i) {
    if (view.probability[i] > 0) devices_.push_back(std::uint32_t(i));
  }
  plan_version_ = view.plan_version;
  is_found_ = true;
  return true;
}

std::uint64_t RoundOfDraw(const SelectionView& view) { return view.round + (view.attempt << 40); }

RandomStream StreamOf(const SelectionView& view, std::uint64_t index) {
  return {view.seed, selection::kAnyStrategy, RoundOfDraw(view), index};
}

void SelectUniformly(std::span<const std::uint32_t> devices, std::size_t count, RandomStream stream,
                     Selection& selection) {
  selection.devices = DrawUniformly(devices, count, stream);
  const std::size_t drawn = selection.devices.size();
  selection.probability.assign(drawn, double(drawn) / double(devices.size()));
}

std::size_t ExpectedDevices(const SelectionView& view) {
  const double sum = std::accumulate(view.probability.begin(), view.probability.end(), 0.0);
  return std::size_t(std::floor(sum + 0.5));
}

std::vector<std::uint32_t> DevicesOfLargestScore(const SelectionView& view,
                                                 std::span<const double> score, std::size_t count) {
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

Terms InSubchannel(const Cell& cell, std::size_t device, std::size_t count) {
  return {.power_w = cell.problem.max_power_w[device],
          .bandwidth_hz = cell.total_bandwidth_hz / double(count)};
}

void ShareBandEqually(const SelectionView& view, Selection& selection) {
  selection.terms.clear();
  for (const std::uint32_t device : selection.devices) {
    selection.terms.push_back(InSubchannel(*view.cell, device, selection.devices.size()));
  }
}

double ShortestTimeLimit(const Cell& cell, std::span<const std::uint32_t> devices) {
  double limit_s = std::numeric_limits<double>::infinity();
  for (const std::uint32_t device : devices) {
    limit_s = std::min(limit_s, cell.problem.time_limit_s[device]);
  }
  return limit_s;
}

}  // namespace airlot
