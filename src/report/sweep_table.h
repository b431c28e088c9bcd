// A SweepTable has the metrics of a sweep, by cell and series, with what belongs to a picture.
#ifndef AIRLOT_REPORT_SWEEP_TABLE_H_
#define AIRLOT_REPORT_SWEEP_TABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/grid.h"
#include "airlot/sweep_report.h"
#include "report/figure.h"
#include "report/section.h"
#include "report/statistics.h"
#include "report/styles.h"

namespace airlot::report {

struct SweepMetric {
  std::string id;                // "time-80", begins the names of files
  std::string title;             // "Time to 80 %"
  std::string label;             // "time to 80 % (s)"
  std::string name;              // as in CSV, such as "time_s"
  std::string head;              // of a column in a table: "s to 80 %"
  std::optional<double> target;  // a test accuracy, where it is a cost of coming there
  bool is_percent = false;
  bool is_main = false;  // The table on a terminal has it.
};

// A SweepPoint is one metric of one series in one cell.
struct SweepPoint {
  // The mean over runs, with its 95 % interval, which is cut to [0, 1] for shares; the ends are the
  // mean for one run.
  Band band;
  double half = 0;          // half of the width of the whole interval
  std::size_t runs = 0;     // 0: there is no value
  std::size_t reached = 0;  // number of runs that came to the target
  // Where some runs missed the target, the mean is a lower bound; where all did, there is no value
  // to show.
  bool is_bound() const { return reached < runs; }
  bool is_shown() const { return runs > 0 && reached > 0; }
};

struct SweepSeries {
  std::string name;  // a strategy, or "plan"
  Style style;
};

struct SweepTable {
  Grid grid;
  std::vector<SweepSeries> series;
  std::vector<SweepMetric> metrics;
  std::vector<SweepPoint> points;  // metric by metric, cell by cell, series by series
  std::vector<std::optional<std::string>> problems;  // one for each cell: why it has no values

  SweepPoint& At(std::size_t metric, std::size_t cell, std::size_t number) {
    return points[(metric * problems.size() + cell) * series.size() + number];
  }
  const SweepPoint& At(std::size_t metric, std::size_t cell, std::size_t number) const {
    return points[(metric * problems.size() + cell) * series.size() + number];
  }
};

SweepTable TableOf(const KeptSweep& kept);
SweepTable TableOf(const PlanSweep& sweep);

// Says whether a metric has a value to show in any cell.
bool IsAnyShown(const SweepTable& table, std::size_t metric);

// Returns the part of a varied key behind its section, "bandwidth_hz", or all of it where another
// varied key ends in the same way.
std::string_view ShortName(const Grid& grid, std::string_view key);

// Returns the name of an axis, with the keys in step: "radio.bandwidth_hz (with rounds)".
std::string AxisName(const Grid& grid, const GridAxis& axis);

// Returns a row for each metric, or for one metric, each cell and each series, as CSV.
std::string CsvOf(const SweepTable& table);
std::string CsvOf(const SweepTable& table, std::size_t metric);
// Returns a row for each cell and series with the main metrics, the first row being the head.
std::vector<std::vector<std::string>> RowsOf(const SweepTable& table, bool is_utf8);

// Draws a metric over the first axis, a line for each series and a panel for each place on the
// other axes.
Figure DrawSweepLines(Heading heading, const SweepTable& table, std::size_t metric);
// Draws a metric of one series over the two axes that a grid must have.
Figure DrawHeatMap(Heading heading, const SweepTable& table, std::size_t metric,
                   std::size_t series);

// Makes the section of a sweep; the caller sets what belongs to its runs alone.
Section SweepSection(const SweepTable& table, bool has_heat_maps);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SWEEP_TABLE_H_
