#include "report/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "airlot/report.h"
#include "scenario/text.h"

namespace airlot::report {
namespace {

using scenario::KeyValues;

std::string ValueIn(const KeyValues& keys, const std::string& name) {
  const auto found = std::ranges::find(keys, name, &KeyValues::value_type::first);
  return found == keys.end() ? "" : found->second;
}

std::string Shown(const std::string& value) { return value.empty() ? "not set" : value; }

}  // namespace

std::optional<std::vector<KeyDifference>> DifferencesFrom(const Scenario& scenario,
                                                          const std::string& built_in) {
  const auto start = ReadScenario(built_in);
  if (!start) return std::nullopt;
  const KeyValues there = scenario::KeyValuesOf(FormatScenario(*start));
  const KeyValues here = scenario::KeyValuesOf(FormatScenario(scenario));
  std::vector<KeyDifference> differences;
  for (const auto& [key, value] : here) {
    const std::string other = ValueIn(there, key);
    if (value != other) differences.push_back({key, value, other});
  }
  for (const auto& [key, value] : there) {
    if (ValueIn(here, key).empty()) differences.push_back({key, "", value});
  }
  return differences;
}

std::string PaperNote(const Scenario& scenario) {
  constexpr std::string_view kFree[] = {"rounds", "targets"};
  const auto papers = PaperScenarios();
  if (std::ranges::find(papers, scenario.name, &PaperScenario::name) == papers.end()) return "";
  std::vector<std::string> keys;
  const auto differences = DifferencesFrom(scenario, scenario.name);
  if (!differences) return "";
  for (const KeyDifference& one : *differences) {
    if (std::ranges::find(kFree, one.key) != std::end(kFree)) continue;
    keys.push_back(fmt::format("{} = {} (paper: {})", one.key, Shown(one.here), Shown(one.there)));
  }
  if (keys.empty()) return "";
  return fmt::format("The paper's numbers are of another setting than these runs: {}.",
                     fmt::join(keys, ", "));
}

}  // namespace airlot::report
