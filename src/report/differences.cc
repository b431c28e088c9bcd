#include "report/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "airlot/report.h"

namespace airlot::report {
namespace {

using scenario::KeyDifference;

std::string Shown(const std::string& value) { return value.empty() ? "not set" : value; }

}  // namespace

std::optional<std::vector<KeyDifference>> DifferencesFrom(const Scenario& scenario,
                                                          const std::string& built_in) {
  const auto start = ReadScenario(built_in);
  if (!start) return std::nullopt;
  return scenario::DifferencesBetween(FormatScenario(scenario), FormatScenario(*start));
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
