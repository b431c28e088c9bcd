#include "report/sweep_table.h"

#include <algorithm>
#include <span>
#include <utility>

#include "report/sweep_metrics.h"

namespace airlot::report {
namespace {

// Sets the mean of some values and its interval.
void SetBand(std::span<const double> values, bool is_share, SweepPoint& point) {
  point.runs = values.size();
  if (values.empty()) return;
  point.band = MeanBand(values);
  point.half = point.band.high - point.band.mean;
  if (is_share) point.band = CutToShares(point.band);
}

SweepPoint PointOf(const StrategySummary& summary, const RunMetric& metric) {
  std::vector<double> values;
  SweepPoint point;
  for (const RunOutcome& run : summary.outcomes) {
    const auto value = metric.value(run);
    if (!value) continue;
    values.push_back(*value);
    const auto& target = metric.metric.target;
    if (!target || FirstReached(run, *target) != nullptr) ++point.reached;
  }
  SetBand(values, metric.metric.is_percent, point);
  // A mean that is a lower bound has no interval. (V1)
  if (point.is_bound()) point.band.low = point.band.high = point.band.mean;
  return point;
}

// The table on a terminal shows the highest target that anybody reached or, where nobody reached
// one, the lowest.
void ChooseMain(SweepTable& table) {
  std::optional<double> highest;
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    const auto& target = table.metrics[m].target;
    if (target && (!highest || IsAnyShown(table, m))) highest = *target;
  }
  for (SweepMetric& metric : table.metrics) {
    if (metric.target) metric.is_main = metric.target == highest;
  }
}

}  // namespace

bool IsAnyShown(const SweepTable& table, std::size_t metric) {
  for (std::size_t c = 0; c < table.problems.size(); ++c) {
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      if (table.At(metric, c, s).is_shown()) return true;
    }
  }
  return false;
}

SweepTable TableOf(const KeptSweep& kept) {
  SweepTable table{.grid = kept.sweep.grid};
  const Looks looks(kept.sweep.strategies);
  for (const std::string& strategy : kept.sweep.strategies) {
    table.series.push_back({strategy, looks.Of(strategy)});
  }
  for (const SweptCell& cell : kept.cells) table.problems.push_back(cell.problem);
  const std::vector<RunMetric> metrics = MetricsOf(kept);
  for (const RunMetric& metric : metrics) table.metrics.push_back(metric.metric);
  table.points.resize(metrics.size() * kept.cells.size() * table.series.size());
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    for (std::size_t c = 0; c < kept.cells.size(); ++c) {
      if (!IsAsked(kept.cells[c], metrics[m].metric)) continue;
      for (const StrategySummary& summary : kept.cells[c].summaries) {
        const auto found = std::ranges::find(kept.sweep.strategies, summary.strategy);
        if (found == kept.sweep.strategies.end()) continue;
        table.At(m, c, std::size_t(found - kept.sweep.strategies.begin())) =
            PointOf(summary, metrics[m]);
      }
    }
  }
  ChooseMain(table);
  return table;
}

SweepTable TableOf(const PlanSweep& sweep) {
  SweepTable table{.grid = sweep.grid, .problems = sweep.problems};
  table.series.push_back({"plan", StyleAt(0)});
  const std::pair<SweepMetric, double Expectations::*> metrics[] = {
      {{.id = "participants",
        .title = "Participants of a round",
        .label = "participants of a round",
        .name = "expected_participants",
        .head = "participants"},
       &Expectations::participants},
      {{.id = "time",
        .title = "Time of a round",
        .label = "time of a round (s)",
        .name = "expected_round_time_s",
        .head = "time, s"},
       &Expectations::round_time_s},
      {{.id = "energy",
        .title = "Energy of a round",
        .label = "energy of a round (J)",
        .name = "expected_round_energy_j",
        .head = "energy, J"},
       &Expectations::round_energy_j},
      {{.id = "empty",
        .title = "Rounds without participants",
        .label = "rounds without participants",
        .name = "probability_empty_round",
        .head = "empty, %",
        .is_percent = true},
       &Expectations::probability_empty_round}};
  for (const auto& [metric, member] : metrics) {
    table.metrics.push_back(metric);
    table.metrics.back().is_main = true;
    const bool is_time = member == &Expectations::round_time_s;
    for (const std::vector<PlannedRound>& seeds : sweep.cells) {
      std::vector<double> values;
      for (const PlannedRound& round : seeds) {
        if (round.is_time_known || !is_time) values.push_back(round.expected.*member);
      }
      table.points.push_back({.reached = values.size()});
      SetBand(values, metric.is_percent, table.points.back());
    }
  }
  return table;
}

}  // namespace airlot::report
