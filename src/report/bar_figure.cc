#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/figure.h"
#include "report/latex.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr double kWidth = 360;
constexpr double kText = 15, kBar = 10, kGap = 6, kGroupHead = 24;
constexpr double kLeft = 14, kRight = 24;  // room beside the bars, for the numbers of the axis

std::string ValueOf(const Bar& bar) {
  return bar.text + (bar.remark.empty() ? "" : ", ") + bar.remark;
}

// Above each bar stand its name on the left, its value and a remark on the right, so that a figure
// is narrow enough for a phone. This is the least width that leaves room between them.
double WidthOf(const std::vector<BarGroup>& groups) {
  double width = kWidth;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      width =
          std::max(width, TextWidth(bar.strategy) + TextWidth(ValueOf(bar)) + kLeft + kRight + 12);
    }
  }
  return width;
}

// A bar without value and reference is its text alone.
double HeightOf(const Bar& bar) {
  return bar.value || bar.reference ? kText + kBar + kGap : kText + 3;
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

void DrawBar(Canvas& canvas, const Bar& bar, const Scale& x, double y) {
  const double top = y + kText, middle = top + kBar / 2;
  canvas.Text(x.begin, y + 11, bar.strategy, "n");
  canvas.Text(x.end, y + 11, ValueOf(bar), "n", Anchor::kEnd);
  if (bar.value && std::isfinite(*bar.value)) {
    const double end = x.is_log && *bar.value <= 0 ? x.begin : x(*bar.value);
    canvas.Rectangle(x.begin, top, std::max(end - x.begin, 0.5), kBar,
                     fmt::format("v c{}", bar.style.colour),
                     fmt::format("{}: {}", bar.strategy, ValueOf(bar)));
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
}

// In LaTeX all is as on the page, in pt from the top.
struct PlotRows {
  static constexpr double kText = 10, kBar = 6, kGap = 4, kHead = 14;
  static double HeightOf(const Bar& bar) {
    return bar.value || bar.reference ? kText + kBar + kGap : kText + 2;
  }
  static double HeadOf(const BarGroup& group) { return group.name.empty() ? 4 : kHead; }
};

void PlotBar(PlotWriter& plot, const Bar& bar, const Scale& x, double y) {
  constexpr double kRoom = 225;  // A name has what its value leaves of one column.
  const double top = y + PlotRows::kText, middle = top + PlotRows::kBar / 2;
  const std::string value = ValueOf(bar);
  plot.Text({x.low, y + 7.5}, CutToWidth(bar.strategy, kRoom - LatexWidthPt(value)),
            "anchor=base west, xshift=2pt");
  plot.Text({x.high, y + 7.5}, value, "anchor=base east");
  if (bar.value && std::isfinite(*bar.value)) {
    plot.Rectangle({x.low, top}, {*bar.value, top + PlotRows::kBar},
                   ColourName("c", bar.style.colour));
    if (bar.spread > 0) {
      const PlotWriter::Point ends[] = {{*bar.value - bar.spread, middle},
                                        {*bar.value + bar.spread, middle}};
      plot.Line(ends, "color=white, line width=1.8pt");
      plot.Line(ends, "color=airlote, line width=0.8pt");
    }
  }
  if (bar.reference && std::isfinite(*bar.reference)) {
    const PlotWriter::Point at{*bar.reference, middle};
    plot.Marks(std::span(&at, 1), HollowLook(Shape::kDiamond, "airlote", 2.8));
  }
}

Plot PlotOf(const AxisChoice& axis, const std::vector<BarGroup>& groups, const Scale& x,
            std::string_view reference_name) {
  double height = 2;
  for (const BarGroup& group : groups) {
    height += PlotRows::HeadOf(group);
    for (const Bar& bar : group.bars) height += PlotRows::HeightOf(bar);
  }
  PlotWriter plot(x, {.low = 0, .high = height});
  plot.SetHeights(height, height);
  plot.TurnY();
  plot.Option("ytick=\\empty, axis y line*=left");
  plot.XAxis({.name = axis.label, .is_percent = axis.is_percent, .ticks = 4});
  if (!reference_name.empty()) {
    plot.Entry(std::string(reference_name),
               "only marks, " + HollowLook(Shape::kDiamond, "airlote", 2.8), false);
  }
  double y = 0;
  for (const BarGroup& group : groups) {
    if (!group.name.empty()) {
      plot.Text({x.low, y + 10}, group.name,
                "anchor=base west, xshift=2pt, font=\\bfseries\\fontsize{8}{9.6}\\selectfont");
    }
    y += PlotRows::HeadOf(group);
    for (const Bar& bar : group.bars) {
      PlotBar(plot, bar, x, y);
      y += PlotRows::HeightOf(bar);
    }
  }
  return plot.Take();
}

}  // namespace

Figure DrawBars(Heading heading, const AxisChoice& axis, const std::vector<BarGroup>& groups,
                std::string csv, std::string_view reference_name) {
  const double width = WidthOf(groups);
  Scale x = ScaleOf(axis, groups);
  x.begin = kLeft;
  x.end = width - kRight;
  Canvas canvas;
  double y = 4;
  if (!reference_name.empty()) {
    const LegendEntry entry{
        .name = std::string(reference_name), .mark_class = "p", .shape = Shape::kDiamond};
    y += canvas.Legend(x.begin, 12, x.end - x.begin, std::span(&entry, 1));
  }
  const double top = y + 4;
  double bottom = y;
  for (const BarGroup& group : groups) {
    bottom += HeadOf(group);
    for (const Bar& bar : group.bars) bottom += HeightOf(bar);
  }
  canvas.XAxis(x, top, bottom, {.name = axis.label, .is_percent = axis.is_percent, .ticks = 4});
  std::string description = fmt::format("Bars of {}.", axis.label);
  for (const BarGroup& group : groups) {
    canvas.Text(kLeft, y + 16, group.name, "t s");
    y += HeadOf(group);
    if (!group.name.empty()) description += fmt::format(" {}:", group.name);
    for (const Bar& bar : group.bars) {
      DrawBar(canvas, bar, x, y);
      description += fmt::format(" {} {};", bar.strategy, ValueOf(bar));
      y += HeightOf(bar);
    }
  }
  canvas.Line(x.begin, top, x.begin, bottom, "a");
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = std::move(description),
          .width = int(std::ceil(width)),
          .height = int(std::ceil(bottom)) + 44,
          .svg = canvas.Take(),
          .csv = std::move(csv),
          .plot = PlotOf(axis, groups, x, reference_name)};
}

}  // namespace airlot::report
