// The paper's "deterministic" selection makes the probabilities binary. Rounding each at 1/2 would
// select nobody in its first scenario, so as many devices are taken as the plan expects, those of
// largest data share times probability (54); a threshold instead is an option.
#include "airlot/strategy_parts.h"
#include "selection/best_devices.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Deterministic : public BestDevices {
 public:
  explicit Deterministic(const OptionValues& options) : threshold_(options["threshold"]) {}

 protected:
  std::vector<std::uint32_t> SelectBest(const SelectionView& view) const override {
    std::vector<double> score(view.probability.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < score.size(); ++i) {
      const bool is_above = view.probability[i] >= threshold_;
      score[i] = threshold_ > 0 ? view.probability[i] : view.data_share[i] * view.probability[i];
      if (is_above) ++count;
    }
    return DevicesOfLargestScore(view, score, threshold_ > 0 ? count : ExpectedDevices(view));
  }

 private:
  double threshold_;
};

}  // namespace

StrategyEntry DeterministicEntry() {
  return {"deterministic",
          "As many devices take part as expected, those of largest data share times probability.",
          {{.name = "threshold",
            .value = 0,
            .low = 0,
            .high = 1,
            .summary = "Unless 0, all devices of at least this probability take part, not the "
                       "expected number."}},
          ConstructStrategy<Deterministic>};
}

}  // namespace airlot::selection
