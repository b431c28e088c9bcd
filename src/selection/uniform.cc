// The classical FedAvg selection draws a fixed number of devices uniformly and without replacement.
// (56)
#include "airlot/strategy_parts.h"
#include "selection/purposes.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Uniform : public Strategy {
 public:
  explicit Uniform(const OptionValues& options) : count_(std::size_t(options["devices"])) {}

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    SelectUniformly(able_.devices(), count_, {view.seed, kUniform, RoundOfDraw(view), 0},
                    selection);
  }

 private:
  std::size_t count_;
  AbleDevices able_;
};

}  // namespace

StrategyEntry UniformEntry() {
  return {"uniform",
          "A fixed number of devices is drawn uniformly.",
          {DevicesOption(30)},
          ConstructStrategy<Uniform>,
          /*knows_probabilities=*/true};
}

}  // namespace airlot::selection
