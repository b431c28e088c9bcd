#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/csv.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/figure.h"
#include "report/numbers.h"
#include "report/pgfplots.h"
#include "report/sweep_table.h"

namespace airlot::report {
namespace {

constexpr double kLeft = 66, kGap = 54, kPlotHeight = 190, kRowTitle = 20, kAxisRoom = 48;

// --- The axes ------------------------------------------------------------------------------------

// Places are the values of the first axis as numbers, or 0, 1, 2, ... where they are names.
struct Places {
  std::vector<double> x;
  bool are_names = false;
};

Places PlacesOf(const GridKey& key) {
  Places places;
  for (const std::string& value : key.values) {
    const auto number = base::ParseNumber(value);
    if (!number || !std::isfinite(*number)) places.are_names = true;
    places.x.push_back(number.value_or(0));
  }
  if (!places.are_names) return places;
  for (std::size_t i = 0; i < places.x.size(); ++i) places.x[i] = double(i);
  return places;
}

// The scale is logarithmic where the largest value is ten times the smallest, or more.
Scale ScaleOfX(const Places& places) {
  const auto [low, high] = std::ranges::minmax(places.x);
  if (places.are_names) return {.low = low - 0.5, .high = high + 0.5};
  const bool is_log = low > 0 && high / low >= 10;
  return ExactScale(low, high, is_log);
}

// All panels have the same scale, so that they can be compared.
Scale ScaleOfY(const SweepTable& table, std::size_t metric) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (std::size_t c = 0; c < table.problems.size(); ++c) {
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      const SweepPoint& point = table.At(metric, c, s);
      if (!point.is_shown()) continue;
      low = std::min(low, point.band.mean);
      high = std::max({high, point.band.mean, point.band.high});
    }
  }
  if (!std::isfinite(low) || high == 0) return {.low = 0, .high = 1};
  if (table.metrics[metric].is_percent) high = std::min(high, 1.0);
  if (low > 0 && high / low > 20) return RoundScale(low / 1.2, high, true);
  return RoundScale(0, high, false);
}

// --- The panels ----------------------------------------------------------------------------------

// A Panel has the cells of one place on all axes but the first, in the order of the first.
struct Panel {
  std::string title;
  std::vector<std::size_t> cells;
};

std::vector<Panel> PanelsOf(const Grid& grid) {
  const std::size_t first = grid.axes.front().size(), others = CellCount(grid) / first;
  std::vector<Panel> panels(others);
  for (std::size_t cell = 0; cell < CellCount(grid); ++cell) {
    panels[cell % others].cells.push_back(cell);
  }
  for (Panel& panel : panels) {
    const std::vector<std::size_t> place = PlaceOf(grid, panel.cells.front());
    for (std::size_t i = 1; i < place.size(); ++i) {
      const GridKey& key = grid.axes[i].keys.front();
      panel.title +=
          fmt::format("{}{} = {}", i == 1 ? "" : ", ", ShortName(key.name), key.values[place[i]]);
    }
  }
  return panels;
}

std::string Hover(const SweepTable& table, std::size_t metric, std::size_t cell,
                  const SweepSeries& series, const SweepPoint& point) {
  const SweepMetric& what = table.metrics[metric];
  const auto shown = [&](double value) {
    return what.is_percent ? Percent(value) : ShortUtf8(value);
  };
  std::string text = fmt::format("{}, {}: {}{}", series.name, CellName(table.grid, cell),
                                 point.is_bound() ? "at least " : "", shown(point.band.mean));
  if (point.runs > 1 && !point.is_bound()) {
    text += fmt::format(" ({} to {})", shown(point.band.low), shown(point.band.high));
  }
  return text;
}

