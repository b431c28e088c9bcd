// FedAvg is the rule of McMahan et al. 2017.
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {

TrainingRuleEntry FedAvgEntry() {
  return {
      .name = "fedavg",
      .summary = "The server averages the devices' models, or gradients where they take one step.",
      .make = Make<Descent>};
}

}  // namespace airlot::learning
