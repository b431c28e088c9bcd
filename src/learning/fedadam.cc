// FedAdam is a rule of Reddi et al. 2021 (arXiv:2003.00295), Algorithm 2.
#include "learning/adaptive_server.h"
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {
namespace {

// The second moment is a mean of squares (L9).
class AdamMoment {
 public:
  static constexpr bool kIsMean = true;
  explicit AdamMoment(double beta2) : keep_(float(beta2)), take_(float(1 - beta2)) {}
  float operator()(float second, float square) const { return keep_ * second + take_ * square; }

 private:
  float keep_, take_;
};

}  // namespace

TrainingRuleEntry FedAdamEntry() {
  return {.name = "fedadam",
          .summary = "The server takes the average's change as a gradient for Adam.",
          .defaults = {.server_rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .tau = 1e-9},
          .make = Make<AdaptiveServer<AdamMoment>>};
}

}  // namespace airlot::learning
