#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 400;
constexpr double kLeft = 52, kRight = 380;

// Rows of many classes are lower.
double RowHeight(std::size_t rows) { return rows <= 20 ? 22 : rows <= 60 ? 15 : 12.5; }

std::string DescriptionOf(const AxisChoice& x, const std::vector<Dots>& strategies) {
  std::string text = fmt::format("Dots of {}, a row each.", x.label);
  for (const Dots& dots : strategies) {
    std::vector<double> known;
    for (const double share : dots.shares) {
      if (std::isfinite(share)) known.push_back(share);
    }
    if (known.empty()) continue;
    const auto [least, most] = std::ranges::minmax(known);
    text += fmt::format(" {} from {} to {}.", dots.strategy, Percent(least), Percent(most));
  }
  return text;
}

Plot PlotOf(const AxisChoice& axis, std::string_view row_name, const std::vector<Dots>& strategies,
            std::size_t rows, const Scale& x) {
  const double height = rows <= 20 ? 11 : 9;
  PlotWriter plot(x, {.low = 0, .high = double(std::max<std::size_t>(rows, 1))});
  plot.SetHeights(height * double(rows), height * double(rows));
  plot.TurnY();
  plot.XAxis({.name = axis.label, .is_percent = true});
  std::vector<double> places;
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows; ++row) {
    places.push_back(double(row) + 0.5);
    names.push_back(fmt::format("{}", row));
  }
  plot.YNames(places, names, row_name);
  plot.Option("ymajorgrids");
  for (const Dots& dots : strategies) {
    const std::string look = MarkLook(dots.style.shape, ColourName("c", dots.style.colour), 2.3);
    plot.Entry(dots.strategy, "only marks, " + look, false);
    std::vector<PlotWriter::Point> points;
    for (std::size_t row = 0; row < dots.shares.size(); ++row) {
      if (std::isfinite(dots.shares[row])) points.push_back({dots.shares[row], places[row]});
    }
    plot.Marks(points, look);
  }
  return plot.Take();
}

}  // namespace

Figure DrawDots(Heading heading, const AxisChoice& axis, std::string_view row_name,
                const std::vector<Dots>& strategies, std::string csv) {
  Canvas canvas;
  std::vector<LegendEntry> entries;
  std::size_t rows = 0;
  for (const Dots& dots : strategies) {
    entries.push_back(MarkEntry(dots.strategy, dots.style));
    rows = std::max(rows, dots.shares.size());
  }
  const double height = RowHeight(rows), top = canvas.Legend(8, 12, kWidth - 16, entries) + 10;
  const double bottom = top + height * double(rows);
  const Scale x{.low = 0, .high = 1, .begin = kLeft, .end = kRight};
  canvas.XAxis(x, top, bottom, {.name = axis.label, .is_percent = true});
  canvas.Line(kLeft, bottom, kRight, bottom, "a");
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = top + height * (double(row) + 0.5);
    canvas.Line(kLeft, y, kRight, y, "g");
    canvas.Text(kLeft - 8, y + 4, fmt::format("{}", row), "n", Anchor::kEnd);
    for (const Dots& dots : strategies) {
      if (row >= dots.shares.size() || !std::isfinite(dots.shares[row])) continue;
      canvas.Path(
          ShapePath(dots.style.shape, x(dots.shares[row]), y, 4.5),
          fmt::format("m c{}", dots.style.colour),
          fmt::format("{} {}, {}: {}", row_name, row, dots.strategy, Percent(dots.shares[row])));
    }
  }
  canvas.SideText(14, (top + bottom) / 2, row_name);
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = DescriptionOf(axis, strategies),
          .width = kWidth,
          .height = int(std::ceil(bottom)) + 48,
          .svg = canvas.Take(),
          .csv = std::move(csv),
          .plot = PlotOf(axis, row_name, strategies, rows, x)};
}

}  // namespace airlot::report
