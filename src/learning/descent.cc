#include "learning/descent.h"

namespace airlot::learning {

// Where devices send gradients, the server takes the step that they would have taken themselves.
Descent::Descent(const LearningRules& rules, StateParts& parts)
    : rate_(float(NumbersOf(rules).server_rate * (SendsModels(rules) ? 1 : rules.rate))),
      momentum_(float(NumbersOf(rules).momentum)),
      moments_(parts.Get<ServerMoments>()) {}

void Descent::Step(std::span<const float> sum, std::span<float> parameters) {
  moments_.CheckStep(sum, parameters);
  if (momentum_ == 0) {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate_ * sum[i];
    return;
  }
  moments_.velocity.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {  // (52)
    float& velocity = moments_.velocity[i];
    velocity = momentum_ * velocity + sum[i];
    parameters[i] -= rate_ * velocity;
  }
}

}  // namespace airlot::learning
