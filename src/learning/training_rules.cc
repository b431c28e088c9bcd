// The training rules by name. Where the defaults come from: docs/learning.md, "Training rules".
#include <array>

#include "airlot/training.h"

namespace airlot {
namespace {

constexpr std::array<TrainingRuleEntry, 7> kTrainingRules{{
    {.rule = TrainingRule::kFedAvg,
     .name = "fedavg",
     .summary = "The average of the devices' models, or gradients where they take one step."},
    {.rule = TrainingRule::kFedProx,
     .name = "fedprox",
     .summary = "Devices are pulled back to the model that they started from.",
     .trains_with_proximal_term = true,
     .proximal = 0.1},
    {.rule = TrainingRule::kScaffold,
     .name = "scaffold",
     .summary = "Control variates correct the devices' drift; uploads twice as much.",
     .vectors_uploaded = 2},
    {.rule = TrainingRule::kFedAvgM,
     .name = "fedavgm",
     .summary = "The average, with momentum at the server.",
     .momentum = 0.9},
    {.rule = TrainingRule::kFedAdam,
     .name = "fedadam",
     .summary = "The server takes the average's change as a gradient for Adam.",
     .server_rule = ServerRule::kAdam,
     .server_rate = 0.01,
     .beta1 = 0.9,
     .beta2 = 0.99,
     .tau = 1e-9},
    {.rule = TrainingRule::kFedYogi,
     .name = "fedyogi",
     .summary = "The same for Yogi, whose second moment falls more slowly than Adam's.",
     .server_rule = ServerRule::kYogi,
     .server_rate = 0.01,
     .beta1 = 0.9,
     .beta2 = 0.99,
     .tau = 1e-3},
    {.rule = TrainingRule::kFedAdagrad,
     .name = "fedadagrad",
     .summary = "The same for Adagrad, whose steps become smaller with every round.",
     .server_rule = ServerRule::kAdagrad,
     .server_rate = 0.01,
     .tau = 1e-9},
}};

}  // namespace

std::span<const TrainingRuleEntry> TrainingRules() { return kTrainingRules; }

}  // namespace airlot
