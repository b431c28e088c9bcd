#include "report/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text.h"
#include "report/numbers.h"
#include "runs/file_names.h"

namespace airlot {
namespace report {
namespace {

using Json = nlohmann::ordered_json;

// --- From runs -----------------------------------------------------------------------------------

// Returns the targets of all cells, each once, in rising order.
std::vector<double> TargetsOf(const KeptSweep& kept) {
  std::vector<double> targets;
  for (const SweptCell& cell : kept.cells) {
    if (!cell.scenario) continue;
    targets.insert(targets.end(), cell.scenario->targets.begin(), cell.scenario->targets.end());
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

// A RunMetric is a metric and how a run tells it; nothing, where it does not.
struct RunMetric {
  SweepMetric metric;
  std::function<std::optional<double>(const RunOutcome& run)> value;
};

std::vector<RunMetric> MetricsOf(const std::vector<double>& targets) {
  std::vector<RunMetric> metrics;
  for (const double target : targets) {
    const std::string percent = fmt::format("{:.4g} %", 100 * target);
    const auto add = [&](std::string_view quantity, std::string_view unit, std::string name,
                         double EvaluatedRound::*there, double RunOutcome::*whole) {
      std::string title = fmt::format("{} to {}", quantity, percent);
      title[0] = char(std::toupper(static_cast<unsigned char>(title[0])));
      metrics.push_back({{.id = fmt::format("{}-{:.4g}", quantity, 100 * target),
                          .title = title,
                          .label = fmt::format("{} to {} ({})", quantity, percent, unit),
                          .name = std::move(name),
                          .head = fmt::format("{} to {}", unit, percent),
                          .target = target},
                         [=](const RunOutcome& run) -> std::optional<double> {
                           const EvaluatedRound* at = FirstReached(run, target);
                           return at == nullptr ? run.*whole : at->*there;
                         }});
    };
    add("time", "s", "time_s", &EvaluatedRound::time_s, &RunOutcome::time_s);
    add("energy", "J", "energy_j", &EvaluatedRound::energy_j, &RunOutcome::energy_j);
  }
  metrics.push_back({{.id = "accuracy",
                      .title = "Accuracy at the end",
                      .label = "accuracy at the end",
                      .name = "final_accuracy",
                      .head = "accuracy, %",
                      .is_percent = true,
                      .is_main = true},
                     [](const RunOutcome& run) -> std::optional<double> {
                       if (run.evaluations.empty()) return std::nullopt;
                       return run.evaluations.back().accuracy;
                     }});
  metrics.push_back({{.id = "participants",
                      .title = "Participants of a round",
                      .label = "participants of a round",
                      .name = "participants",
                      .head = "participants"},
                     [](const RunOutcome& run) { return std::optional(run.participants); }});
  metrics.push_back({{.id = "over-budget",
                      .title = "Devices over budget",
                      .label = "devices over budget",
                      .name = "devices_over_budget",
                      .head = "over budget",
                      .is_main = true},
                     [](const RunOutcome& run) -> std::optional<double> {
                       if (!run.budget) return std::nullopt;
                       return double(run.budget->devices_over);
                     }});
  return metrics;
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
  point.runs = values.size();
  if (!values.empty()) point.band = MeanBand(values);
  // A mean that is a lower bound has no interval. (V1)
  if (point.is_bound()) point.band.low = point.band.high = point.band.mean;
  return point;
}

// Says whether a cell is asked for this target; other metrics have none.
bool IsAsked(const SweptCell& cell, const SweepMetric& metric) {
  if (!cell.scenario) return false;
  return !metric.target ||
         std::ranges::find(cell.scenario->targets, *metric.target) != cell.scenario->targets.end();
}

// --- Text ----------------------------------------------------------------------------------------

std::string NumberText(double value, const SweepMetric& metric, bool is_utf8) {
  const double shown = metric.is_percent ? 100 * value : value;
  return is_utf8 ? ShortUtf8(shown) : Short(shown);
}

std::string TextOf(const SweepPoint& point, const SweepMetric& metric, bool is_utf8) {
  if (!point.is_shown()) return point.runs == 0 ? "" : "NA";
  std::string mean = NumberText(point.band.mean, metric, is_utf8);
  if (point.is_bound()) {
    return fmt::format("{} {} ({} of {})", is_utf8 ? "≥" : ">=", mean, point.reached, point.runs);
  }
  if (point.runs < 2) return mean;
  return fmt::format("{} {} {}", mean, is_utf8 ? "±" : "+-",
                     NumberText(point.band.high - point.band.mean, metric, is_utf8));
}

std::vector<std::string> ValuesOf(const Grid& grid, std::size_t cell) {
  std::vector<std::string> values;
  const std::vector<std::size_t> place = PlaceOf(grid, cell);
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (const GridKey& key : grid.axes[i].keys) values.push_back(key.values[place[i]]);
  }
  return values;
}

std::vector<std::string> KeysOf(const Grid& grid) {
  std::vector<std::string> keys;
  for (const GridAxis& axis : grid.axes) {
    for (const GridKey& key : axis.keys) keys.push_back(key.name);
  }
  return keys;
}

// Calls tell(metric, cell, series, point) for each point that has a value.
template <class Tell>
void ForEachPoint(const SweepTable& table, const Tell& tell) {
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    for (std::size_t c = 0; c < table.problems.size(); ++c) {
      for (std::size_t s = 0; s < table.series.size(); ++s) {
        const SweepPoint& point = table.At(m, c, s);
        if (point.runs > 0) tell(table.metrics[m], c, table.series[s], point);
      }
    }
  }
}

Json ToJson(const SweepTable& table, const std::string& name) {
  Json results = Json::array(), missing = Json::array();
  const std::vector<std::string> keys = KeysOf(table.grid);
  ForEachPoint(table, [&](const SweepMetric& metric, std::size_t cell, const SweepSeries& series,
                          const SweepPoint& point) {
    Json row;
    const std::vector<std::string> values = ValuesOf(table.grid, cell);
    for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = values[i];
    const bool has_interval = point.runs > 1 && !point.is_bound();
    row["strategy"] = series.name;
    row["metric"] = metric.name;
    row["target"] = metric.target ? Json(*metric.target) : Json();
    row["mean"] = point.is_shown() ? Json(point.band.mean) : Json();
    row["low"] = has_interval ? Json(point.band.low) : Json();
    row["high"] = has_interval ? Json(point.band.high) : Json();
    row["runs"] = point.runs;
    row["reached"] = point.reached;
    results.push_back(std::move(row));
  });
  for (std::size_t i = 0; i < table.problems.size(); ++i) {
    if (!table.problems[i]) continue;
    missing.push_back({{"cell", CellName(table.grid, i)}, {"problem", *table.problems[i]}});
  }
  return {{"name", name},
          {"keys", keys},
          {"cells", table.problems.size()},
          {"results", std::move(results)},
          {"missing", std::move(missing)}};
}

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string_view ShortName(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

bool IsAnyShown(const SweepTable& table, std::size_t metric) {
  for (std::size_t c = 0; c < table.problems.size(); ++c) {
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      if (table.At(metric, c, s).is_shown()) return true;
    }
  }
  return false;
}

namespace {

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

SweepTable TableOf(const KeptSweep& kept) {
  SweepTable table{.grid = kept.sweep.grid};
  const Looks looks(kept.sweep.strategies);
  for (const std::string& strategy : kept.sweep.strategies) {
    table.series.push_back({strategy, looks.Of(strategy)});
  }
  for (const SweptCell& cell : kept.cells) table.problems.push_back(cell.problem);
  const std::vector<RunMetric> metrics = MetricsOf(TargetsOf(kept));
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
      table.points.push_back({.runs = values.size(), .reached = values.size()});
      if (!values.empty()) table.points.back().band = MeanBand(values);
    }
  }
  return table;
}

std::string CsvOf(const SweepTable& table) {
  std::string csv;
  for (const std::string& key : KeysOf(table.grid)) {
    base::AppendCsvField(csv, key);
    csv += ",";
  }
  csv += "strategy,metric,target,mean,low,high,runs,reached\n";
  ForEachPoint(table, [&](const SweepMetric& metric, std::size_t cell, const SweepSeries& series,
                          const SweepPoint& point) {
    for (const std::string& value : ValuesOf(table.grid, cell)) {
      base::AppendCsvField(csv, value);
      csv += ",";
    }
    base::AppendCsvField(csv, series.name);
    csv += "," + metric.name + "," + (metric.target ? base::FormatNumber(*metric.target) : "");
    csv += point.is_shown() ? "," + base::FormatNumber(point.band.mean) : ",";
    csv += point.runs > 1 && !point.is_bound()
               ? fmt::format(",{},{}", base::FormatNumber(point.band.low),
                             base::FormatNumber(point.band.high))
               : ",,";
    csv += fmt::format(",{},{}\n", point.runs, point.reached);
  });
  return csv;
}

std::string CsvOf(const SweepTable& table, std::size_t metric) {
  SweepTable one{.grid = table.grid,
                 .series = table.series,
                 .metrics = {table.metrics[metric]},
                 .problems = table.problems};
  const std::size_t size = table.problems.size() * table.series.size();
  const auto begin = table.points.begin() + std::ptrdiff_t(metric * size);
  one.points.assign(begin, begin + std::ptrdiff_t(size));
  return CsvOf(one);
}

std::string AxisName(const GridAxis& axis) {
  std::string name = axis.keys.front().name;
  for (std::size_t i = 1; i < axis.keys.size(); ++i) {
    name += (i == 1 ? " (with " : ", ") + std::string(ShortName(axis.keys[i].name));
  }
  return axis.keys.size() > 1 ? name + ")" : name;
}

std::vector<std::vector<std::string>> RowsOf(const SweepTable& table, bool is_utf8) {
  std::vector<std::vector<std::string>> rows(1);
  for (const std::string& key : KeysOf(table.grid)) rows[0].emplace_back(ShortName(key));
  const bool has_series = table.series.size() > 1 || table.series[0].name != "plan";
  if (has_series) rows[0].emplace_back("strategy");
  for (const SweepMetric& metric : table.metrics) {
    if (!metric.is_main) continue;
    rows[0].push_back(metric.head);
  }
  for (std::size_t c = 0; c < table.problems.size(); ++c) {
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      if (table.problems[c] && s > 0) continue;
      std::vector<std::string> row = ValuesOf(table.grid, c);
      if (has_series) row.push_back(table.problems[c] ? "cannot run" : table.series[s].name);
      if (!has_series && table.problems[c]) row.back() += " (cannot be planned)";
      for (std::size_t m = 0; m < table.metrics.size(); ++m) {
        if (!table.metrics[m].is_main) continue;
        row.push_back(TextOf(table.At(m, c, s), table.metrics[m], is_utf8));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace report

namespace {

// Returns a row for each complete run.
std::string RunsCsv(const KeptSweep& kept) {
  const std::vector<report::RunMetric> metrics = report::MetricsOf(report::TargetsOf(kept));
  std::string csv;
  for (const std::string& key : report::KeysOf(kept.sweep.grid)) {
    base::AppendCsvField(csv, key);
    csv += ",";
  }
  csv += "strategy,seed,rounds,time_s,energy_j";
  for (const report::RunMetric& one : metrics) {
    csv += "," + one.metric.name;
    if (one.metric.target) csv += "_to_" + base::FormatNumber(*one.metric.target);
  }
  csv += "\n";
  for (std::size_t c = 0; c < kept.cells.size(); ++c) {
    for (const StrategySummary& summary : kept.cells[c].summaries) {
      for (const RunOutcome& run : summary.outcomes) {
        for (const std::string& value : report::ValuesOf(kept.sweep.grid, c)) {
          base::AppendCsvField(csv, value);
          csv += ",";
        }
        base::AppendCsvField(csv, summary.strategy);
        csv += fmt::format(",{},{},{},{}", run.seed, run.rounds, base::FormatNumber(run.time_s),
                           base::FormatNumber(run.energy_j));
        for (const report::RunMetric& one : metrics) {
          const auto& target = one.metric.target;
          const bool is_there = report::IsAsked(kept.cells[c], one.metric) &&
                                (!target || FirstReached(run, *target) != nullptr);
          const auto value = is_there ? one.value(run) : std::nullopt;
          csv += "," + (value ? base::FormatNumber(*value) : "");
        }
        csv += "\n";
      }
    }
  }
  return csv;
}

}  // namespace

std::string DrawSweep(const KeptSweep& kept, const TableStyle& style) {
  const std::size_t naming_columns = report::KeysOf(kept.sweep.grid).size() + 1;  // the strategy
  return DrawTable(report::RowsOf(report::TableOf(kept), style.utf8), style, naming_columns);
}

std::string DrawSweep(const PlanSweep& sweep, const TableStyle& style) {
  return DrawTable(report::RowsOf(report::TableOf(sweep), style.utf8), style,
                   report::KeysOf(sweep.grid).size());
}

std::string SweepJson(const KeptSweep& kept) {
  return report::JsonText(report::ToJson(report::TableOf(kept), kept.sweep.name));
}

std::string SweepJson(const PlanSweep& sweep) {
  return report::JsonText(report::ToJson(report::TableOf(sweep), sweep.name));
}

std::string SweepCsv(const PlanSweep& sweep) { return report::CsvOf(report::TableOf(sweep)); }

Status WriteSweepTables(const std::string& directory, const KeptSweep& kept) {
  const auto path = [&](std::string_view name) { return fmt::format("{}/{}", directory, name); };
  if (auto status = base::WriteWhole(path(runs::kSweepRunsFile), RunsCsv(kept)); !status) {
    return status;
  }
  return base::WriteWhole(path(runs::kSweepCellsFile), report::CsvOf(report::TableOf(kept)));
}

}  // namespace airlot
