// Selection by the size of updates, of Chen, Poor, Saad and Cui ("Convergence
// time optimization for federated learning over wireless networks",
// arXiv:2001.07845): the device of the best channel always, the others with
// probabilities in proportion to the norms of their updates (110). Their
// prediction of the other devices' models by neural networks is left out.
#include <algorithm>
#include <cmath>

#include "selection/able_devices.h"
#include "selection/assignment.h"
#include "selection/purposes.h"
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
    if (count == able.size()) {  // nothing to draw: nobody is asked
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

  // Draws one after another without replacement, each with probabilities in
  // proportion to the norms of those who are left, as the method of Efraimidis
  // and Spirakis does at once (110): the least of exponential numbers divided
  // by the norms. Who has a norm of 0 or none (NaN) is drawn only when no other
  // is left. Appends to `drawn`, which holds the one who is not to be drawn.
  void Draw(const SelectionView& view, std::span<const std::uint32_t> able, std::size_t count,
            std::vector<std::uint32_t>& drawn) {
    norms_.resize(able.size());
    view.probe->UpdateNorms(able, {}, norms_);
    base::RandomStream stream = StreamOf(view);
    keys_.clear();
    for (std::size_t i = 0; i < able.size(); ++i) {
      const double exponential = stream.Exponential();
      const bool has_norm = norms_[i] > 0;
      if (able[i] == drawn.front()) continue;
      keys_.push_back({!has_norm, has_norm ? exponential / norms_[i] : exponential, able[i]});
    }
    std::ranges::nth_element(keys_, keys_.begin() + std::ptrdiff_t(count));
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(keys_[i].device);
  }

  // One block each (111). Our channels are flat, so every block is as good as
  // another; a cell with blocks of their own fading would differ in `time_s`
  // alone.
  static void AssignBlocks(const Cell& cell, double block_hz, Selection& selection) {
    const std::size_t blocks = selection.devices.size();
    std::vector<double> time_s;
    time_s.reserve(blocks * blocks);
    for (const std::uint32_t device : selection.devices) {
      const double upload_s = SendTime(cell, device, cell.problem.max_power_w[device], block_hz,
                                       cell.update_bits[device]);
      time_s.insert(time_s.end(), blocks, upload_s);
    }
    const std::vector<double> bandwidth_hz(blocks, block_hz);
    for (const std::size_t block : FastestAssignment(time_s, blocks)) {
      const std::uint32_t device = selection.devices[selection.terms.size()];
      selection.terms.push_back(
          {.power_w = cell.problem.max_power_w[device], .bandwidth_hz = bandwidth_hz[block]});
    }
  }

  struct Key {
    bool is_last = false;
    double value = 0;
    std::uint32_t device = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm
    auto operator<=>(const Key&) const = default;
  };

  std::size_t count_;
  AbleDevices able_;
  std::vector<double> norms_;
  std::vector<Key> keys_;
};

}  // namespace

const StrategyEntry kGradientProbabilityEntry = {
    "gradient-probability",
    "The device of the best channel, and others drawn in proportion to their "
    "updates' norms.",
    {{.name = "devices",
      .value = 10,
      .low = 1,
      .high = 1000,
      .is_whole = true,
      .summary = "Devices that it takes, the one of the best channel included."}},
    Make<GradientProbability>};

}  // namespace airlot::selection
