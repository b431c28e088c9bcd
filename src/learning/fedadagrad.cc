// FedAdagrad is a rule of Reddi et al. 2021 (arXiv:2003.00295), Algorithm 2.
#include "learning/adaptive_server.h"
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {
namespace {

// The second moment (L11) is a sum and not a mean, so nothing in it is to be corrected.
class AdagradMoment {
 public:
  static constexpr bool kIsMean = false;
  explicit AdagradMoment(double /*beta2*/) {}
  float operator()(float second, float square) const { return second + square; }
};

}  // namespace

TrainingRuleEntry FedAdagradEntry() {
  return {
      .name = "fedadagrad",
      .summary =
          "The server steps as with fedadam, but by Adagrad, whose steps shrink with every round.",
      .defaults = {.server_rate = 0.01, .tau = 1e-9},
      .make = Make<AdaptiveServer<AdagradMoment>>};
}

}  // namespace airlot::learning
