#include "airlot/training.h"

namespace airlot {

void ServerOptimizer::Step(std::span<const float> gradient, std::span<float> parameters) {
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
