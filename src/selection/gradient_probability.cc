// gradient-probability selects by the size of updates, after Chen, Poor, Saad and Cui ("Convergence
// time optimization for federated learning over wireless networks", arXiv:2001.07845): the device
// of the best channel always takes part, the others with probabilities in proportion to the norms
// of their updates (S6). Their prediction of the other devices' models by neural networks is left
// out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "airlot/strategy_parts.h"
#include "base/bottleneck_assignment.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class GradientProbability : public Strategy {
 public:
  explicit GradientProbability(const OptionValues& options)
      : count_(std::size_t(options["devices"])) {}

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    const std::span<const std::uint32_t> able = able_.devices();
    if (able.empty()) return;
    if (count_ >= able.size()) {  // nothing is to be drawn, so nobody is asked
      selection.devices.assign(able.begin(), able.end());
    } else if (count_ == 1) {
      selection.devices = {BestChannel(*view.cell, able)};
    } else {
      selection.devices = Draw(view, able);
    }
    std::ranges::sort(selection.devices);
    AssignBlocks(*view.cell, selection);
  }

 private:
  // All devices compare in the same band, whose width does not matter for that.
  static std::uint32_t BestChannel(const Cell& cell, std::span<const std::uint32_t> devices) {
    return *std::ranges::min_element(devices, {}, [&](std::uint32_t device) {
      return NoiseToGain(cell, device, cell.total_bandwidth_hz);
    });
  }

  // Draw returns the best channel of those who answer, and others, drawn one after another, each
  // with a probability in proportion to the norms of those who are left (S6). Who has a norm of 0
  // is drawn only when no other is left. Who has not answered (NaN) stays out.
  std::vector<std::uint32_t> Draw(const SelectionView& view, std::span<const std::uint32_t> able) {
    norms_.resize(able.size());
    view.probe->Ask(AskUpdateNorm{}, able, norms_);
    others_.clear();
    weights_.clear();
    for (std::size_t i = 0; i < able.size(); ++i) {
      if (std::isnan(norms_[i])) continue;
      others_.push_back(able[i]);
      weights_.push_back(std::min(norms_[i], std::numeric_limits<double>::max()));
    }
    if (others_.empty()) return {};
    const auto best = std::ranges::find(others_, BestChannel(*view.cell, others_));
    std::vector<std::uint32_t> drawn{*best};
    weights_.erase(weights_.begin() + (best - others_.begin()));
    others_.erase(best);
    RandomStream stream = StreamOf(view);
    for (const std::uint32_t place : DrawByWeight(weights_, count_ - 1, stream)) {
      drawn.push_back(others_[place]);
    }
    return drawn;
  }

  // Each device gets one block (S7). Our channels are flat, so every block is as good as another; a
  // cell with blocks of their own fading would have a row of times for each device.
  static void AssignBlocks(const Cell& cell, Selection& selection) {
    const std::size_t blocks = selection.devices.size();
    if (blocks == 0) return;
    const double block_hz = cell.total_bandwidth_hz / double(blocks);
    std::vector<double> time_s;
    for (const std::uint32_t device : selection.devices) {
      time_s.push_back(SendTime(cell, device, cell.problem.max_power_w[device], block_hz,
                                cell.update_bits[device]));
    }
    const std::vector<double> bandwidth_hz(blocks, block_hz);
    for (const std::size_t block : base::FastestAssignment(time_s, blocks, blocks)) {
      const std::uint32_t device = selection.devices[selection.terms.size()];
      selection.terms.push_back(
          {.power_w = cell.problem.max_power_w[device], .bandwidth_hz = bandwidth_hz[block]});
    }
  }

  std::size_t count_;
  AbleDevices able_;
  std::vector<double> norms_, weights_;
  std::vector<std::uint32_t> others_;
};

}  // namespace

StrategyEntry GradientProbabilityEntry() {
  return {"gradient-probability",
          "The device of the best channel takes part, and others are drawn in proportion to their "
          "updates' norms.",
          {DevicesOption(
              10, "The strategy takes this many devices, the one of the best channel included.")},
          ConstructStrategy<GradientProbability>};
}

}  // namespace airlot::selection
