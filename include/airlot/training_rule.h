// A training rule is what devices and server do with gradients. A rule has a name that the scenario
// key learning.rule takes; one that is written outside of this library is registered before it is
// named (docs/learning.md, "To add a rule").
#ifndef AIRLOT_TRAINING_RULE_H_
#define AIRLOT_TRAINING_RULE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "airlot/compression.h"
#include "airlot/result.h"
#include "airlot/state_part.h"
#include "airlot/training.h"

namespace airlot {

// LearningRules are what devices and server compute in a round.
struct LearningRules {
  double rate = 0.1;
  std::size_t batch = 32;  // number of samples in a local gradient; 0: all
  Aggregation aggregation = Aggregation::kAverage;
  double least_probability = 0;  // least number that an unbiased aggregation divides by
  std::string rule = "fedavg";   // one of TrainingRules()
  // Where these numbers are not set, the rule's own are taken.
  std::optional<double> server_rate;  // factor of the server's step; times `rate` for gradients
  std::optional<double> momentum;     // momentum of the server
  std::optional<double> proximal;     // FedProx term of local training
  std::optional<double> beta1;
  std::optional<double> beta2;
  std::optional<double> tau;
  bool bias_correction = false;
  std::size_t local_steps = 1;   // more than 1: devices train and send models, not gradients
  std::size_t local_epochs = 0;  // passes over all samples, instead of local_steps; 0: none
  CompressionOptions compression;
  bool operator==(const LearningRules&) const = default;
};

// An Assignment is a participant of a round.
struct Assignment {
  std::uint32_t device = 0;
  double weight = 0;                       // weight of its update
  std::optional<double> update_bits = {};  // size to which its update is cut
};

// A LocalResult is what a device made of the server's model in a round.
struct LocalResult {
  const Assignment& participant;
  std::uint64_t seed = 1;
  std::uint64_t round = 1;
  std::span<const float> start;  // the server's parameters
  std::span<const float> end;    // the device's after its steps; empty where it sends a gradient
  std::size_t steps = 0;         // number of steps that it took
  double rate = 0;               // rate of each step
};

// An UpdateStep changes what one device trains and sends. It is called for the participants of a
// round in their order, never for two at a time.
class UpdateStep {
 public:
  virtual ~UpdateStep() = default;
  // Says whether the step has anything to do in a round of these. Where no step has, and devices
  // send gradients, those of all devices are computed in one pass.
  virtual bool IsNeeded(std::span<const Assignment> /*participants*/) const { return true; }
  virtual void StartRound(std::span<const Assignment> /*participants*/, const RunSizes& /*sizes*/) {
  }
  // It is called before local training, and before a question about an update, whose answer changes
  // nothing. Devices of a round train at the same time: what it tells a device must not depend on
  // what AfterTraining saw of another one in this round. The memory of a correction must stay until
  // the next call.
  virtual void BeforeTraining(std::uint32_t /*device*/, LocalTraining& /*training*/) {}
  // `update` is what the device sends: its gradient, or start - end.
  virtual void AfterTraining(const LocalResult& /*result*/, std::span<float> /*update*/) {}
  virtual void EndRound() {}
};

// A TrainingRule is a rule in a run.
class TrainingRule {
 public:
  virtual ~TrainingRule() = default;
  // Moves the server's parameters. `sum` is the weighted sum of what the participants sent: each
  // sent start - end or, unless SendsModels, a gradient.
  virtual void Step(std::span<const float> sum, std::span<float> parameters) = 0;
  // Returns what the rule changes on devices, or null for nothing. It belongs to the rule.
  virtual UpdateStep* update_step() { return nullptr; }
};

// RuleNumbers are what a rule takes where the scenario does not say.
struct RuleNumbers {
  double server_rate = 1;  // for a sum of start - end
  double momentum = 0;
  double proximal = 0;  // LocalTraining::proximal
  double beta1 = 0;
  double beta2 = 0;
  double tau = 0;
};

struct TrainingRuleEntry {
  std::string name;
  std::string summary;
  RuleNumbers defaults = {};
  int vectors_uploaded = 1;          // each as large as the parameters
  bool always_sends_models = false;  // also where devices take one step
  // Makes the rule for a run. What it remembers from round to round it keeps in a StatePart of its
  // own, `parts.Get<MyPart>()`, which a run that goes on from a checkpoint has loaded already.
  std::function<std::unique_ptr<TrainingRule>(const LearningRules& rules, StateParts& parts)> make =
      {};
};

// Returns the rules of this library, then those that were registered, in that order.
const std::deque<TrainingRuleEntry>& TrainingRules();
const TrainingRuleEntry* FindTrainingRule(std::string_view name);
// Adds a rule. Fails where the name is taken or empty, or there is nothing to make. Rules are
// registered before scenarios are read and runs begin: threads that look rules up do not wait for
// it.
Status RegisterTrainingRule(TrainingRuleEntry entry);

// The functions below are for rules whose name is one of TrainingRules().
std::unique_ptr<TrainingRule> MakeTrainingRule(const LearningRules& rules, StateParts& parts);
// Returns the numbers of the scenario and, where it has none, of the rule.
RuleNumbers NumbersOf(const LearningRules& rules);
// Says whether devices train and send models; else they send gradients.
bool SendsModels(const LearningRules& rules);
// Returns the local training of a device, before the rule's UpdateStep.
LocalTraining LocalTrainingOf(const LearningRules& rules);

}  // namespace airlot

#endif  // AIRLOT_TRAINING_RULE_H_
