// These functions print what stands above and below the tables of runs.
#include <fmt/format.h>

#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {

void PrintHeading(const FinishedScenario& finished) {
  const Scenario& scenario = finished.comparison.scenario;
  const std::size_t seeds = finished.comparison.seeds.size();
  Print("{}: {} on {}, {}, {}, {}\ntime: {}\n", scenario.name, DescribeModel(scenario.model),
        scenario.data.dataset.value_or(""), CountOf(finished.runs.front().devices, "device"),
        RoundsText(scenario), CountOf(seeds, "seed"), BookedTimes(scenario.books));
}

void PrintVerdict(const FinishedScenario& finished) {
  Print("{}\n",
        Wrapped(VerdictText(finished.summaries, finished.comparison.scenario, StyleOfTables())));
}

TableStyle StyleOfTables() { return {.utf8 = IsUtf8(), .columns = OutputColumns().value_or(0)}; }

}  // namespace airlot::cli
