// This file writes sweeps: tables, CSV and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text.h"
#include "report/numbers.h"
#include "report/sweep_metrics.h"
#include "runs/file_names.h"

namespace airlot {
namespace report {
namespace {

using Json = nlohmann::ordered_json;

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
                     NumberText(point.half, metric, is_utf8));
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

std::string_view ShortName(const Grid& grid, std::string_view key) {
  const auto behind_section = [](std::string_view name) {
    return name.substr(name.rfind('.') + 1);  // all of it, where there is no dot
  };
  const std::string_view own = behind_section(key);
  const std::vector<std::string> keys = KeysOf(grid);
  return std::ranges::count(keys, own, behind_section) > 1 ? key : own;
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

std::string AxisName(const Grid& grid, const GridAxis& axis) {
  std::string name = axis.keys.front().name;
  for (std::size_t i = 1; i < axis.keys.size(); ++i) {
    name += (i == 1 ? " (with " : ", ") + std::string(ShortName(grid, axis.keys[i].name));
  }
  return axis.keys.size() > 1 ? name + ")" : name;
}

std::vector<std::vector<std::string>> RowsOf(const SweepTable& table, bool is_utf8) {
  std::vector<std::vector<std::string>> rows(1);
  for (const std::string& key : KeysOf(table.grid)) {
    rows[0].emplace_back(ShortName(table.grid, key));
  }
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
  const std::vector<report::RunMetric> metrics = report::MetricsOf(kept);
  std::string csv;
  for (const std::string& key : report::KeysOf(kept.sweep.grid)) {
    base::AppendCsvField(csv, key);
    csv += ",";
  }
  csv += "strategy,seed,rounds_run,time_s,energy_j";
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