void DrawSeries(Canvas& canvas, const SweepTable& table, std::size_t metric, std::size_t series,
                const Panel& panel, const Places& places, const Scale& x, const Scale& y) {
  const SweepSeries& own = table.series[series];
  // Series stand a little beside each other, so that their intervals can be told apart.
  const double shift = 2.5 * (double(series) - double(table.series.size() - 1) / 2);
  std::string line;
  struct Mark {
    double x, y;
    std::size_t cell;
  };
  std::vector<Mark> drawn;
  for (std::size_t i = 0; i < panel.cells.size(); ++i) {
    const SweepPoint& point = table.At(metric, panel.cells[i], series);
    if (!point.is_shown()) continue;
    const double at_x = x(places.x[i]) + shift, at_y = y(point.band.mean);
    line += fmt::format("{}{} {}", line.empty() ? "M" : "L", Coordinate(at_x), Coordinate(at_y));
    drawn.push_back({at_x, at_y, panel.cells[i]});
    if (point.band.low >= point.band.high) continue;
    const std::string look = fmt::format("y c{}", own.style.colour);
    for (const double end : {point.band.low, point.band.high}) {
      // An end that lies beyond the axis has no cap, so that the interval is seen to go on.
      if (end < y.low || end > y.high) continue;
      canvas.Line(at_x - 3, y(end), at_x + 3, y(end), look);
    }
    canvas.Line(at_x, y(point.band.low), at_x, y(point.band.high), look);
  }
  if (drawn.size() > 1 && !places.are_names) {
    canvas.Path(line, fmt::format("l c{} d{}", own.style.colour, own.style.dash));
  }
  for (const Mark& mark : drawn) {
    const SweepPoint& point = table.At(metric, mark.cell, series);
    canvas.Path(ShapePath(own.style.shape, mark.x, mark.y, 4),
                fmt::format("{} c{}", point.is_bound() ? "x" : "m", own.style.colour),
                Hover(table, metric, mark.cell, own, point));
  }
}

// Draws a panel for LaTeX.
Plot PlotOf(const SweepTable& table, std::size_t metric, const Panel& panel, const Places& places,
            const Scale& x, const Scale& y) {
  using Point = PlotWriter::Point;
  const GridAxis& axis = table.grid.axes.front();
  const SweepMetric& what = table.metrics[metric];
  Scale padded = x;
  if (!places.are_names) {  // Marks at the ends of the axis stay inside of the plot.
    const double margin = x.is_log ? std::pow(x.high / x.low, 0.05) : 0.05 * (x.high - x.low);
    padded.low = x.is_log ? x.low / margin : x.low - margin;
    padded.high = x.is_log ? x.high * margin : x.high + margin;
  }
  PlotWriter plot(padded, y);
  plot.YAxis({.name = what.label, .is_percent = what.is_percent});
  if (places.are_names) {
    plot.XNames(places.x, axis.keys.front().values, AxisName(axis));
  } else {
    plot.XAxis({.name = AxisName(axis), .ticks = 4});
  }
  for (std::size_t s = 0; s < table.series.size(); ++s) {
    const Style& style = table.series[s].style;
    const std::string colour = ColourName("c", style.colour);
    std::vector<Point> line, full, bounds;
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      const SweepPoint& point = table.At(metric, panel.cells[i], s);
      if (!point.is_shown()) continue;
      line.push_back({places.x[i], point.band.mean});
      (point.is_bound() ? bounds : full).push_back(line.back());
      const Point up[] = {{places.x[i], point.band.low}, {places.x[i], point.band.high}};
      if (point.band.low >= point.band.high) continue;
      const bool has_caps = point.band.low >= y.low && point.band.high <= y.high;
      plot.Line(up, fmt::format("color={}, line width=0.5pt{}", colour,
                                has_caps ? ", mark=-, mark size=1.5pt" : ""));
    }
    if (!places.are_names) plot.Line(line, LineLook(style));
    plot.Marks(full, MarkLook(style.shape, colour, 1.8));
    plot.Marks(bounds, HollowLook(style.shape, colour, 1.8));
    if (table.series.size() > 1) {
      plot.Entry(table.series[s].name, LineLook(style) + ", " + MarkLook(style.shape, colour, 1.8),
                 true);
    }
  }
  return plot.Take();
}

