// Descent is the server's gradient descent, which several rules share.
#ifndef AIRLOT_LEARNING_DESCENT_H_
#define AIRLOT_LEARNING_DESCENT_H_

#include "airlot/training_rule.h"
#include "learning/server_moments.h"

namespace airlot::learning {

// A step is velocity = momentum * velocity + gradient, parameters -= rate * velocity. (52)
class Descent : public TrainingRule {
 public:
  Descent(const LearningRules& rules, StateParts& parts);
  void Step(std::span<const float> sum, std::span<float> parameters) override;

 private:
  float rate_, momentum_;
  ServerMoments& moments_;
};

// The entries of rules name Make<Rule> as their `make`.
template <class Rule>
std::unique_ptr<TrainingRule> Make(const LearningRules& rules, StateParts& parts) {
  return std::make_unique<Rule>(rules, parts);
}

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_DESCENT_H_
