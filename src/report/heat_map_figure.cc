#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "report/figure.h"
#include "report/numbers.h"
#include "report/pgfplots.h"
#include "report/sweep_table.h"

namespace airlot::report {
namespace {

constexpr double kCellHeight = 30, kTop = 14;

// Returns the number that a cell shows, so that cells which look equal are equal.
double AsShown(double value, bool is_percent) {
  std::string text = is_percent ? Percent(value) : Short(value);
  std::erase(text, ',');
  return base::ParseNumber(text.substr(0, text.find(' '))).value_or(value);
}

// Shades are the colours of a metric's values, in equal steps from the least to the most in any
// cell of any series; the steps are those of the logarithm where the most is over 20 times the
// least. Numbers stand on them, so that only those are taken on which numbers can be read.
class Shades {
 public:
  Shades(const SweepTable& table, std::size_t metric)
      : is_percent_(table.metrics[metric].is_percent) {
    for (std::size_t c = 0; c < table.problems.size(); ++c) {
      for (std::size_t s = 0; s < table.series.size(); ++s) {
        const SweepPoint& point = table.At(metric, c, s);
        if (point.is_shown()) Add(AsShown(point.band.mean, is_percent_));
      }
    }
  }
  std::size_t Of(double mean) const {
    constexpr double kShades = 5;
    const double value = AsShown(mean, is_percent_);
    if (!(high_ > low_) || !(value > low_)) return 0;  // NaN too
    const bool is_log = low_ > 0 && high_ / low_ > 20;
    const double share =
        is_log ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return std::size_t(std::min(share * kShades, kShades - 1));
  }

 private:
  void Add(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  bool is_percent_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string TextOf(const SweepPoint& point, bool is_percent) {
  if (!point.is_shown()) return point.runs == 0 ? "–" : "NA";
  return (point.is_bound() ? "≥ " : "") +
         (is_percent ? Percent(point.band.mean) : ShortUtf8(point.band.mean));
}

// Returns the table with one series alone.
SweepTable WithOne(const SweepTable& table, std::size_t series) {
  SweepTable one{.grid = table.grid,
                 .series = {table.series[series]},
                 .metrics = table.metrics,
                 .problems = table.problems};
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    for (std::size_t c = 0; c < table.problems.size(); ++c) {
      one.points.push_back(table.At(m, c, series));
    }
  }
  return one;
}

std::vector<double> Numbered(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

// A HeatMap is drawn for the page and for LaTeX at once. The first value of the second axis is at
// the bottom, as on any axis.
class HeatMap {
 public:
  HeatMap(const SweepTable& table, std::size_t metric, const Shades& shades)
      : table_(table),
        metric_(metric),
        shades_(shades),
        across_(table.grid.axes[0].keys.front()),
        down_(table.grid.axes[1].keys.front()),
        plot_({.low = -0.5, .high = double(across_.values.size()) - 0.5},
              {.low = -0.5, .high = double(down_.values.size()) - 0.5}) {
    for (const std::string& value : down_.values) left_ = std::max(left_, TextWidth(value) + 44);
    for (const std::string& value : across_.values) {
      cell_width_ = std::max(cell_width_, TextWidth(value) + 10);
    }
    const auto rows = double(down_.values.size());
    bottom_ = kTop + rows * kCellHeight;
    plot_.SetHeights(16 * rows, 18 * rows);
  }

  void DrawCell(std::size_t cell) {
    const std::vector<std::size_t> place = PlaceOf(table_.grid, cell);
    const SweepPoint& point = table_.At(metric_, cell, 0);
    const std::string text = TextOf(point, table_.metrics[metric_].is_percent);
    const std::size_t shade = point.is_shown() ? shades_.Of(point.band.mean) : 0;
    const std::string look = point.is_shown() ? fmt::format("h{}", shade) : "none";
    const auto across = double(place[0]), down = double(place[1]);
    const double x = left_ + across * cell_width_, y = bottom_ - (down + 1) * kCellHeight;
    canvas_.Rectangle(x, y, cell_width_ - 2, kCellHeight - 2, look,
                      CellName(table_.grid, cell) + ": " + text);
    canvas_.Text(x + cell_width_ / 2 - 1, y + kCellHeight / 2 + 3, text, "t", Anchor::kMiddle);
    if (point.is_shown()) {
      plot_.Rectangle({across - 0.48, down - 0.46}, {across + 0.48, down + 0.46},
                      ColourName("h", shade));
    }
    plot_.Text({across, down}, text, "anchor=center");
  }

  void DrawAxes() {
    const std::string across_name = AxisName(table_.grid, table_.grid.axes[0]);
    const std::string down_name = AxisName(table_.grid, table_.grid.axes[1]);
    const auto columns = double(across_.values.size());
    for (std::size_t i = 0; i < across_.values.size(); ++i) {
      canvas_.Text(left_ + (double(i) + 0.5) * cell_width_ - 1, bottom_ + 15, across_.values[i],
                   "n", Anchor::kMiddle);
    }
    for (std::size_t i = 0; i < down_.values.size(); ++i) {
      canvas_.Text(left_ - 8, bottom_ - (double(i) + 0.5) * kCellHeight + 4, down_.values[i], "n",
                   Anchor::kEnd);
    }
    canvas_.Text(left_ + columns * cell_width_ / 2, bottom_ + 36, across_name, "t",
                 Anchor::kMiddle);
    canvas_.SideText(16, (kTop + bottom_) / 2, down_name);
    plot_.XNames(Numbered(across_.values.size()), across_.values, across_name);
    plot_.YNames(Numbered(down_.values.size()), down_.values, down_name);
    width_ =
        std::max({left_ + columns * cell_width_ + 12, left_ + TextWidth(across_name) + 12, 240.0});
    height_ = std::max(bottom_ + 48, TextWidth(down_name));
  }

  Figure Take(Heading heading) {
    return {.id = std::move(heading.id),
            .title = std::move(heading.title),
            .caption = std::move(heading.caption),
            .description =
                fmt::format("Heat map of {} of {} over {} and {}.", table_.metrics[metric_].label,
                            table_.series[0].name, across_.name, down_.name),
            .width = int(std::ceil(width_)),
            .height = int(std::ceil(height_)),
            .svg = canvas_.Take(),
            .csv = CsvOf(table_, metric_),
            .plot = plot_.Take()};
  }

 private:
  const SweepTable& table_;  // It has one series.
  std::size_t metric_;
  const Shades& shades_;
  const GridKey& across_;
  const GridKey& down_;
  Canvas canvas_;
  PlotWriter plot_;
  double left_ = 40, cell_width_ = 62, bottom_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

Figure DrawHeatMap(Heading heading, const SweepTable& table, std::size_t metric,
                   std::size_t series) {
  const SweepTable one = WithOne(table, series);
  const Shades shades(table, metric);
  HeatMap map(one, metric, shades);
  for (std::size_t c = 0; c < one.problems.size(); ++c) map.DrawCell(c);
  map.DrawAxes();
  return map.Take(std::move(heading));
}

}  // namespace airlot::report
