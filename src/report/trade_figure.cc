#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 400;
constexpr double kPlot = 260;
constexpr double kLeft = 66, kRight = 380;

// The scale is logarithmic where costs differ much, and else begins at 0.
Scale ScaleOf(const std::vector<Trade>& trades, Band Trade::*cost) {
  constexpr double kMuch = 10;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Trade& trade : trades) {
    if (!IsDrawn(trade)) continue;
    const Band& band = trade.*cost;
    low = std::min(low, band.mean);
    high = std::max(high, std::isfinite(band.high) ? std::max(band.high, band.mean) : band.mean);
  }
  if (high == 0) return {.low = 0, .high = 1};
  if (high / low <= kMuch) return RoundScale(0, high, false);
  return RoundScale(low / 1.5, high, true);
}

void DrawInterval(Canvas& canvas, const Trade& trade, const Scale& x, const Scale& y) {
  if (trade.is_bound) return;
  const std::string look = fmt::format("y c{}", trade.style.colour);
  const double at_x = x(trade.x.mean), at_y = y(trade.y.mean);
  if (trade.x.low < trade.x.high) canvas.Line(x(trade.x.low), at_y, x(trade.x.high), at_y, look);
  if (trade.y.low < trade.y.high) canvas.Line(at_x, y(trade.y.low), at_x, y(trade.y.high), look);
}

// Joins the points of the front, in the order of x.
void DrawFront(Canvas& canvas, const std::vector<Trade>& trades, const Scale& x, const Scale& y) {
  std::vector<const Trade*> front;
  const std::vector<bool> is_on = FrontOf(trades);
  for (std::size_t i = 0; i < trades.size(); ++i) {
    if (is_on[i]) front.push_back(&trades[i]);
  }
  std::ranges::sort(front, {}, [](const Trade* trade) { return trade->x.mean; });
  std::string line;
  for (const Trade* trade : front) {
    line += fmt::format("{}{} {}", line.empty() ? "M" : "L", Coordinate(x(trade->x.mean)),
                        Coordinate(y(trade->y.mean)));
  }
  if (front.size() > 1) canvas.Path(line, "e front");
}

std::string MarkClass(const Trade& trade) {
  return fmt::format("{} c{}", trade.is_filled ? "m" : "x", trade.style.colour);
}

double LegendOf(Canvas& canvas, const std::vector<Trade>& trades) {
  std::vector<LegendEntry> entries;
  for (const Trade& trade : trades) {
    if (!IsDrawn(trade)) continue;
    entries.push_back({.name = trade.strategy + (trade.is_bound ? " (≥)" : ""),
                       .mark_class = MarkClass(trade),
                       .shape = trade.style.shape});
  }
  if (std::ranges::count(FrontOf(trades), true) > 1) {
    entries.push_back({.name = "the front", .mark_class = "none", .line_class = "e"});
  }
  return canvas.Legend(8, 12, kWidth - 16, entries);
}

std::string PlotLook(const Trade& trade) {
  const std::string colour = ColourName("c", trade.style.colour);
  return trade.is_filled ? MarkLook(trade.style.shape, colour, 2.8)
                         : HollowLook(trade.style.shape, colour, 2.6);
}

