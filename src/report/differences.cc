#include "report/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "airlot/report.h"
#include "scenario/differences.h"

namespace airlot::report {
namespace {

using scenario::KeyDifference;

}  // namespace

std::string PaperNote(const Scenario& scenario) {
  constexpr std::string_view kFree[] = {"rounds", "targets"};
  const auto papers = PaperScenarios();
  if (std::ranges::find(papers, scenario.name, &PaperScenario::name) == papers.end()) return "";
  const auto papers_own = ReadScenario(scenario.name);
  if (!papers_own) return "";
  std::vector<std::string> keys;
  for (const KeyDifference& one :
       scenario::DifferencesBetween(FormatScenario(scenario), FormatScenario(*papers_own))) {
    if (std::ranges::find(kFree, one.key) != std::end(kFree)) continue;
    keys.push_back(fmt::format("{} = {} (built in: {})", one.key, one.here.value_or("not set"),
                               one.there.value_or("not set")));
  }
  if (keys.empty()) return "";
  return fmt::format("The paper's numbers are of another setting than these runs: {}.",
                     fmt::join(keys, ", "));
}

}  // namespace airlot::report
