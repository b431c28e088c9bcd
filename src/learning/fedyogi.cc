// FedYogi is a rule of Reddi et al. 2021 (arXiv:2003.00295), Algorithm 2.
#include "learning/adaptive_server.h"
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {
namespace {

// The second moment goes towards the square by (L10), and stays where it is the square already.
class YogiMoment {
 public:
  static constexpr bool kIsMean = true;  // counts in (L13), as libraries have it
  explicit YogiMoment(double beta2) : take_(float(1 - beta2)) {}
  float operator()(float second, float square) const {
    const auto sign = float(int(second > square) - int(second < square));
    return second - take_ * square * sign;
  }

 private:
  float take_;
};

}  // namespace

TrainingRuleEntry FedYogiEntry() {
  return {
      .name = "fedyogi",
      .summary =
          "The server steps as with fedadam, but by Yogi, whose second moment falls more slowly.",
      .defaults = {.server_rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .tau = 1e-3},
      .make = Make<AdaptiveServer<YogiMoment>>};
}

}  // namespace airlot::learning
