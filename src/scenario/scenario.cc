#include "airlot/scenario.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

using scenario::FindKey;
using scenario::FormatValue;
using scenario::Key;
using scenario::Keys;
using scenario::SectionOf;

bool IsSet(std::string_view name, const Scenario& scenario) {
  return !FormatValue(*FindKey(name), scenario).empty();
}

// Returns whether a key may stand in the scenario's file beside the others that are set.
bool Applies(const Key& key, const Scenario& scenario) {
  const auto& [excludes, needs] = key.beside;
  return (excludes.empty() || !IsSet(excludes, scenario)) &&
         (needs.empty() || IsSet(needs, scenario));
}

}  // namespace

LocalWork WorkOf(const LearningRules& rules) {
  return {.batch = rules.batch, .steps = rules.local_steps, .epochs = rules.local_epochs};
}

std::string BookedTimes(const Books& books) {
  std::vector<std::string_view> times;
  if (books.upload_time) times.push_back("uploads");
  if (books.compute_time) times.push_back("computation");
  if (books.download_time) times.push_back("downloads");
  if (times.empty()) return "nothing";
  const std::string last(times.back());
  times.pop_back();
  return times.empty() ? last : base::Joined(times) + " and " + last;
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
