#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr double kWidth = 460;
constexpr double kBar = 17, kGap = 5, kGroupHead = 24, kMargin = 8;
constexpr double kShortest = 130;  // least width of the room for bars

// From left to right stand the names, the bars, their values and remarks on these.
struct Columns {
  double bars = 0, bars_end = 0, values = 0, remarks = 0, end = 0;
};
Columns ColumnsOf(const std::vector<BarGroup>& groups) {
  double name = 0, value = 0, remark = 0;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      name = std::max(name, TextWidth(bar.strategy));
      value = std::max(value, TextWidth(bar.text));
      remark = std::max(remark, TextWidth(bar.remark));
    }
  }
  if (remark > 0) value += kMargin;
  Columns columns;
  columns.bars = kMargin + name + kMargin;
  const double texts = 2 * kMargin + value + remark;
  columns.end = std::max(kWidth, columns.bars + kShortest + texts);
  columns.bars_end = columns.end - texts;
  columns.values = columns.bars_end + kMargin;
  columns.remarks = columns.values + value;
  return columns;
}

double HeadOf(const BarGroup& group) { return group.name.empty() ? 8 : kGroupHead; }

// The scale begins at 0, or below the smallest bar where bars differ much.
Scale ScaleOf(const AxisChoice& axis, const std::vector<BarGroup>& groups) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      for (const double value : {bar.value.value_or(0), bar.reference.value_or(0)}) {
        if (!(value > 0) || !std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      const double reach = bar.value.value_or(0) + bar.spread;
      if (bar.value > 0 && std::isfinite(reach)) high = std::max(high, reach);
    }
  }
  if (axis.is_percent) return {.low = 0, .high = 1};
  if (high == 0) return {.low = 0, .high = 1};
  const bool is_log = high / low > 20;
  if (!is_log) return RoundScale(0, high, false);
  return RoundScale(std::pow(10, std::floor(std::log10(low) - 0.3)), high, true);
}

void DrawBar(Canvas& canvas, const Bar& bar, const Columns& columns, const Scale& x, double y) {
  const double middle = y + kBar / 2;
  canvas.Text(columns.bars - kMargin, middle + 4, bar.strategy, "n", Anchor::kEnd);
  if (bar.value && std::isfinite(*bar.value)) {
    const double end = x.is_log && *bar.value <= 0 ? x.begin : x(*bar.value);
    canvas.Rectangle(x.begin, y, std::max(end - x.begin, 0.5), kBar,
                     fmt::format("v c{}", bar.style.colour),
                     fmt::format("{}: {}{}{}", bar.strategy, bar.text,
                                 bar.remark.empty() ? "" : ", ", bar.remark));
    if (bar.spread > 0) {
      const double low = x(std::max(*bar.value - bar.spread, x.low));
      const double high = x(*bar.value + bar.spread);
      // This line is drawn around the line of the spread, so that it is seen on every colour.
      canvas.Line(low, middle, high, middle, "z");
      canvas.Line(low, middle, high, middle, "w");
    }
  }
  if (bar.reference && std::isfinite(*bar.reference)) {
    canvas.Path(ShapePath(Shape::kDiamond, x(*bar.reference), middle, 5), "p");
  }
  canvas.Text(columns.values, middle + 4, bar.text, "n");
  if (!bar.remark.empty()) canvas.Text(columns.remarks, middle + 4, bar.remark, "n");
}

}  // namespace

Figure DrawBars(Heading heading, const AxisChoice& axis, const std::vector<BarGroup>& groups,
                std::string csv, std::string_view reference_name) {
  const Columns columns = ColumnsOf(groups);
  Canvas canvas;
  double y = 4;
  if (!reference_name.empty()) {
    const LegendEntry entry{
        .name = std::string(reference_name), .mark_class = "p", .shape = Shape::kDiamond};
    y += canvas.Legend(columns.bars, 12, columns.end - columns.bars, std::span(&entry, 1));
  }
  const double top = y + 4;
  double bottom = y;
  for (const BarGroup& group : groups) {
    bottom += HeadOf(group) + double(group.bars.size()) * (kBar + kGap);
  }
  Scale x = ScaleOf(axis, groups);
  x.begin = columns.bars;
  x.end = columns.bars_end;
  const int ticks = std::clamp(int((x.end - x.begin) / 48), 2, 4);
  canvas.XAxis(x, top, bottom, {.name = axis.label, .is_percent = axis.is_percent, .ticks = ticks});
  std::string description = fmt::format("Bars of {}.", axis.label);
  for (const BarGroup& group : groups) {
    canvas.Text(kMargin, y + 16, group.name, "t s");
    y += HeadOf(group);
    if (!group.name.empty()) description += fmt::format(" {}:", group.name);
    for (const Bar& bar : group.bars) {
      DrawBar(canvas, bar, columns, x, y);
      description += fmt::format(" {} {}{}{};", bar.strategy, bar.text,
                                 bar.remark.empty() ? "" : ", ", bar.remark);
      y += kBar + kGap;
    }
  }
  canvas.Line(x.begin, top, x.begin, bottom, "a");
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = std::move(description),
          .width = int(std::ceil(columns.end)),
          .height = int(std::ceil(bottom)) + 44,
          .svg = canvas.Take(),
          .csv = std::move(csv)};
}

}  // namespace airlot::report
