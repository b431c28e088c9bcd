// Round robin of Yang, Liu, Quek and Poor (arXiv:1908.06287) serves fixed groups of consecutive
// devices in turn. (S2)
#include <algorithm>

#include "airlot/strategy_parts.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class RoundRobin : public Strategy {
 public:
  explicit RoundRobin(const OptionValues& options) : size_(std::size_t(options["devices"])) {}

  // The group follows from the round alone, so that it is the same in a round that is drawn again
  // or taken up again. The last group may be smaller; its devices have wider bands.
  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    const std::span<const std::uint32_t> able = able_.devices();
    if (able.empty()) return;
    const std::size_t groups = (able.size() - 1) / size_ + 1;
    const std::size_t first = std::size_t((view.round - 1) % groups) * size_;
    const auto group = able.subspan(first, std::min(size_, able.size() - first));
    selection.devices.assign(group.begin(), group.end());
    ShareBandEqually(view, selection);  // (S1)
  }

 private:
  std::size_t size_;
  AbleDevices able_;
};

}  // namespace

StrategyEntry RoundRobinEntry() {
  return {
      "round-robin",
      "Fixed groups of devices take part one after another and share the whole band.",
      {DevicesOption(10, "A group has this many devices, one for each sub-channel of the band.")},
      ConstructStrategy<RoundRobin>};
}

}  // namespace airlot::selection
