// AdaptiveServer is what the adaptive rules of Reddi et al., "Adaptive Federated Optimization"
// (2021), Algorithm 2, have in common: all but how the second moment goes on.
#ifndef AIRLOT_LEARNING_ADAPTIVE_SERVER_H_
#define AIRLOT_LEARNING_ADAPTIVE_SERVER_H_

#include <cmath>

#include "airlot/training_rule.h"
#include "base/check.h"
#include "learning/server_moments.h"

namespace airlot::learning {

// The velocity is a mean of the last gradients and `second` one of their squares, and a step is
// parameters -= rate * velocity / (sqrt(second) + tau). `SecondMoment` is made from beta2; called
// with the second moment and the next square, it returns the moment after. Its kIsMean says whether
// the moment starts too small (L13).
template <class SecondMoment>
class AdaptiveServer : public TrainingRule {
 public:
  AdaptiveServer(const LearningRules& rules, StateParts& parts)
      : numbers_(NumbersOf(rules)),
        corrects_bias_(rules.bias_correction),
        local_rate_(float(SendsModels(rules) ? 1 : rules.rate)),
        moments_(parts.Get<ServerMoments>()) {
    AIRLOT_CHECK(numbers_.beta1 >= 0 && numbers_.beta1 < 1 && numbers_.beta2 >= 0 &&
                     numbers_.beta2 < 1 && float(numbers_.tau) > 0,
                 "beta1 = {}, beta2 = {}, tau = {}", numbers_.beta1, numbers_.beta2, numbers_.tau);
  }

  // The moments are those of -Delta, the gradient, which changes the sign of the first moment and
  // of the step, and no bits.
  void Step(std::span<const float> sum, std::span<float> parameters) override {
    moments_.CheckStep(sum, parameters);
    ++moments_.steps;
    moments_.velocity.resize(parameters.size());
    moments_.second.resize(parameters.size());
    const auto rate = float(Rate());
    const auto keep = float(numbers_.beta1), take = float(1 - numbers_.beta1);
    const auto tau = float(numbers_.tau);
    const float local_rate = local_rate_;
    const SecondMoment next(numbers_.beta2);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const float gradient = local_rate * sum[i];  // what one local step would send
      float& velocity = moments_.velocity[i];
      float& second = moments_.second[i];
      velocity = keep * velocity + take * gradient;                  // (L8)
      second = next(second, gradient * gradient);                    // (L9), (L10), (L11)
      parameters[i] -= rate * velocity / (std::sqrt(second) + tau);  // (L12)
    }
  }

 private:
  // Rate returns the rate of the next step (L13).
  double Rate() const {
    if (!corrects_bias_) return numbers_.server_rate;
    const auto t = double(moments_.steps);
    const double second = SecondMoment::kIsMean ? 1 - std::pow(numbers_.beta2, t) : 1;
    return numbers_.server_rate * std::sqrt(second) / (1 - std::pow(numbers_.beta1, t));
  }

  RuleNumbers numbers_;
  bool corrects_bias_;
  float local_rate_;
  ServerMoments& moments_;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_ADAPTIVE_SERVER_H_
