// The paper's strategy draws devices independently with the planned probabilities. (53)
#include <cmath>

#include "selection/independent_draws.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Probabilistic : public Strategy {
 public:
  explicit Probabilistic(const OptionValues&) {}

  bool TakesPlannedTerms() const override { return true; }
  void Select(const SelectionView& view, Selection& selection) override {
    DrawIndependently(view, view.probability, [&](std::size_t device, bool is_drawn) {
      if (is_drawn) selection.devices.push_back(std::uint32_t(device));
    });
    const double not_empty = view.redraws_empty ? ProbabilityOfAny(view) : 1;
    for (const std::uint32_t device : selection.devices) {
      selection.probability.push_back(view.probability[device] / not_empty);  // (51)
    }
  }

 private:
  // ProbabilityOfAny returns the probability that somebody is drawn, found again for each plan
  // only.
  double ProbabilityOfAny(const SelectionView& view) {
    if (any_ == 0 || plan_version_ != view.plan_version) {
      double log_none = 0;
      for (const double a : view.probability) log_none += std::log1p(-a);  // (31)
      any_ = -std::expm1(log_none);
      plan_version_ = view.plan_version;
    }
    return any_;
  }

  double any_ = 0;
  std::uint64_t plan_version_ = 0;
};

}  // namespace

StrategyEntry ProbabilisticEntry() {
  return {"probabilistic",
          "Each device is drawn on its own with its planned probability.",
          {},
          ConstructStrategy<Probabilistic>,
          /*knows_probabilities=*/true};
}

}  // namespace airlot::selection
