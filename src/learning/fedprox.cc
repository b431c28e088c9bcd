// FedProx is the rule of Li et al. 2020 (arXiv:1812.06127). Its term of the local gradient is
// LocalTraining::proximal (L4).
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {

TrainingRuleEntry FedProxEntry() {
  return {.name = "fedprox",
          .summary = "Devices are pulled back to the model that they started from.",
          .defaults = {.proximal = 0.1},
          .make = Make<Descent>};
}

}  // namespace airlot::learning
