// Random scheduling of Yang, Liu, Quek and Poor (arXiv:1908.06287) draws as many devices as there
// are sub-channels, uniformly. It differs from `uniform` in the bands: those who are drawn share
// the whole band. (56), (S1)
#include "airlot/strategy_parts.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Random : public Strategy {
 public:
  explicit Random(const OptionValues& options) : count_(std::size_t(options["devices"])) {}

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    SelectUniformly(able_.devices(), count_, StreamOf(view), selection);
    ShareBandEqually(view, selection);  // (S1)
  }

 private:
  std::size_t count_;
  AbleDevices able_;
};

}  // namespace

StrategyEntry RandomEntry() {
  return {"random",
          "A fixed number of devices is drawn uniformly, and they share the whole band.",
          {DevicesOption(
              10, "The strategy takes this many devices, one for each sub-channel of the band.")},
          ConstructStrategy<Random>,
          /*knows_probabilities=*/true};
}

}  // namespace airlot::selection
