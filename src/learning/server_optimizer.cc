#include "airlot/training.h"
#include "base/check.h"

namespace airlot {

void ServerOptimizer::Step(std::span<const float> gradient, std::span<float> parameters) {
  AIRLOT_CHECK(gradient.size() == parameters.size() &&
                   (velocity.empty() || velocity.size() == parameters.size()),
               "{} parameters, a gradient of {}, a velocity of {}", parameters.size(),
               gradient.size(), velocity.size());
  const auto step = float(rate);
  if (momentum == 0) {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= step * gradient[i];
    return;
  }
  velocity.resize(parameters.size());
  const auto keep = float(momentum);
  for (std::size_t i = 0; i < parameters.size(); ++i) {  // (49)
    velocity[i] = keep * velocity[i] + gradient[i];
    parameters[i] -= step * velocity[i];
  }
}

}  // namespace airlot
