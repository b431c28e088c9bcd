// With `all`, every device that can take part does, at full power in its own band: the other
// strategies save against it. The planned powers are not used, because they hold for a device that
// takes part now and then.
#include "airlot/strategy_parts.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class All : public Strategy {
 public:
  explicit All(const OptionValues&) {}

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    const std::span<const std::uint32_t> able = able_.devices();
    selection.devices.assign(able.begin(), able.end());
    selection.terms.reserve(able.size());
    for (const std::uint32_t device : able) {
      selection.terms.push_back({.power_w = view.cell->problem.max_power_w[device],
                                 .bandwidth_hz = view.cell->bandwidth_hz[device]});
    }
    selection.probability.assign(able.size(), 1.0);
  }

 private:
  AbleDevices able_;
};

}  // namespace

StrategyEntry AllEntry() {
  return {"all",
          "Every able device takes part, at full power in its own band.",
          {},
          ConstructStrategy<All>,
          /*knows_probabilities=*/true};
}

}  // namespace airlot::selection
