// Proportional fair scheduling of Yang, Liu, Quek and Poor (arXiv:1908.06287) takes those whose
// channel is best, measured by what it usually is. (S3)
#include <algorithm>
#include <cmath>

#include "airlot/strategy_parts.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// The memory holds, in this order, the round that it has counted, the averaged SNR of each device,
// how often each was served in earlier rounds, and who is served in this round. Those served now
// wait to be counted, so that a round that is selected again is selected the same way.
class ProportionalFair : public Strategy {
 public:
  explicit ProportionalFair(const OptionValues& options)
      : count_(std::size_t(options["devices"])), window_rounds_(options["window"]) {}

  void Select(const SelectionView& view, Selection& selection) override {
    const std::size_t devices = view.probability.size();
    std::vector<double>& memory = *view.memory;
    FindSnr(view);
    const bool is_new = memory.size() < 1 + 2 * devices;
    if (is_new) {
      memory.assign(1 + 2 * devices, 0);
      std::ranges::copy(snr_, memory.begin() + 1);
    } else if (memory[0] != double(view.round)) {
      CountRound(memory);
    }
    memory[0] = double(view.round);
    SelectBest(view, selection);
    memory.resize(1 + 2 * devices);
    memory.insert(memory.end(), selection.devices.begin(), selection.devices.end());
    ShareBandEqually(view, selection);  // (S1)
  }

 private:
  void FindSnr(const SelectionView& view) {
    const Cell& cell = *view.cell;
    snr_.resize(view.probability.size());
    for (std::size_t i = 0; i < snr_.size(); ++i) {
      snr_[i] = cell.problem.max_power_w[i] / NoiseToGain(cell, i, cell.bandwidth_hz[i]);
    }
  }

  // The averages of a channel that does not change stay what they are, to the
  // last bit.
  void CountRound(std::vector<double>& memory) const {
    const std::size_t devices = snr_.size();
    double* const average = memory.data() + 1;
    double* const served = average + devices;
    for (std::size_t i = 0; i < devices; ++i) {
      average[i] = std::lerp(average[i], snr_[i], 1 / window_rounds_);  // (S3)
    }
    for (std::size_t i = 1 + 2 * devices; i < memory.size(); ++i) {
      ++served[std::size_t(memory[i])];
    }
  }

  void SelectBest(const SelectionView& view, Selection& selection) {
    const double* const average = view.memory->data() + 1;
    const double* const served = average + snr_.size();
    for (std::size_t i = 0; i < snr_.size(); ++i) snr_[i] /= average[i];
    const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
      if (snr_[a] != snr_[b]) return snr_[a] > snr_[b];
      return served[a] != served[b] ? served[a] < served[b] : a < b;
    };
    able_.Update(view);
    const std::span<const std::uint32_t> able = able_.devices();
    order_.assign(able.begin(), able.end());
    const auto end = order_.begin() + std::ptrdiff_t(std::min(count_, order_.size()));
    std::nth_element(order_.begin(), end, order_.end(), is_better);
    std::sort(order_.begin(), end);
    selection.devices.assign(order_.begin(), end);
  }

  std::size_t count_;
  double window_rounds_;
  AbleDevices able_;
  std::vector<double> snr_;  // then the ratio of the SNR to its average
  std::vector<std::uint32_t> order_;
};

}  // namespace

StrategyEntry ProportionalFairEntry() {
  return {"proportional-fair",
          "The devices of largest SNR by its average take part and share the whole band.",
          {DevicesOption(
               10, "The strategy takes this many devices, one for each sub-channel of the band."),
           {.name = "window",
            .value = 100,
            .low = 2,
            .high = 1e9,
            .summary = "The average looks back this many rounds."}},
          ConstructStrategy<ProportionalFair>};
}

}  // namespace airlot::selection
