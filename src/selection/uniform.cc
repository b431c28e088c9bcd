// The classical FedAvg selection draws devices uniformly and without replacement, in each round
// equally many. (56)
#include "airlot/strategy_parts.h"
#include "selection/purposes.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// These are values of options for which the user writes words.
constexpr double kAsExpected = 0;
constexpr double kPlannedPower = 0, kLargestPower = 1;

class Uniform : public Strategy {
 public:
  explicit Uniform(const OptionValues& options)
      : devices_(options["devices"]), has_largest_power_(options["power"] == kLargestPower) {}

  bool TakesPlannedTerms() const override { return !has_largest_power_; }
  void Select(const SelectionView& view, Selection& selection) override {
    if (able_.Update(view)) {
      count_ = devices_ == kAsExpected ? ExpectedDevices(view) : std::size_t(devices_);
    }
    SelectUniformly(able_.devices(), count_, {view.seed, kUniform, RoundOfDraw(view), 0},
                    selection);
    if (!has_largest_power_) return;
    for (const std::uint32_t device : selection.devices) {
      selection.terms.push_back({.power_w = view.cell->problem.max_power_w[device],
                                 .bandwidth_hz = view.cell->bandwidth_hz[device]});
    }
  }

 private:
  double devices_;
  bool has_largest_power_;
  std::size_t count_ = 0;
  AbleDevices able_;
};

StrategyOption NumberOption() {
  StrategyOption option = DevicesOption(
      30, "A round has this many devices, or as many as the plan expects (expected).");
  option.words = {{"expected", kAsExpected}};
  return option;
}

StrategyOption PowerOption() {
  return {.name = "power",
          .value = kPlannedPower,
          .low = 1,
          .high = 0,
          .summary =
              "Devices send with the planned power, or with their largest, whatever their "
              "budget is.",
          .words = {{"planned", kPlannedPower}, {"largest", kLargestPower}}};
}

}  // namespace

StrategyEntry UniformEntry() {
  return {"uniform",
          "Equally many devices are drawn uniformly in each round.",
          {NumberOption(), PowerOption()},
          ConstructStrategy<Uniform>,
          /*knows_probabilities=*/true};
}

}  // namespace airlot::selection
