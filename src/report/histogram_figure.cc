#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 360, kHeight = 230;
constexpr double kLeft = 64, kRight = 336;
constexpr std::size_t kBins = 20;

// Returns " W" for "power (W)".
std::string UnitOf(const std::string& label) {
  const std::size_t from = label.find('('), to = label.find(')');
  return from == std::string::npos ? "" : " " + label.substr(from + 1, to - from - 1);
}

Plot PlotOf(const AxisChoice& axis, const Bins& bins, const Scale& x, const Scale& y) {
  PlotWriter plot(x, y);
  plot.YAxis({.name = "devices"});
  plot.XAxis({.name = axis.label, .ticks = 4});
  plot.SetHeights(100, 120);
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    if (bins.counts[i] == 0) continue;
    plot.Rectangle({bins.edges[i], 0}, {bins.edges[i + 1], double(bins.counts[i])},
                   "draw=white, line width=0.4pt, fill=airlotf");
  }
  return plot.Take();
}

}  // namespace

Figure DrawHistogram(Heading heading, const AxisChoice& axis, std::span<const double> all) {
  std::vector<double> values;
  std::ranges::copy_if(all, std::back_inserter(values), [](double v) { return std::isfinite(v); });
  if (values.size() < all.size()) {
    heading.caption += fmt::format(" {} without a finite value {} left out.",
                                   CountOf(all.size() - values.size(), "device"),
                                   all.size() - values.size() == 1 ? "is" : "are");
  }
  const Bins bins = BinsOf(values, kBins);
  Canvas canvas;
  std::string csv = fmt::format("{0}_from,{0}_to,devices\n", axis.name);
  std::string description = "No device can take part.";
  Plot plot;
  if (values.empty()) {
    PlotWriter empty({.low = 0, .high = 1}, {.low = 0, .high = 1});
    empty.Option("ticks=none");
    empty.Remark("No device can take part");
    plot = empty.Take();
    canvas.Text(kWidth / 2.0, kHeight / 2.0, "No device can take part", "t", Anchor::kMiddle);
  }
  if (!values.empty()) {
    Scale x = ExactScale(bins.edges.front(), bins.edges.back(), bins.is_log);
    x.begin = kLeft;
    x.end = kRight;
    Scale y = RoundScale(0, double(std::ranges::max(bins.counts)), false);
    y.begin = kHeight - 48;
    y.end = 12;
    canvas.YAxis(y, kLeft, kRight, {.name = "devices"});
    canvas.XAxis(x, y.end, y.begin, {.name = axis.label, .ticks = 4});
    canvas.Line(x.begin, y.begin, x.end, y.begin, "a");
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
      csv +=
          fmt::format("{},{},{}\n", Plain(bins.edges[i]), Plain(bins.edges[i + 1]), bins.counts[i]);
      if (bins.counts[i] == 0) continue;
      const double left = x(bins.edges[i]), right = x(bins.edges[i + 1]);
      const double top = y(double(bins.counts[i]));
      canvas.Rectangle(
          left + 0.5, top, std::max(right - left - 1, 1.0), y.begin - top, "f",
          fmt::format("{} to {}{}: {}", ShortUtf8(bins.edges[i]), ShortUtf8(bins.edges[i + 1]),
                      UnitOf(axis.label), CountOf(bins.counts[i], "device")));
    }
    plot = PlotOf(axis, bins, x, y);
    const auto [lowest, highest] = std::ranges::minmax(values);
    description = fmt::format("Histogram of {} over {}: lowest {}, median {}, highest {}.",
                              axis.label, CountOf(values.size(), "device"), ShortUtf8(lowest),
                              ShortUtf8(MedianOf(values)), ShortUtf8(highest));
  }
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = std::move(description),
          .width = kWidth,
          .height = kHeight,
          .svg = canvas.Take(),
          .csv = std::move(csv),
          .plot = std::move(plot)};
}

}  // namespace airlot::report
