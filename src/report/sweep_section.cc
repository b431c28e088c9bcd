#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "airlot/version.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/sweep_table.h"

namespace airlot::report {
namespace {

// A page with more panels would be slow to open.
constexpr std::size_t kMostPanels = 60;

// Returns the last metric of this name that anybody has a value of; the highest target comes last.
std::optional<std::size_t> LastShown(const SweepTable& table, std::string_view name) {
  for (std::size_t m = table.metrics.size(); m-- > 0;) {
    if (table.metrics[m].name == name && IsAnyShown(table, m)) return m;
  }
  return std::nullopt;
}

// Counts in how many cells each series has the least, or the most, of a metric on average; a cell
// counts for all that are equal. A series that came to the target in more of its runs goes first.
std::map<std::size_t, std::size_t> Winners(const SweepTable& table, std::size_t metric,
                                           bool is_least) {
  std::map<std::size_t, std::size_t> wins;
  for (std::size_t c = 0; c < table.problems.size(); ++c) {
    std::optional<std::size_t> best;
    const auto rank = [&](std::size_t series) {
      const SweepPoint& point = table.At(metric, c, series);
      return std::pair(-double(point.reached) / double(point.runs),
                       is_least ? point.band.mean : -point.band.mean);
    };
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      if (!table.At(metric, c, s).is_shown()) continue;
      if (!best || rank(s) < rank(*best)) best = s;
    }
    for (std::size_t s = 0; best && s < table.series.size(); ++s) {
      if (table.At(metric, c, s).is_shown() && rank(s) == rank(*best)) ++wins[s];
    }
  }
  return wins;
}

// Returns "airtime in 5 cells and fedcs in 1 cell".
std::string WinnersText(const SweepTable& table, std::size_t metric, bool is_least) {
  std::vector<std::pair<std::size_t, std::string>> named;
  for (const auto& [series, cells] : Winners(table, metric, is_least)) {
    named.emplace_back(cells,
                       fmt::format("{} in {}", table.series[series].name, CountOf(cells, "cell")));
  }
  std::ranges::stable_sort(named, std::greater(), [](const auto& one) { return one.first; });
  std::vector<std::string> texts;
  texts.reserve(named.size());
  for (auto& [cells, text] : named) texts.push_back(std::move(text));
  return Listed(std::move(texts), 4);
}

std::string SentenceOf(const SweepTable& table) {
  if (table.series.size() < 2) return "";
  std::string text;
  if (const auto time = LastShown(table, "time_s")) {
    // The title is "Time to 80 %".
    const std::string goal = table.metrics[*time].title.substr(std::string_view("Time to ").size());
    text = fmt::format("{} is reached first, on average over the seeds, by {}", goal,
                       WinnersText(table, *time, true));
    if (const auto energy = LastShown(table, "energy_j")) {
      text += fmt::format("; with the least energy by {}", WinnersText(table, *energy, true));
    }
    text += ".";
  }
  if (const auto accuracy = LastShown(table, "final_accuracy")) {
    text += fmt::format("{}The {} is highest with {}.", text.empty() ? "" : " ",
                        table.metrics[*accuracy].label, WinnersText(table, *accuracy, false));
  }
  return text;
}

std::string CaptionOf(const SweepTable& table, const SweepMetric& metric) {
  std::size_t runs = 0;
  for (const SweepPoint& point : table.points) runs = std::max(runs, point.runs);
  std::string text = runs > 1 ? "Marks are means over seeds, and bars their 95 % intervals "
                                "(Student's t); one without a "
                                "cap goes on beyond the axis."
                              : "There is one seed, so that nothing is said of intervals.";
  if (metric.target) {
    text +=
        " A hollow mark is a lower bound: some runs missed the target. Where all did, there "
        "is none.";
  }
  return text;
}

Part LinesPart(const SweepTable& table) {
  Part part{.id = "s1-lines", .title = "Over what is varied"};
  const GridAxis& first = table.grid.axes.front();
  part.text = fmt::format(
      "Every chart has {} on its axis{}.", first.keys.front().name,
      table.grid.axes.size() > 1 ? ", and a panel for each value of what else is varied" : "");
  const std::size_t panels = CellCount(table.grid) / first.size();
  if (panels > kMostPanels) {
    part.notes.push_back(
        fmt::format("The charts would have {} panels and are left out; cells.csv "
                    "has all numbers.",
                    panels));
    return part;
  }
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    const SweepMetric& metric = table.metrics[m];
    if (!IsAnyShown(table, m)) {
      part.notes.push_back(fmt::format("{}: no run has a value.", metric.title));
      continue;
    }
    part.figures.push_back(DrawSweepLines(
        {"s1-sweep-" + metric.id, metric.title, CaptionOf(table, metric)}, table, m));
  }
  return part;
}

Part HeatMapPart(const SweepTable& table) {
  Part part{.id = "s1-heat-maps",
            .title = "Heat maps",
            .text =
                "Numbers are means over seeds. Darker is more, in the same five steps for all "
                "strategies; numbers that look equal have the same shade."};
  if (table.grid.axes.size() != 2) {
    part.notes.emplace_back("Heat maps need two axes, no more and no fewer.");
    return part;
  }
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    const SweepMetric& metric = table.metrics[m];
    if (!IsAnyShown(table, m)) continue;
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      const std::string& name = table.series[s].name;
      part.figures.push_back(DrawHeatMap({fmt::format("s1-heat-{}-{}", metric.id, s + 1),
                                          fmt::format("{}: {}", name, metric.title), ""},
                                         table, m, s));
    }
  }
  return part;
}

std::size_t CountMain(const SweepTable& table) {
  return std::size_t(std::ranges::count(table.metrics, true, &SweepMetric::is_main));
}

Part TablePart(const SweepTable& table) {
  constexpr std::size_t kMostRows = 400;
  Part part{.id = "s1-cells", .title = "All cells"};
  std::vector<std::vector<std::string>> rows = RowsOf(table, true);
  const std::size_t names = rows[0].size() - CountMain(table);
  part.text = "Numbers are means over seeds ± half of their 95 % intervals.";
  if (rows.size() > kMostRows) {
    part.notes.push_back(fmt::format("The first {} of {} rows are shown; cells.csv has all.",
                                     kMostRows, rows.size() - 1));
    rows.resize(kMostRows + 1);
  }
  part.tables.push_back({.caption = "What came out in each cell: means over seeds, ± half of their "
                                    "95 % intervals (Student's t); ≥ is a lower bound, as some "
                                    "runs missed the target",
                         .rows = std::move(rows),
                         .id = "cells",
                         .names = names});
  return part;
}

}  // namespace

Section SweepSection(const SweepTable& table, bool has_heat_maps) {
  Section section{.id = "s1", .sentence = SentenceOf(table), .version = std::string(kVersion)};
  for (std::size_t i = 0; i < table.problems.size(); ++i) {
    if (!table.problems[i]) continue;
    section.left_out.push_back(
        fmt::format("The cell {} is missing: {}", CellName(table.grid, i), *table.problems[i]));
  }
  section.notes = section.left_out;
  section.parts.push_back(LinesPart(table));
  if (has_heat_maps) section.parts.push_back(HeatMapPart(table));
  section.parts.push_back(TablePart(table));
  return section;
}

}  // namespace airlot::report
