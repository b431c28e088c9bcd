#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

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
      panel.title += fmt::format("{}{} = {}", i == 1 ? "" : ", ", ShortName(grid, key.name),
                                 key.values[place[i]]);
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

// Returns as much of a text as fits into so many px, with "…" where it is cut.
std::string CutToRoom(std::string_view text, double room_px) {
  if (TextWidth(text) <= room_px) return std::string(text);
  constexpr std::string_view kMore = "…";
  while (!text.empty() && TextWidth(text) + TextWidth(kMore) > room_px) {
    text = base::CutToBytes(text, text.size() - 1);
  }
  return std::string(text) + std::string(kMore);
}

// Writes names below the axis, cut to the room that each has.
void DrawNames(Canvas& canvas, const GridKey& key, const Scale& x, double bottom) {
  const double room = std::abs(x(1) - x(0)) - 4;
  for (std::size_t i = 0; i < key.values.size(); ++i) {
    canvas.Text(x(double(i)), bottom + 17, CutToRoom(key.values[i], room), "n", Anchor::kMiddle);
  }
}

// --- The figure ----------------------------------------------------------------------------------

// SweepLines are a metric over the first axis, drawn for the page and for LaTeX.
class SweepLines {
 public:
  SweepLines(const SweepTable& table, std::size_t metric)
      : table_(table),
        metric_(metric),
        what_(table.metrics[metric]),
        axis_(table.grid.axes.front()),
        places_(PlacesOf(axis_.keys.front())),
        panels_(PanelsOf(table.grid)),
        columns_(std::min<std::size_t>(panels_.size(), 2)),
        width_(columns_ == 1 ? 374 : 270),
        right_(kLeft + double(columns_) * width_ + double(columns_ - 1) * kGap),
        x_(ScaleOfX(places_)),
        y_(ScaleOfY(table, metric)) {}

  Figure Draw(Heading heading) {
    top_ = DrawLegend();
    for (std::size_t i = 0; i < panels_.size(); ++i) DrawPanel(i);
    if (!IsAnyShown(table_, metric_)) {
      canvas_.Text((kLeft + right_) / 2, (y_.begin + y_.end) / 2, "There is nothing to show", "t",
                   Anchor::kMiddle);
    }
    Figure figure{.id = std::move(heading.id),
                  .title = std::move(heading.title),
                  .caption = std::move(heading.caption),
                  .description = Description(),
                  .width = int(std::ceil(right_)) + 20,
                  .height = int(std::ceil(y_.begin + kAxisRoom)),
                  .svg = canvas_.Take(),
                  .csv = CsvOf(table_, metric_),
                  .place = columns_ == 1 ? Figure::Place::kNormal : Figure::Place::kWide};
    if (panels_.size() == 1) {
      figure.plot = PlotOf(panels_.front());
      return figure;
    }
    for (const Panel& panel : panels_) figure.panels.push_back({panel.title, PlotOf(panel)});
    return figure;
  }

 private:
  // Returns by how many px a series stands beside its place, so that intervals can be told apart.
  double Shift(std::size_t series) const {
    constexpr double kStep = 2.5, kMost = 24;  // between two series, and between all
    const auto gaps = double(table_.series.size() - 1);
    return (double(series) - gaps / 2) * (gaps * kStep > kMost ? kMost / gaps : kStep);
  }

  // Returns where the panels begin.
  double DrawLegend() {
    std::vector<LegendEntry> entries;
    for (const SweepSeries& series : table_.series) {
      entries.push_back(LineEntry(series.name, series.style));
    }
    return table_.series.size() == 1 ? 4 : canvas_.Legend(kLeft, 12, right_ - kLeft, entries);
  }

  void DrawPanel(std::size_t index) {
    const Panel& panel = panels_[index];
    const std::size_t column = index % columns_;
    if (index > 0 && column == 0) top_ = y_.begin + kAxisRoom;
    // Marks at the ends of the axis stay inside of the panel.
    const double inset = places_.are_names ? 0 : 14;
    const double begin = kLeft + double(column) * (width_ + kGap);
    x_.begin = begin + inset;
    x_.end = begin + width_ - inset;
    y_.end = top_ + (panels_.size() > 1 ? kRowTitle + 8 : 12);
    y_.begin = y_.end + kPlotHeight;
    if (panels_.size() > 1) {
      canvas_.Text(begin + width_ / 2, top_ + kRowTitle - 2, CutToRoom(panel.title, width_ + 40),
                   "t s", Anchor::kMiddle);
    }
    DrawAxes(begin, column == 0);
    for (std::size_t s = 0; s < table_.series.size(); ++s) DrawSeries(panel, s);
  }

  void DrawAxes(double begin, bool is_first) {
    canvas_.YAxis(y_, begin, begin + width_,
                  {.name = is_first ? std::string_view(what_.label) : std::string_view(),
                   .is_percent = what_.is_percent});
    const std::string name = AxisName(table_.grid, axis_);
    if (places_.are_names) {
      DrawNames(canvas_, axis_.keys.front(), x_, y_.begin);
      canvas_.Text(begin + width_ / 2, y_.begin + 36, name, "t", Anchor::kMiddle);
    } else {
      canvas_.XAxis(x_, y_.end, y_.begin, {.name = name, .ticks = columns_ == 1 ? 5 : 4});
    }
    canvas_.Line(begin, y_.begin, begin + width_, y_.begin, "a");
  }

