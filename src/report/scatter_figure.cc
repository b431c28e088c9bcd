#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/csv.h"
#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 460;
constexpr double kPlot = 260;  // height above the row of what is 0
constexpr double kLeft = 70, kRight = 436;
constexpr double kNeverRow = 22;  // height of the row below a logarithmic axis, for what is 0

// Tells whether a value has a place on a logarithmic axis.
bool IsOnAxis(double value) { return value > 0 && std::isfinite(value); }

Scale ScaleOf(const std::vector<Cloud>& clouds, std::vector<double> Cloud::*values) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Cloud& cloud : clouds) {
    if (!cloud.is_shown) continue;
    for (const double value : cloud.*values) {
      if (!IsOnAxis(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (high == 0) return {.low = 0.1, .high = 1, .is_log = true};
  return RoundScale(low, high, true);
}

std::string CsvOf(const AxisChoice& x, const AxisChoice& y, const std::vector<Cloud>& clouds) {
  std::string csv = fmt::format("strategy,device,{},{}\n", x.name, y.name);
  for (const Cloud& cloud : clouds) {
    for (std::size_t i = 0; i < cloud.x.size(); ++i) {
      base::AppendCsvField(csv, cloud.strategy);
      csv += ",";
      base::AppendCsvField(csv, cloud.ids[i]);
      csv += fmt::format(",{},{}\n", Plain(cloud.x[i]), Plain(cloud.y[i]));
    }
  }
  return csv;
}

// Returns the line around the band where 95 % of the shares of `draws` draws lie, between the ends
// of the axes. (63)
std::vector<PlotWriter::Point> BandAround(const Scale& x, const Scale& y, double draws) {
  constexpr double kQuantile = 1.959964, kSteps = 60;
  const double to = std::min(x.high, 1.0);
  std::vector<PlotWriter::Point> there, back;
  for (double step = 0; step <= kSteps; ++step) {
    const double p = x.low * std::pow(to / x.low, step / kSteps);
    const double half = kQuantile * std::sqrt(p * (1 - p) / draws);
    there.push_back({p, std::clamp(p + half, y.low, y.high)});
    back.push_back({p, std::clamp(p - half, y.low, y.high)});
  }
  there.insert(there.end(), back.rbegin(), back.rend());
  return there;
}

void DrawBand(Canvas& canvas, const Scale& x, const Scale& y, double draws) {
  std::string path;
  for (const PlotWriter::Point& point : BandAround(x, y, draws)) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", Coordinate(x(point.x)),
                        Coordinate(y(point.y)));
  }
  canvas.Path(path + "z", "i");
}

Plot PlotOf(const AxisChoice& x_axis, const AxisChoice& y_axis, const std::vector<Cloud>& clouds,
            const Diagonal& diagonal, const Scale& x, const Scale& y) {
  // The row of those that are 0 takes a twelfth of the axis. The ends may be 1e600 apart, and the
  // lower one is no further down than a normal number.
  Scale longer = y;
  longer.low = std::exp(std::log(y.low) - (std::log(y.high) - std::log(y.low)) / 12);
  longer.low = std::max(longer.low, 1e-307);
  const double never = std::sqrt(longer.low) * std::sqrt(y.low);
  PlotWriter plot(x, longer);
  plot.SetHeights(150, 180);
  plot.YAxis({.name = y_axis.label});
  plot.Option(fmt::format("extra y ticks={{{:.7g}}}, extra y tick labels={{0}}", never));
  plot.XAxis({.name = x_axis.label});
  if (diagonal.draws > 0) {
    plot.Area(BandAround(x, y, diagonal.draws), "fill=airlota, fill opacity=0.2");
  }
  constexpr std::string_view kDiagonal = "color=airlote, line width=0.5pt, dashed";
  const double from = std::max(x.low, y.low), to = std::min(x.high, y.high);
  const PlotWriter::Point ends[] = {{from, from}, {to, to}};
  if (from < to) plot.Line(ends, kDiagonal);
  for (const Cloud& cloud : clouds) {
    if (!cloud.is_shown) continue;
    const std::string colour = ColourName("c", cloud.style.colour);
    plot.Entry(cloud.strategy, "only marks, " + MarkLook(cloud.style.shape, colour, 2), false);
    std::vector<PlotWriter::Point> points;
    for (std::size_t i = 0; i < cloud.x.size(); ++i) {
      if (!IsOnAxis(cloud.x[i]) || !std::isfinite(cloud.y[i])) continue;
      points.push_back({cloud.x[i], cloud.y[i] > 0 ? cloud.y[i] : never});
    }
    plot.Marks(points, FaintLook(cloud.style.shape, colour, 1.5));
  }
  plot.Entry(std::string(diagonal.name), std::string(kDiagonal), true);
  return plot.Take();
}

}  // namespace

