// FedAvgM is the rule of Hsu et al. 2019 (arXiv:1909.06335).
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {

TrainingRuleEntry FedAvgMEntry() {
  return {.name = "fedavgm",
          .summary = "The server averages as with fedavg, and moves with momentum.",
          .defaults = {.momentum = 0.9},
          .make = Make<Descent>};
}

}  // namespace airlot::learning
