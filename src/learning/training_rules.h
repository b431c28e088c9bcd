// Each training rule of this library is one file. docs/learning.md, "Training rules", says where
// their defaults come from.
#ifndef AIRLOT_LEARNING_TRAINING_RULES_H_
#define AIRLOT_LEARNING_TRAINING_RULES_H_

#include "airlot/training_rule.h"

namespace airlot::learning {

TrainingRuleEntry FedAvgEntry();
TrainingRuleEntry FedProxEntry();
TrainingRuleEntry ScaffoldEntry();
TrainingRuleEntry FedAvgMEntry();
TrainingRuleEntry FedAdamEntry();
TrainingRuleEntry FedYogiEntry();
TrainingRuleEntry FedAdagradEntry();

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_TRAINING_RULES_H_
