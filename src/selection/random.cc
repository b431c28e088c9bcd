// Random scheduling of Yang, Liu, Quek and Poor (arXiv:1908.06287): as many
// devices as there are sub-channels, drawn uniformly. It differs from `uniform`
// in the bands: the whole band is shared by those who are drawn. (53), (105)
#include "selection/able_devices.h"
#include "selection/drawing.h"
#include "selection/purposes.h"
#include "selection/strategies.h"
#include "selection/subchannels.h"

namespace airlot::selection {
namespace {

class Random : public Strategy {
 public:
  explicit Random(const OptionValues& options) : count_(std::size_t(options["devices"])) {}

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    SelectUniformly(able_.devices(), count_, StreamOf(view), selection);
    ShareEqually(view, selection);  // (105)
  }

 private:
  std::size_t count_;
  AbleDevices able_;
};

}  // namespace

const StrategyEntry kRandomEntry = {
    "random",
    "A fixed number of devices, drawn uniformly, who share the whole band.",
    {{.name = "devices",
      .value = 10,
      .low = 1,
      .high = 1e9,
      .is_whole = true,
      .summary = "Devices that it takes: sub-channels of the band."}},
    Make<Random>,
    /*knows_probabilities=*/true};

}  // namespace airlot::selection