Plot PlotOf(const AxisChoice& x_axis, const AxisChoice& y_axis, const std::vector<Trade>& trades,
            const Scale& x, const Scale& y) {
  using Point = PlotWriter::Point;
  PlotWriter plot(x, y);
  plot.SetHeights(150, 180);
  plot.YAxis({.name = y_axis.label});
  plot.XAxis({.name = x_axis.label, .ticks = 4});
  std::vector<Point> front;
  const std::vector<bool> is_on = FrontOf(trades);
  for (std::size_t i = 0; i < trades.size(); ++i) {
    const Trade& trade = trades[i];
    if (!IsDrawn(trade)) continue;
    plot.Entry(trade.strategy + (trade.is_bound ? " (≥)" : ""), "only marks, " + PlotLook(trade),
               false);
    if (is_on[i]) front.push_back({trade.x.mean, trade.y.mean});
    if (trade.is_bound) continue;
    const std::string look =
        fmt::format("color={}, line width=0.5pt", ColourName("c", trade.style.colour));
    const Point across[] = {{trade.x.low, trade.y.mean}, {trade.x.high, trade.y.mean}};
    const Point up[] = {{trade.x.mean, trade.y.low}, {trade.x.mean, trade.y.high}};
    if (trade.x.low < trade.x.high) plot.Line(across, look);
    if (trade.y.low < trade.y.high) plot.Line(up, look);
  }
  if (front.size() > 1) {
    constexpr std::string_view kLook = "color=airlote, line width=0.5pt, dashed";
    std::ranges::sort(front, {}, &Point::x);
    plot.Line(front, kLook);
    plot.Entry("the front", std::string(kLook), true);
  }
  for (const Trade& trade : trades) {
    const Point at{trade.x.mean, trade.y.mean};
    if (IsDrawn(trade)) plot.Marks(std::span(&at, 1), PlotLook(trade));
  }
  return plot.Take();
}

std::string DescriptionOf(const AxisChoice& x, const AxisChoice& y,
                          const std::vector<Trade>& trades) {
  std::string text = fmt::format("Scatter plot of {} against {}.", y.label, x.label);
  const std::vector<bool> is_on = FrontOf(trades);
  for (std::size_t i = 0; i < trades.size(); ++i) {
    text += fmt::format(" {} needs {}{} and {}{}.", trades[i].strategy,
                        trades[i].is_bound ? "at least " : "", ShortUtf8(trades[i].x.mean),
                        ShortUtf8(trades[i].y.mean), is_on[i] ? ", on the front" : "");
  }
  return text;
}

}  // namespace

bool IsDrawn(const Trade& trade) {
  return std::isfinite(trade.x.mean) && std::isfinite(trade.y.mean) && trade.x.mean > 0 &&
         trade.y.mean > 0;
}

std::vector<bool> FrontOf(std::span<const Trade> trades) {
  const auto takes_part = [](const Trade& trade) { return !trade.is_bound && IsDrawn(trade); };
  const auto beats = [&](const Trade& one, const Trade& other) {
    return takes_part(one) && one.x.mean <= other.x.mean && one.y.mean <= other.y.mean &&
           (one.x.mean < other.x.mean || one.y.mean < other.y.mean);
  };
  std::vector<bool> is_on;
  for (const Trade& trade : trades) {
    is_on.push_back(takes_part(trade) && std::ranges::none_of(trades, [&](const Trade& other) {
                      return beats(other, trade);
                    }));
  }
  return is_on;
}

Figure DrawTrades(Heading heading, const AxisChoice& x_axis, const AxisChoice& y_axis,
                  const std::vector<Trade>& trades, std::string csv) {
  Canvas canvas;
  const double legend = LegendOf(canvas, trades);
  Scale x = ScaleOf(trades, &Trade::x), y = ScaleOf(trades, &Trade::y);
  x.begin = kLeft;
  x.end = kRight;
  y.end = legend + 10;
  y.begin = y.end + kPlot;
  canvas.YAxis(y, kLeft, kRight, {.name = y_axis.label});
  canvas.XAxis(x, y.end, y.begin, {.name = x_axis.label, .ticks = 4});
  canvas.Line(x.begin, y.begin, x.end, y.begin, "a");
  for (const Trade& trade : trades) {
    if (IsDrawn(trade)) DrawInterval(canvas, trade, x, y);
  }
  DrawFront(canvas, trades, x, y);
  for (const Trade& trade : trades) {
    if (!IsDrawn(trade)) continue;
    canvas.Path(ShapePath(trade.style.shape, x(trade.x.mean), y(trade.y.mean), 5.5),
                MarkClass(trade), trade.hover);
  }
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = DescriptionOf(x_axis, y_axis, trades),
          .width = kWidth,
          .height = int(std::ceil(y.begin)) + 48,
          .svg = canvas.Take(),
          .csv = std::move(csv),
          .plot = PlotOf(x_axis, y_axis, trades, x, y)};
}

}  // namespace airlot::report
