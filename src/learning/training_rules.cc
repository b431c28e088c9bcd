// This file holds the registry of training rules, and what follows from a rule's name.
#include "learning/training_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace airlot {
namespace {

// The registry is filled on first use, so that it does not matter which file is initialised first.
std::deque<TrainingRuleEntry>& Registry() {
  static std::deque<TrainingRuleEntry> entries{learning::FedAvgEntry(),    learning::FedProxEntry(),
                                               learning::ScaffoldEntry(),  learning::FedAvgMEntry(),
                                               learning::FedAdamEntry(),   learning::FedYogiEntry(),
                                               learning::FedAdagradEntry()};
  return entries;
}

const TrainingRuleEntry& EntryOf(const LearningRules& rules) {
  const TrainingRuleEntry* entry = FindTrainingRule(rules.rule);
  AIRLOT_CHECK(entry != nullptr, "there is no training rule {}", rules.rule);
  return *entry;
}

}  // namespace

const std::deque<TrainingRuleEntry>& TrainingRules() { return Registry(); }

const TrainingRuleEntry* FindTrainingRule(std::string_view name) {
  const auto& entries = Registry();
  const auto found = std::ranges::find(entries, name, &TrainingRuleEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

Status RegisterTrainingRule(TrainingRuleEntry entry) {
  if (entry.name.empty()) return Error{"a training rule has no name"};
  if (FindTrainingRule(entry.name) != nullptr) {
    return Error{fmt::format("training rule {}: there is one of that name", entry.name)};
  }
  if (!entry.make) return Error{fmt::format("training rule {}: make is not set", entry.name)};
  if (entry.vectors_uploaded < 1) {
    return Error{fmt::format("training rule {}: vectors_uploaded = {}: must be >= 1", entry.name,
                             entry.vectors_uploaded)};
  }
  Registry().push_back(std::move(entry));
  return {};
}

std::unique_ptr<TrainingRule> MakeTrainingRule(const LearningRules& rules, StateParts& parts) {
  return EntryOf(rules).make(rules, parts);
}

RuleNumbers NumbersOf(const LearningRules& rules) {
  const RuleNumbers& defaults = EntryOf(rules).defaults;
  return {.server_rate = rules.server_rate.value_or(defaults.server_rate),
          .momentum = rules.momentum.value_or(defaults.momentum),
          .proximal = rules.proximal.value_or(defaults.proximal),
          .beta1 = rules.beta1.value_or(defaults.beta1),
          .beta2 = rules.beta2.value_or(defaults.beta2),
          .tau = rules.tau.value_or(defaults.tau)};
}

bool SendsModels(const LearningRules& rules) {
  return rules.local_steps > 1 || rules.local_epochs > 0 || EntryOf(rules).always_sends_models;
}

LocalTraining LocalTrainingOf(const LearningRules& rules) {
  return {.rate = rules.rate,
          .batch = rules.batch,
          .steps = rules.local_steps,
          .epochs = rules.local_epochs,
          .proximal = NumbersOf(rules).proximal};
}

}  // namespace airlot
