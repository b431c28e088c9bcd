// Selection that counts devices and not their data, as FedCS does: the devices of largest
// probability, as many as the plan expects. (52)
#include "selection/best_devices.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class EquallyWeighted : public BestDevices {
 protected:
  std::vector<std::uint32_t> SelectBest(const SelectionView& view) const override {
    return Largest(view, {view.probability.begin(), view.probability.end()}, ExpectedDevices(view));
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeEquallyWeighted(const StrategyOptions&) {
  return std::make_unique<EquallyWeighted>();
}

}  // namespace airlot::selection