Figure DrawScatter(Heading heading, const AxisChoice& x_axis, const AxisChoice& y_axis,
                   const std::vector<Cloud>& clouds, const Diagonal& diagonal) {
  Canvas canvas;
  std::vector<LegendEntry> entries;
  for (const Cloud& cloud : clouds) {
    if (cloud.is_shown) entries.push_back(MarkEntry(cloud.strategy, cloud.style));
  }
  entries.push_back({.name = std::string(diagonal.name), .mark_class = "none", .line_class = "e"});
  const double legend = canvas.Legend(kLeft, 12, kRight - kLeft, entries);
  Scale x = ScaleOf(clouds, &Cloud::x), y = ScaleOf(clouds, &Cloud::y);
  x.begin = kLeft;
  x.end = kRight;
  y.end = legend + 10;
  y.begin = y.end + kPlot;
  // The axis stands below the row of those that are 0.
  const double bottom = y.begin + kNeverRow, never = y.begin + kNeverRow / 2 + 2;
  if (diagonal.draws > 0) DrawBand(canvas, x, y, diagonal.draws);
  canvas.YAxis(y, kLeft, kRight, {.name = y_axis.label});
  canvas.Text(x.begin - 6, never + 4, "0", "n", Anchor::kEnd);
  canvas.XAxis(x, y.end, bottom, {.name = x_axis.label});
  canvas.Line(x.begin, bottom, x.end, bottom, "a");
  const double from = std::max(x.low, y.low), to = std::min(x.high, y.high);
  if (from < to) canvas.Line(x(from), y(from), x(to), y(to), "e");
  std::size_t never_count = 0, left_out = 0;
  for (const Cloud& cloud : clouds) {
    if (!cloud.is_shown) continue;
    for (std::size_t i = 0; i < cloud.x.size(); ++i) {
      if (!IsOnAxis(cloud.x[i]) || !std::isfinite(cloud.y[i])) {
        ++left_out;
        continue;
      }
      const bool is_never = !(cloud.y[i] > 0);
      never_count += is_never ? 1 : 0;
      canvas.Path(
          ShapePath(cloud.style.shape, x(cloud.x[i]), is_never ? never : y(cloud.y[i]), 3.4),
          fmt::format("k c{}", cloud.style.colour), cloud.hover[i]);
    }
  }
  std::string description = fmt::format(
      "Scatter plot of {} against {}, one point for each device and strategy; {} points are at 0.",
      y_axis.label, x_axis.label, never_count);
  if (left_out > 0) {
    const std::string told =
        fmt::format(" {} point{} with a {} of 0, or with an infinite value, {} not drawn.",
                    Short(double(left_out)), left_out == 1 ? "" : "s", x_axis.label,
                    left_out == 1 ? "is" : "are");
    description += told;
    heading.caption += told;
  }
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = std::move(description),
          .width = kWidth,
          .height = int(std::ceil(bottom)) + 48,
          .svg = canvas.Take(),
          .csv = CsvOf(x_axis, y_axis, clouds),
          .plot = PlotOf(x_axis, y_axis, clouds, diagonal, x, y)};
}

}  // namespace airlot::report
