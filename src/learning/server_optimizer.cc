// The server's step: descent, and the adaptive rules of Reddi et al., "Adaptive Federated
// Optimization" (2021), Algorithm 2.
#include <cmath>

#include "airlot/training.h"
#include "base/check.h"

namespace airlot {
namespace {

void Descend(ServerOptimizer& optimizer, std::span<const float> gradient,
             std::span<float> parameters) {
  const auto step = float(optimizer.rate);
  if (optimizer.momentum == 0) {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= step * gradient[i];
    return;
  }
  optimizer.velocity.resize(parameters.size());
  const auto keep = float(optimizer.momentum);
  for (std::size_t i = 0; i < parameters.size(); ++i) {  // (49)
    float& velocity = optimizer.velocity[i];
    velocity = keep * velocity + gradient[i];
    parameters[i] -= step * velocity;
  }
}

// (89). Adagrad's second moment is a sum, not a mean: nothing in it is to be corrected.
double RateOf(const ServerOptimizer& optimizer) {
  if (!optimizer.bias_correction) return optimizer.rate;
  const auto t = double(optimizer.steps);
  const double second =
      optimizer.rule == ServerRule::kAdagrad ? 1 : 1 - std::pow(optimizer.beta2, t);
  return optimizer.rate * std::sqrt(second) / (1 - std::pow(optimizer.beta1, t));
}

// next(v, square) is the second moment after v. The moments are those of -Delta, the gradient: that
// changes the sign of the first and of the step, and no bits.
template <class Next>
void Adapt(ServerOptimizer& optimizer, std::span<const float> gradient, std::span<float> parameters,
           Next next) {
  optimizer.velocity.resize(parameters.size());
  optimizer.second.resize(parameters.size());
  const auto rate = float(RateOf(optimizer));
  const auto keep = float(optimizer.beta1), take = float(1 - optimizer.beta1);
  const auto tau = float(optimizer.tau);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    float& velocity = optimizer.velocity[i];
    float& second = optimizer.second[i];
    velocity = keep * velocity + take * gradient[i];               // (84)
    second = next(second, gradient[i] * gradient[i]);              // (85), (86), (87)
    parameters[i] -= rate * velocity / (std::sqrt(second) + tau);  // (88)
  }
}

void AdaptByRule(ServerOptimizer& optimizer, std::span<const float> gradient,
                 std::span<float> parameters) {
  AIRLOT_CHECK(optimizer.beta1 >= 0 && optimizer.beta1 < 1 && optimizer.beta2 >= 0 &&
                   optimizer.beta2 < 1 && float(optimizer.tau) > 0,
               "beta1 = {}, beta2 = {}, tau = {}", optimizer.beta1, optimizer.beta2, optimizer.tau);
  const auto keep = float(optimizer.beta2), take = float(1 - optimizer.beta2);
  switch (optimizer.rule) {
    case ServerRule::kDescent:
      break;
    case ServerRule::kAdam:  // (85)
      Adapt(optimizer, gradient, parameters,
            [=](float v, float square) { return keep * v + take * square; });
      break;
    case ServerRule::kYogi:  // (86): where v is the square already, it stays
      Adapt(optimizer, gradient, parameters, [=](float v, float square) {
        const auto sign = float(int(v > square) - int(v < square));
        return v - take * square * sign;
      });
      break;
    case ServerRule::kAdagrad:  // (87)
      Adapt(optimizer, gradient, parameters, [](float v, float square) { return v + square; });
      break;
  }
}

}  // namespace

void ServerOptimizer::Step(std::span<const float> gradient, std::span<float> parameters) {
  const auto fits = [&](const std::vector<float>& moment) {
    return moment.empty() || moment.size() == parameters.size();
  };
  AIRLOT_CHECK(gradient.size() == parameters.size() && fits(velocity) && fits(second),
               "{} parameters, a gradient of {}, a velocity of {}, a second moment of {}",
               parameters.size(), gradient.size(), velocity.size(), second.size());
  ++steps;
  if (rule == ServerRule::kDescent) {
    Descend(*this, gradient, parameters);
  } else {
    AdaptByRule(*this, gradient, parameters);
  }
}

}  // namespace airlot
