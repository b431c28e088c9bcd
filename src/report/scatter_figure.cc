#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 460, kHeight = 380;
constexpr double kLeft = 70, kRight = 436;
constexpr double kNeverRow = 22;  // below a logarithmic axis, for what is 0

Scale ScaleOf(const std::vector<Cloud>& clouds, std::vector<double> Cloud::*values) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Cloud& cloud : clouds) {
    for (const double value : cloud.*values) {
      if (!(value > 0)) continue;
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
      csv +=
          fmt::format("{},{},{},{}\n", cloud.strategy, i + 1, Plain(cloud.x[i]), Plain(cloud.y[i]));
    }
  }
  return csv;
}

}  // namespace

Figure DrawScatter(Heading heading, const AxisChoice& x_axis, const AxisChoice& y_axis,
                   const std::vector<Cloud>& clouds, std::string_view diagonal_name) {
  Canvas canvas(kWidth, kHeight);
  std::vector<LegendEntry> entries;
  entries.reserve(clouds.size());
  for (const Cloud& cloud : clouds) entries.push_back(MarkEntry(cloud.strategy));
  entries.push_back({.name = std::string(diagonal_name),
                     .mark_class = "none",
                     .line_class = "e",
                     .shape = Shape::kCircle});
  const double legend = canvas.Legend(kLeft, 12, kRight - kLeft, entries);
  Scale x = ScaleOf(clouds, &Cloud::x), y = ScaleOf(clouds, &Cloud::y);
  x.begin = kLeft;
  x.end = kRight;
  y.begin = kHeight - 48 - kNeverRow;
  y.end = legend + 10;
  // The axis stands below the row of those that are 0.
  for (const Tick& tick : y.Ticks()) {
    canvas.Line(x.begin, y(tick.value), x.end, y(tick.value), "g");
    canvas.Text(x.begin - 6, y(tick.value) + 4, tick.label, "n", Anchor::kEnd);
  }
  const double bottom = y.begin + kNeverRow, never = y.begin + kNeverRow / 2 + 2;
  canvas.Text(x.begin - 6, never + 4, "0", "n", Anchor::kEnd);
  for (const Tick& tick : x.Ticks()) {
    canvas.Line(x(tick.value), bottom, x(tick.value), y.end, "g");
    canvas.Text(x(tick.value), bottom + 17, tick.label, "n", Anchor::kMiddle);
  }
  canvas.Line(x.begin, bottom, x.end, bottom, "a");
  canvas.Text((x.begin + x.end) / 2, bottom + 36, x_axis.label, "t", Anchor::kMiddle);
  canvas.SideText(12, (bottom + y.end) / 2, y_axis.label);
  const double from = std::max(x.low, y.low), to = std::min(x.high, y.high);
  if (from < to) canvas.Line(x(from), y(from), x(to), y(to), "e");
  std::size_t never_count = 0;
  for (const Cloud& cloud : clouds) {
    const std::size_t style = StyleOf(cloud.strategy);
    for (std::size_t i = 0; i < cloud.x.size(); ++i) {
      if (!(cloud.x[i] > 0)) continue;
      const bool is_never = !(cloud.y[i] > 0);
      never_count += is_never ? 1 : 0;
      canvas.Path(ShapePath(ShapeOf(style), x(cloud.x[i]), is_never ? never : y(cloud.y[i]), 3.4),
                  fmt::format("k c{}", style), cloud.hover[i]);
    }
  }
  return {
      .id = std::move(heading.id),
      .title = std::move(heading.title),
      .caption = std::move(heading.caption),
      .description = fmt::format(
          "Scatter plot of {} against {}, one point for each device and strategy; {} points are "
          "at 0.",
          y_axis.label, x_axis.label, never_count),
      .width = kWidth,
      .height = kHeight,
      .svg = canvas.Take(),
      .csv = CsvOf(x_axis, y_axis, clouds)};
}

}  // namespace airlot::report