  void DrawSeries(const Panel& panel, std::size_t series) {
    const SweepSeries& own = table_.series[series];
    std::string line;
    struct Mark {
      double x, y;
      std::size_t cell;
    };
    std::vector<Mark> drawn;
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      const SweepPoint& point = table_.At(metric_, panel.cells[i], series);
      if (!point.is_shown()) continue;
      const double at_x = x_(places_.x[i]) + Shift(series), at_y = y_(point.band.mean);
      line += fmt::format("{}{} {}", line.empty() ? "M" : "L", Coordinate(at_x), Coordinate(at_y));
      drawn.push_back({at_x, at_y, panel.cells[i]});
      DrawInterval(point, at_x, fmt::format("y c{}", own.style.colour));
    }
    if (drawn.size() > 1 && !places_.are_names) {
      canvas_.Path(line, fmt::format("l c{} d{}", own.style.colour, own.style.dash));
    }
    for (const Mark& mark : drawn) {
      const SweepPoint& point = table_.At(metric_, mark.cell, series);
      canvas_.Path(ShapePath(own.style.shape, mark.x, mark.y, 4),
                   fmt::format("{} c{}", point.is_bound() ? "x" : "m", own.style.colour),
                   Hover(table_, metric_, mark.cell, own, point));
    }
  }

  void DrawInterval(const SweepPoint& point, double at_x, const std::string& look) {
    if (!(point.band.low < point.band.high)) return;
    for (const double end : {point.band.low, point.band.high}) {
      if (IsOnAxis(end)) canvas_.Line(at_x - 3, y_(end), at_x + 3, y_(end), look);
    }
    canvas_.Line(at_x, y_(point.band.low), at_x, y_(point.band.high), look);
  }

  // An end that lies beyond the axis has no cap, so that the interval is seen to go on.
  bool IsOnAxis(double end) const { return end >= y_.low && end <= y_.high; }

  // Draws a panel for LaTeX.
  Plot PlotOf(const Panel& panel) const {
    Scale padded = x_;
    if (!places_.are_names) {  // Marks at the ends of the axis stay inside of the plot.
      const double margin =
          x_.is_log ? std::pow(x_.high / x_.low, 0.05) : 0.05 * (x_.high - x_.low);
      padded.low = x_.is_log ? x_.low / margin : x_.low - margin;
      padded.high = x_.is_log ? x_.high * margin : x_.high + margin;
    }
    PlotWriter plot(padded, y_);
    plot.YAxis({.name = what_.label, .is_percent = what_.is_percent});
    if (places_.are_names) {
      plot.XNames(places_.x, axis_.keys.front().values, AxisName(table_.grid, axis_));
    } else {
      plot.XAxis({.name = AxisName(table_.grid, axis_), .ticks = 4});
    }
    for (std::size_t s = 0; s < table_.series.size(); ++s) PlotSeries(panel, s, plot);
    return plot.Take();
  }

  void PlotSeries(const Panel& panel, std::size_t series, PlotWriter& plot) const {
    constexpr double kPtPerPx = 0.55;
    using Point = PlotWriter::Point;
    const SweepSeries& own = table_.series[series];
    const std::string colour = ColourName("c", own.style.colour);
    const std::string shift = fmt::format(", xshift={:.4g}pt", kPtPerPx * Shift(series));
    const std::string bar = fmt::format("color={}, line width=0.5pt{}", colour, shift);
    std::vector<Point> line, full, bounds, caps;
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      const SweepPoint& point = table_.At(metric_, panel.cells[i], series);
      if (!point.is_shown()) continue;
      line.push_back({places_.x[i], point.band.mean});
      (point.is_bound() ? bounds : full).push_back(line.back());
      if (!(point.band.low < point.band.high)) continue;
      const Point ends[] = {{places_.x[i], point.band.low}, {places_.x[i], point.band.high}};
      plot.Line(ends, bar);
      std::ranges::copy_if(ends, std::back_inserter(caps),
                           [&](const Point& end) { return IsOnAxis(end.y); });
    }
    plot.Marks(caps, bar + ", mark=-, mark size=1.5pt");
    const std::string mark = MarkLook(own.style.shape, colour, 1.8);
    if (!places_.are_names) plot.Line(line, LineLook(own.style) + shift);
    plot.Marks(full, mark + shift);
    plot.Marks(bounds, HollowLook(own.style.shape, colour, 1.8) + shift);
    if (table_.series.size() > 1) plot.Entry(own.name, LineLook(own.style) + ", " + mark, true);
  }

  std::string Description() const {
    return fmt::format("Line chart of {} over {}, {}.", what_.label, axis_.keys.front().name,
                       panels_.size() == 1 ? std::string("in one panel")
                                           : fmt::format("in {} panels", panels_.size()));
  }

  const SweepTable& table_;
  std::size_t metric_;
  const SweepMetric& what_;
  const GridAxis& axis_;
  Places places_;
  std::vector<Panel> panels_;
  std::size_t columns_;  // of panels
  double width_;         // of a panel
  double right_;         // end of the last panel
  Scale x_, y_;          // of the panel that is drawn
  double top_ = 0;       // of the row of panels
  Canvas canvas_;
};

}  // namespace

Figure DrawSweepLines(Heading heading, const SweepTable& table, std::size_t metric) {
  return SweepLines(table, metric).Draw(std::move(heading));
}

}  // namespace airlot::report