// Writes names below the axis, cut to the room that each has.
void DrawNames(Canvas& canvas, const GridKey& key, const Scale& x, double bottom) {
  const double room = std::abs(x(1) - x(0)) - 4;
  for (std::size_t i = 0; i < key.values.size(); ++i) {
    std::string_view name = key.values[i];
    while (name.size() > 3 && TextWidth(name) > room)
      name = base::CutToBytes(name, name.size() - 1);
    canvas.Text(x(double(i)), bottom + 17, name, "n", Anchor::kMiddle);
  }
}

std::string DescriptionOf(const SweepTable& table, std::size_t metric,
                          const std::vector<Panel>& panels) {
  return fmt::format("Line chart of {} over {}, {}.", table.metrics[metric].label,
                     table.grid.axes.front().keys.front().name,
                     panels.size() == 1 ? std::string("in one panel")
                                        : fmt::format("in {} panels", panels.size()));
}

}  // namespace

Figure DrawSweepLines(Heading heading, const SweepTable& table, std::size_t metric) {
  const GridAxis& axis = table.grid.axes.front();
  const Places places = PlacesOf(axis.keys.front());
  const std::vector<Panel> panels = PanelsOf(table.grid);
  const std::size_t columns = std::min<std::size_t>(panels.size(), 2);
  const double width = columns == 1 ? 374 : 270;
  const double right = kLeft + double(columns) * width + double(columns - 1) * kGap;

  Canvas canvas;
  std::vector<LegendEntry> entries;
  for (const SweepSeries& series : table.series) {
    entries.push_back(LineEntry(series.name, series.style));
  }
  double top = table.series.size() == 1 ? 4 : canvas.Legend(kLeft, 12, right - kLeft, entries);
  Scale x = ScaleOfX(places), y = ScaleOfY(table, metric);
  const SweepMetric& what = table.metrics[metric];
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t column = i % columns;
    if (i > 0 && column == 0) top = y.begin + kAxisRoom;
    // Marks at the ends of the axis stay inside of the panel.
    const double inset = places.are_names ? 0 : 14;
    const double begin = kLeft + double(column) * (width + kGap);
    x.begin = begin + inset;
    x.end = begin + width - inset;
    y.end = top + (panels.size() > 1 ? kRowTitle + 8 : 12);
    y.begin = y.end + kPlotHeight;
    if (panels.size() > 1) {
      canvas.Text(begin + width / 2, top + kRowTitle - 2, panels[i].title, "t s", Anchor::kMiddle);
    }
    canvas.YAxis(y, begin, begin + width,
                 {.name = column == 0 ? std::string_view(what.label) : std::string_view(),
                  .is_percent = what.is_percent});
    const std::string name = AxisName(axis);
    if (places.are_names) {
      DrawNames(canvas, axis.keys.front(), x, y.begin);
      canvas.Text(begin + width / 2, y.begin + 36, name, "t", Anchor::kMiddle);
    } else {
      canvas.XAxis(x, y.end, y.begin, {.name = name, .ticks = columns == 1 ? 5 : 4});
    }
    canvas.Line(begin, y.begin, begin + width, y.begin, "a");
    for (std::size_t s = 0; s < table.series.size(); ++s) {
      DrawSeries(canvas, table, metric, s, panels[i], places, x, y);
    }
  }
  if (!IsAnyShown(table, metric)) {
    canvas.Text((kLeft + right) / 2, (y.begin + y.end) / 2, "There is nothing to show", "t",
                Anchor::kMiddle);
  }
  Figure figure{.id = std::move(heading.id),
                .title = std::move(heading.title),
                .caption = std::move(heading.caption),
                .description = DescriptionOf(table, metric, panels),
                .width = int(std::ceil(right)) + 20,
                .height = int(std::ceil(y.begin + kAxisRoom)),
                .svg = canvas.Take(),
                .csv = CsvOf(table, metric),
                .place = columns == 1 ? Figure::Place::kNormal : Figure::Place::kWide};
  for (const Panel& panel : panels) {
    Plot plot = PlotOf(table, metric, panel, places, x, y);
    if (panels.size() == 1) {
      figure.plot = std::move(plot);
    } else {
      figure.panels.push_back({panel.title, std::move(plot)});
    }
  }
  return figure;
}

}  // namespace airlot::report
