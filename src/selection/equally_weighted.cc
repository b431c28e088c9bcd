// equally-weighted counts devices and not their data, as FedCS does, and takes the devices of
// largest probability, as many as the plan expects. (55)
#include "airlot/strategy_parts.h"
#include "selection/best_devices.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class EquallyWeighted : public BestDevices {
 public:
  explicit EquallyWeighted(const OptionValues&) {}

 protected:
  std::vector<std::uint32_t> SelectBest(const SelectionView& view) const override {
    return DevicesOfLargestScore(view, view.probability, ExpectedDevices(view));
  }
};

}  // namespace

StrategyEntry EquallyWeightedEntry() {
  return {"equally-weighted",
          "As many devices take part as expected, those of largest probability (FedCS-like).",
          {},
          ConstructStrategy<EquallyWeighted>};
}

}  // namespace airlot::selection
