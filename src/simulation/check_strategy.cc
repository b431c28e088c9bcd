// CheckStrategy says whether a strategy and a scenario can stand beside each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "airlot/compression.h"
#include "airlot/simulation.h"
#include "selection/airtime_rules.h"
#include "simulation/check_airtime.h"

namespace airlot {
namespace {

std::vector<std::string_view> KnowingProbabilities() {
  std::vector<std::string_view> names;
  for (const StrategyEntry& entry : Strategies()) {
    if (entry.knows_probabilities) names.push_back(entry.name);
  }
  return names;
}

std::vector<std::string_view> TakingSteps() {
  std::vector<std::string_view> names;
  for (const StrategyEntry& entry : Strategies()) {
    if (!entry.needs_shannon) names.push_back(entry.name);
  }
  return names;
}

std::string_view NameOf(Compression method) {
  return std::ranges::find(Compressions(), method, &CompressionEntry::method)->name;
}

}  // namespace

Status simulation::CheckAirtime(const Scenario& scenario, std::string_view otherwise) {
  if (scenario.round.time_rule == TimeRule::kDeadline) {
    return Error{
        fmt::format("round.time_rule = deadline: an airtime plan bounds the time of the mean "
                    "round; set it to expected, or {}",
                    otherwise)};
  }
  if (StepsOf(scenario.radio).any()) {
    return Error{
        fmt::format("{}: an airtime plan knows Shannon's formula and powers of any size only; "
                    "leave it out, or {}",
                    KeyOfSteps(scenario.radio), otherwise)};
  }
  const BandSharing sharing = scenario.radio.band.sharing;
  if (sharing == BandSharing::kEqual) return {};
  return Error{fmt::format(
      "radio.sharing = {}: an airtime plan leaves the whole band to those who are drawn; set it to "
      "equal, or {}",
      BandSharingName(sharing), otherwise)};
}

Status CheckStrategy(const StrategyEntry& entry, const Scenario& scenario) {
  const LearningRules& rules = scenario.learning;
  if (rules.aggregation == Aggregation::kUnbiased && !entry.knows_probabilities) {
    return Error{fmt::format(
        "learning.aggregation = unbiased: strategy {} does not know with which probability it "
        "selects a device; these do: {}",
        entry.name, fmt::join(KnowingProbabilities(), ", "))};
  }
  if (entry.needs_shannon && StepsOf(scenario.radio).any()) {
    return Error{fmt::format(
        "{}: strategy {} finds its terms by Shannon's formula for powers of any size; these take a "
        "radio with steps: {}",
        KeyOfSteps(scenario.radio), entry.name, fmt::join(TakingSteps(), ", "))};
  }
  if (entry.name == selection::kAirtimeStrategy) {
    return simulation::CheckAirtime(scenario, "choose another strategy");
  }
  if (!entry.cuts_updates) return {};
  const TrainingRuleEntry* rule = FindTrainingRule(rules.rule);
  if (rule != nullptr && rule->vectors_uploaded > 1) {
    return Error{fmt::format(
        "learning.rule = {}: strategy {} cuts updates to what fits into a round, and has no room "
        "for the second vector that this rule sends whole",
        rule->name, entry.name)};
  }
  if (rules.compression.method != Compression::kNone) {
    return Error{fmt::format(
        "learning.compression = {}: strategy {} itself cuts updates to what fits into a round, to "
        "their largest numbers: leave learning.compression at none",
        NameOf(rules.compression.method), entry.name)};
  }
  constexpr double kBitsPerNumber = 32;
  if (scenario.model.bits_per_parameter != kBitsPerNumber) {
    return Error{fmt::format(
        "model.bits_per_parameter = {}: strategy {} cuts updates to their largest numbers, of {} "
        "bits each: set it to {}",
        scenario.model.bits_per_parameter, entry.name, kBitsPerNumber, kBitsPerNumber)};
  }
  return {};
}

}  // namespace airlot
