#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 460;
constexpr double kLeft = 124, kRight = 318, kText = 328;  // the values stand behind all bars
constexpr double kBar = 17, kGap = 5, kGroupHead = 24;

double HeadOf(const BarGroup& group) { return group.name.empty() ? 8 : kGroupHead; }

// From 0, or from below the smallest bar where they differ much.
Scale ScaleOf(const AxisChoice& axis, const std::vector<BarGroup>& groups) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      for (const double value : {bar.value, bar.reference}) {
        if (!(value > 0)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (bar.value > 0) high = std::max(high, bar.value + bar.spread);
    }
  }
  if (axis.is_percent) return {.low = 0, .high = 1};
  if (high == 0) return {.low = 0, .high = 1};
  const bool is_log = high / low > 20;
  if (!is_log) return RoundScale(0, high, false);
  Scale scale = RoundScale(low, high, true);
  scale.low = std::pow(10, std::floor(std::log10(low) - 0.3));
  return scale;
}

void DrawBar(Canvas& canvas, const Bar& bar, const Scale& x, double y) {
  const std::size_t style = StyleOf(bar.strategy);
  const double middle = y + kBar / 2;
  canvas.Text(kLeft - 8, middle + 4, bar.strategy, "n", Anchor::kEnd);
  if (std::isfinite(bar.value)) {
    const double end = x.is_log && bar.value <= 0 ? x.begin : x(bar.value);
    canvas.Rectangle(x.begin, y, std::max(end - x.begin, 0.5), kBar, fmt::format("v c{}", style),
                     fmt::format("{}: {}", bar.strategy, bar.text));
    if (bar.spread > 0) {
      const double low = std::max(bar.value - bar.spread, x.low);
      const double high = bar.value + bar.spread;
      canvas.Line(x(low), middle, x(high), middle, "w");
    }
  }
  if (std::isfinite(bar.reference)) {
    canvas.Path(ShapePath(Shape::kDiamond, x(bar.reference), middle, 5), "p");
  }
  canvas.Text(kText, middle + 4, bar.text, "n");
}

std::string CsvOf(const AxisChoice& axis, const std::vector<BarGroup>& groups,
                  std::string_view reference_name) {
  std::string csv = fmt::format("group,strategy,{0},{0}_sd{1}\n", axis.name,
                                reference_name.empty() ? "" : ",paper");
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      csv += fmt::format("{},{},{},{}", group.name, bar.strategy, Plain(bar.value),
                         std::isnan(bar.value) ? "" : Plain(bar.spread));
      if (!reference_name.empty()) csv += "," + Plain(bar.reference);
      csv += "\n";
    }
  }
  return csv;
}

}  // namespace

Figure DrawBars(Heading heading, const AxisChoice& axis, const std::vector<BarGroup>& groups,
                std::string_view reference_name) {
  double height = 44;
  for (const BarGroup& group : groups) {
    height += HeadOf(group) + double(group.bars.size()) * (kBar + kGap);
  }
  if (!reference_name.empty()) height += 18;
  Canvas canvas(kWidth, int(std::ceil(height)));
  Scale x = ScaleOf(axis, groups);
  x.begin = kLeft;
  x.end = kRight;
  double y = 4;
  if (!reference_name.empty()) {
    const LegendEntry entry{
        .name = std::string(reference_name), .mark_class = "p", .shape = Shape::kDiamond};
    y += canvas.Legend(kLeft, 12, kRight - kLeft, std::span(&entry, 1));
  }
  const double top = y + 4, bottom = height - 44;
  for (const Tick& tick : x.Ticks(4)) {
    canvas.Line(x(tick.value), top, x(tick.value), bottom, "g");
    canvas.Text(x(tick.value), bottom + 17,
                axis.is_percent ? fmt::format("{:.4g} %", 100 * tick.value) : tick.label, "n",
                Anchor::kMiddle);
  }
  std::string description = fmt::format("Bars of {}.", axis.label);
  for (const BarGroup& group : groups) {
    canvas.Text(8, y + 16, group.name, "t s");
    y += HeadOf(group);
    if (!group.name.empty()) description += fmt::format(" {}:", group.name);
    for (const Bar& bar : group.bars) {
      DrawBar(canvas, bar, x, y);
      description += fmt::format(" {} {};", bar.strategy, bar.text);
      y += kBar + kGap;
    }
  }
  canvas.Line(x.begin, top, x.begin, bottom, "a");
  canvas.Text((x.begin + x.end) / 2, bottom + 36, axis.label, "t", Anchor::kMiddle);
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = std::move(description),
          .width = kWidth,
          .height = int(std::ceil(height)),
          .svg = canvas.Take(),
          .csv = CsvOf(axis, groups, reference_name)};
}

}  // namespace airlot::report
