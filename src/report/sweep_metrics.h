// The metrics of a sweep, as its runs tell them.
#ifndef AIRLOT_REPORT_SWEEP_METRICS_H_
#define AIRLOT_REPORT_SWEEP_METRICS_H_

#include <functional>
#include <optional>
#include <vector>

#include "airlot/sweep.h"
#include "report/sweep_table.h"

namespace airlot::report {

// A RunMetric is a metric and how a run tells it; nothing, where it does not.
struct RunMetric {
  SweepMetric metric;
  std::function<std::optional<double>(const RunOutcome& run)> value;
};

// Returns the targets of all cells, each once, in rising order.
std::vector<double> TargetsOf(const KeptSweep& kept);

// Returns what the targets and accuracies of a sweep are.
Score ScoreOf(const KeptSweep& kept);

// Returns time and energy to each target, and what there is of a whole run.
std::vector<RunMetric> MetricsOf(const KeptSweep& kept);

// Says whether a cell is asked for this target; other metrics have none.
bool IsAsked(const SweptCell& cell, const SweepMetric& metric);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SWEEP_METRICS_H_
