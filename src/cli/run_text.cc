// These functions print what stands above and below the tables of runs.
#include <fmt/format.h>

#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {

void PrintHeading(const FinishedScenario& finished) {
  const Scenario& scenario = finished.comparison.scenario;
  const std::size_t seeds = finished.comparison.seeds.size();
  Print("{}: {} on {}, {} devices, {}, {} seed{}\ntime: {}\n", scenario.name,
        DescribeModel(scenario.model), scenario.data.dataset.value_or(""),
        Count(finished.runs.front().devices), RoundsText(scenario), seeds, seeds == 1 ? "" : "s",
        BookedTimes(scenario.books));
}

void PrintVerdict(const FinishedScenario& finished) {
  Print("{}\n",
        Wrapped(VerdictText(finished.summaries, finished.comparison.scenario, StyleOfTables())));
}

TableStyle StyleOfTables() { return {.utf8 = IsUtf8(), .columns = OutputColumns().value_or(0)}; }

}  // namespace airlot::cli
