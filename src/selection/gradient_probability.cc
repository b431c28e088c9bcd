// gradient-probability selects by the size of updates, after Chen, Poor, Saad and Cui ("Convergence
// time optimization for federated learning over wireless networks", arXiv:2001.07845): the device
// of the best channel always takes part, the others with probabilities in proportion to the norms
// of their updates (S6). Their prediction of the other devices' models by neural networks is left
// out.
#include <algorithm>
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
    const std::size_t count = std::min(count_, able.size());
    const double block_hz = view.cell->total_bandwidth_hz / double(count);
    const std::uint32_t best = BestChannel(*view.cell, able, block_hz);
    selection.devices = {best};
    if (count == able.size()) {  // nothing is to be drawn, so nobody is asked
      selection.devices.assign(able.begin(), able.end());
    } else if (count > 1) {
      Draw(view, able, count - 1, selection.devices);
    }
    std::ranges::sort(selection.devices);
    AssignBlocks(*view.cell, block_hz, selection);
  }

 private:
  static std::uint32_t BestChannel(const Cell& cell, std::span<const std::uint32_t> able,
                                   double block_hz) {
    return *std::ranges::min_element(
        able, {}, [&](std::uint32_t device) { return NoiseToGain(cell, device, block_hz); });
  }

  // Draw draws one after another, each with a probability in proportion to the norms of those who
  // are left (S6). Who has a norm of 0 or none (NaN) is drawn only when no other is left. It
  // appends to `drawn`, which holds the one who is not to be drawn.
  void Draw(const SelectionView& view, std::span<const std::uint32_t> able, std::size_t count,
            std::vector<std::uint32_t>& drawn) {
    norms_.resize(able.size());
    view.probe->Ask(AskUpdateNorm{}, able, norms_);
    others_.clear();
    weights_.clear();
    for (std::size_t i = 0; i < able.size(); ++i) {
      if (able[i] == drawn.front()) continue;
      others_.push_back(able[i]);
      weights_.push_back(norms_[i] > 0 ? std::min(norms_[i], std::numeric_limits<double>::max())
                                       : 0);
    }
    RandomStream stream = StreamOf(view);
    for (const std::uint32_t place : DrawByWeight(weights_, count, stream)) {
      drawn.push_back(others_[place]);
    }
  }

  // Each device gets one block (S7). Our channels are flat, so every block is as good as another; a
  // cell with blocks of their own fading would have a row of times for each device.
  static void AssignBlocks(const Cell& cell, double block_hz, Selection& selection) {
    const std::size_t blocks = selection.devices.size();
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
