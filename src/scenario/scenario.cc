#include "airlot/scenario.h"

#include <algorithm>

#include "base/check.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

using scenario::FindKey;
using scenario::FormatValue;
using scenario::Key;
using scenario::Keys;
using scenario::SectionOf;

const TrainingRuleEntry& EntryOf(TrainingRule rule) {
  const auto entries = TrainingRules();
  const auto found = std::ranges::find(entries, rule, &TrainingRuleEntry::rule);
  AIRLOT_CHECK(found != entries.end(), "training rule {}", int(rule));
  return *found;
}

double Or(double value, double otherwise) { return value > 0 ? value : otherwise; }

bool IsSet(std::string_view name, const Scenario& scenario) {
  return !FormatValue(*FindKey(name), scenario).empty();
}

// Whether a key may stand in the scenario's file beside the others that are set.
bool Applies(const Key& key, const Scenario& scenario) {
  const auto& [excludes, needs] = key.beside;
  return (excludes.empty() || !IsSet(excludes, scenario)) &&
         (needs.empty() || IsSet(needs, scenario));
}

}  // namespace

LocalTraining LocalTrainingOf(const LearningRules& rules) {
  return {.rate = rules.rate,
          .batch = rules.batch,
          .steps = rules.local_steps,
          .epochs = rules.local_epochs,
          .proximal = rules.proximal.value_or(EntryOf(rules.rule).proximal)};
}

ServerOptimizer OptimizerOf(const LearningRules& rules) {
  const TrainingRuleEntry& entry = EntryOf(rules.rule);
  const bool takes_gradients = entry.server_rule == ServerRule::kDescent && !SendsModels(rules);
  return {.rule = entry.server_rule,
          .rate = Or(rules.server_rate, entry.server_rate) * (takes_gradients ? rules.rate : 1),
          .momentum = rules.momentum.value_or(entry.momentum),
          .beta1 = rules.beta1.value_or(entry.beta1),
          .beta2 = rules.beta2.value_or(entry.beta2),
          .tau = Or(rules.tau, entry.tau),
          .bias_correction = rules.bias_correction};
}

LocalWork WorkOf(const LearningRules& rules) {
  return {.batch = rules.batch, .steps = rules.local_steps, .epochs = rules.local_epochs};
}

std::string FormatScenario(const Scenario& scenario) {
  std::string text;
  std::string_view section;
  for (const Key& key : Keys()) {
    const std::string value = FormatValue(key, scenario);
    if (value.empty() || !Applies(key, scenario)) continue;
    if (SectionOf(key) != section) {
      section = SectionOf(key);
      text.append("\n[").append(section).append("]\n");
    }
    const std::size_t prefix = section.empty() ? 0 : section.size() + 1;
    text.append(key.name.substr(prefix)).append(" = ").append(value).append("\n");
  }
  return text;
}

std::vector<ScenarioKey> ScenarioKeys() {
  std::vector<ScenarioKey> keys;
  for (const Key& key : Keys()) {
    keys.push_back({key.name, FormatDefault(key), key.summary});
  }
  return keys;
}

}  // namespace airlot
