// A fixed number of devices, uniformly and without replacement: the classical
// FedAvg selection. (53)
#include "selection/able_devices.h"
#include "selection/drawing.h"
#include "selection/purposes.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Uniform : public Strategy {
 public:
  explicit Uniform(const OptionValues& options) : count_(std::size_t(options["devices"])) {}

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    SelectUniformly(able_.devices(), count_, {view.seed, kUniform, DrawOf(view), 0}, selection);
  }

 private:
  std::size_t count_;
  AbleDevices able_;
};

}  // namespace

const StrategyEntry kUniformEntry = {"uniform",
                                     "A fixed number of devices, drawn uniformly.",
                                     {{.name = "devices",
                                       .value = 30,
                                       .low = 1,
                                       .high = 1e9,
                                       .is_whole = true,
                                       .summary = "Devices that it takes."}},
                                     Make<Uniform>,
                                     /*knows_probabilities=*/true};

}  // namespace airlot::selection
