#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "report/figure.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWidth = 460;
constexpr double kPlot = 236;  // height between the axes' ends
constexpr double kLeft = 62, kRight = 436;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void Add(double value, bool is_log) {
    if (!std::isfinite(value) || (is_log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return low > high; }
};

Scale ScaleOfX(const AxisChoice& axis, const std::vector<Curve>& curves) {
  Range range;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) range.Add(point.x, axis.is_log);
    if (!curve.is_shown) continue;
    for (const CurvePoint& point : curve.tail) range.Add(point.x, axis.is_log);
  }
  if (axis.mark) range.Add(*axis.mark, axis.is_log);
  if (range.is_empty()) return {.low = axis.is_log ? 1.0 : 0.0, .high = 10, .is_log = axis.is_log};
  return RoundScale(axis.is_log ? range.low : std::min(0.0, range.low), range.high, axis.is_log);
}

// The axis goes from 0 to 1, and further down where values may be below 0 and are.
Scale ScaleOfScores(const AxisChoice& axis, const std::vector<Curve>& curves) {
  Range range{.low = 0, .high = 1};
  if (!axis.may_be_below_0) return {.low = range.low, .high = range.high};
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) range.Add(point.y.mean, false);
  }
  return range.low < 0 ? RoundScale(range.low, range.high, false)
                       : Scale{.low = range.low, .high = range.high};
}

bool IsDrawn(const CurvePoint& point, const Scale& x) {
  return std::isfinite(point.x) && std::isfinite(point.y.mean) && (!x.is_log || point.x > 0);
}

bool HasBand(const Curve& curve) { return curve.runs >= kLeastForBand; }

void DrawBand(Canvas& canvas, const Curve& curve, const Scale& x, const Scale& y) {
  std::string there, back;
  for (const CurvePoint& point : curve.points) {
    if (!IsDrawn(point, x)) continue;
    const std::string at = Coordinate(x(point.x));
    there += fmt::format("{}{} {}", there.empty() ? "M" : "L", at, Coordinate(y(point.y.high)));
    back.insert(0, fmt::format("L{} {}", at, Coordinate(y(point.y.low))));
  }
  if (!there.empty()) canvas.Path(there + back + "z", fmt::format("b c{}", curve.style.colour));
}

void DrawCurve(Canvas& canvas, const Curve& curve, const Scale& x, const Scale& y) {
  const Style& style = curve.style;
  // Marks begin at another place for each strategy.
  const double first_mark =
      curve.points.size() > 12 ? kLeft + 11 * double(style.colour + style.dash) : kLeft;
  std::string line, marks;
  double last_mark = -100;
  for (const CurvePoint& point : curve.points) {
    if (!IsDrawn(point, x)) continue;
    const double at_x = x(point.x), at_y = y(point.y.mean);
    line +=
        curve.is_steps && !line.empty()
            ? fmt::format("H{}V{}", Coordinate(at_x), Coordinate(at_y))
            : fmt::format("{}{} {}", line.empty() ? "M" : "L", Coordinate(at_x), Coordinate(at_y));
    if (at_x - last_mark < 58 || at_x < first_mark) continue;
    last_mark = at_x;
    marks += ShapePath(style.shape, at_x, at_y, 3.6);
  }
  if (line.empty()) return;
  if (!curve.is_shown) {
    canvas.Path(line, "u", curve.strategy);
    return;
  }
  canvas.Path(line, fmt::format("l c{} d{}", style.colour, style.dash));
  if (!marks.empty()) canvas.Path(marks, fmt::format("m c{}", style.colour));
}

// Draws the thin line where only some runs go on, and a ring where all end on average.
void DrawTail(Canvas& canvas, const Curve& curve, const Scale& x, const Scale& y, bool is_percent) {
  std::string line;
  for (const CurvePoint& point : curve.tail) {
    if (!IsDrawn(point, x)) continue;
    line += fmt::format("{}{} {}", line.empty() ? "M" : "L", Coordinate(x(point.x)),
                        Coordinate(y(point.y.mean)));
  }
  if (!line.empty()) {
    canvas.Path(line, fmt::format("y c{} d{}", curve.style.colour, curve.style.dash));
  }
  if (curve.end && IsDrawn(*curve.end, x)) {
    canvas.Path(
        ShapePath(Shape::kCircle, x(curve.end->x), y(curve.end->y.mean), 4.5),
        fmt::format("x c{}", curve.style.colour),
        fmt::format("{}: the runs end at {} on average, with {}", curve.strategy,
                    ShortUtf8(curve.end->x),
                    is_percent ? Percent(curve.end->y.mean) : ShortUtf8(curve.end->y.mean)));
  }
}

std::string CsvOf(const AxisChoice& x, const AxisChoice& y, const std::vector<Curve>& curves) {
  const bool are_means =
      std::ranges::any_of(curves, [](const Curve& curve) { return curve.runs > 0; });
  std::string csv = are_means
                        ? fmt::format("strategy,runs,{0},{1},{1}_low,{1}_high\n", x.name, y.name)
                        : fmt::format("strategy,{},{}\n", x.name, y.name);
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      base::AppendCsvField(csv, curve.strategy);
      if (are_means) csv += fmt::format(",{}", curve.runs);
      csv += fmt::format(",{},{}", Plain(point.x), Plain(point.y.mean));
      if (HasBand(curve)) {
        csv += fmt::format(",{},{}", Plain(point.y.low), Plain(point.y.high));
      } else if (are_means) {
        csv += ",,";
      }
      csv += "\n";
    }
    for (const CurvePoint& point : curve.tail) {
      base::AppendCsvField(csv, curve.strategy);
      csv += fmt::format(",{},{},{},,\n", point.runs, Plain(point.x), Plain(point.y.mean));
    }
  }
  return csv;
}

// Returns the points of a line in a plot for LaTeX, which has little room for them: none is nearer
// to the last one than a 300th of the axis, except the end.
std::vector<PlotWriter::Point> PlotPoints(const std::vector<CurvePoint>& points, const Scale& x,
                                          bool is_steps, double Band::*end) {
  constexpr double kNearest = 1.0 / 300;
  Scale unit = x;
  unit.begin = 0;
  unit.end = 1;
  std::vector<PlotWriter::Point> kept;
  double last = -1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!IsDrawn(points[i], x)) continue;
    const double at = unit(points[i].x);
    if (!is_steps && i + 1 < points.size() && at - last < kNearest) continue;
    last = at;
    kept.push_back({points[i].x, points[i].y.*end});
  }
  return kept;
}

// Returns the points that have marks: every eighth of the axis or so, and for each strategy they
// begin at another place.
std::vector<PlotWriter::Point> PlotMarks(const Curve& curve, const Scale& x) {
  constexpr double kEvery = 58 / (kRight - kLeft), kShift = 11 / (kRight - kLeft);
  Scale unit = x;
  unit.begin = 0;
  unit.end = 1;
  const double first =
      curve.points.size() > 12 ? kShift * double(curve.style.colour + curve.style.dash) : 0;
  std::vector<PlotWriter::Point> marks;
  double last = -1;
  for (const CurvePoint& point : curve.points) {
    if (!IsDrawn(point, x)) continue;
    const double at = unit(point.x);
    if (at - last < kEvery || at < first) continue;
    last = at;
    marks.push_back({point.x, point.y.mean});
  }
  return marks;
}

void PlotCurve(PlotWriter& plot, const Curve& curve, const Scale& x) {
  const std::string steps = curve.is_steps ? ", const plot" : "";
  const auto line = PlotPoints(curve.points, x, curve.is_steps, &Band::mean);
  if (!curve.is_shown) {
    plot.Line(line, "color=airlotu, line width=0.4pt" + steps);
    return;
  }
  const std::string colour = ColourName("c", curve.style.colour);
  plot.Line(PlotPoints(curve.tail, x, false, &Band::mean), LineLook(curve.style, 0.5));
  plot.Line(line, LineLook(curve.style) + steps);
  plot.Marks(PlotMarks(curve, x), MarkLook(curve.style.shape, colour, 1.9));
  if (curve.end && IsDrawn(*curve.end, x)) {
    const PlotWriter::Point end{curve.end->x, curve.end->y.mean};
    plot.Marks(std::span(&end, 1), HollowLook(Shape::kCircle, colour, 2.2));
  }
}

void PlotBand(PlotWriter& plot, const Curve& curve, const Scale& x) {
  std::vector<PlotWriter::Point> around = PlotPoints(curve.points, x, false, &Band::high);
  const std::vector<PlotWriter::Point> back = PlotPoints(curve.points, x, false, &Band::low);
  around.insert(around.end(), back.rbegin(), back.rend());
  plot.Area(around, fmt::format("fill={}, fill opacity=0.16", ColourName("c", curve.style.colour)));
}

Plot PlotOf(const AxisChoice& x_axis, const AxisChoice& y_axis, const Scale& x, const Scale& y,
            const std::vector<Curve>& curves, const std::vector<double>& targets) {
  PlotWriter plot(x, y);
  plot.YAxis({.name = y_axis.label, .is_percent = y_axis.is_percent});
  plot.XAxis({.name = x_axis.label});
  const auto hidden = std::ranges::count(curves, false, &Curve::is_shown);
  for (const Curve& curve : curves) {
    if (!curve.is_shown) continue;
    plot.Entry(curve.strategy,
               LineLook(curve.style) + ", " +
                   MarkLook(curve.style.shape, ColourName("c", curve.style.colour), 1.9),
               true);
  }
  if (hidden > 0) plot.Entry(fmt::format("{} others", hidden), "color=airlotu", true);
  for (const double target : targets) {
    const PlotWriter::Point ends[] = {{x.low, target}, {x.high, target}};
    plot.Line(ends, "color=airlota, line width=0.5pt, dotted");
  }
  if (x_axis.mark) {
    const PlotWriter::Point ends[] = {{*x_axis.mark, y.low}, {*x_axis.mark, y.high}};
    plot.Line(ends, "color=airlote, line width=0.5pt, dashed");
  }
  for (const Curve& curve : curves) {
    if (curve.is_shown && HasBand(curve)) PlotBand(plot, curve, x);
  }
  for (const bool is_shown : {false, true}) {
    for (const Curve& curve : curves) {
      if (curve.is_shown == is_shown) PlotCurve(plot, curve, x);
    }
  }
  return plot.Take();
}

// Six digits are more than anyone reads off, and take half the room.
double Rounded(double value) { return std::strtod(Plain(value).c_str(), nullptr); }

std::string InteractiveOf(const AxisChoice& x, const AxisChoice& y,
                          const std::vector<Curve>& curves, const std::vector<double>& targets) {
  Json series = Json::array();
  for (const Curve& curve : curves) {
    Json xs = Json::array(), means = Json::array(), lows = Json::array(), highs = Json::array();
    for (const CurvePoint& point : curve.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y.mean)) continue;
      xs.push_back(Rounded(point.x));
      means.push_back(Rounded(point.y.mean));
      if (!HasBand(curve)) continue;
      lows.push_back(Rounded(point.y.low));
      highs.push_back(Rounded(point.y.high));
    }
    Json tail = Json::object();
    for (const CurvePoint& point : curve.tail) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y.mean)) continue;
      tail["x"].push_back(Rounded(point.x));
      tail["y"].push_back(Rounded(point.y.mean));
      tail["runs"].push_back(point.runs);
    }
    if (!tail.empty() && curve.end) {
      tail["end"] = {Rounded(curve.end->x), Rounded(curve.end->y.mean)};
    }
    series.push_back({{"name", curve.strategy},
                      {"colour", curve.style.colour},
                      {"dash", curve.style.dash},
                      {"shown", curve.is_shown},
                      {"steps", curve.is_steps},
                      {"x", xs},
                      {"y", means},
                      {"low", lows},
                      {"high", highs}});
    if (!tail.empty()) series.back()["tail"] = std::move(tail);
  }
  Json json = {{"x", {{"label", x.label}, {"log", x.is_log}}},
               {"y", {{"label", y.label}, {"log", y.is_log}, {"percent", y.is_percent}}},
               {"targets", targets},
               {"series", series}};
  if (x.mark) json["x"]["mark"] = *x.mark;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Names the axes, and says where each curve ends: "probabilistic ends at 82.1 % at 27,364.".
std::string DescriptionOf(const AxisChoice& x, const AxisChoice& y,
                          const std::vector<Curve>& curves) {
  std::string text = fmt::format("Line chart of {} against {}.", y.label, x.label);
  for (const Curve& curve : curves) {
    if (curve.points.empty()) continue;
    const CurvePoint& last = curve.points.back();
    text += fmt::format(" {} {} at {} at {}", curve.strategy,
                        curve.tail.empty() ? "ends" : "goes on in all runs until it is",
                        y.is_percent ? Percent(last.y.mean) : ShortUtf8(last.y.mean),
                        ShortUtf8(last.x));
    text += curve.tail.empty()
                ? "."
                : fmt::format(", and in the longest until {}.", ShortUtf8(curve.tail.back().x));
  }
  return text;
}

}  // namespace

Curve MeanCurveOf(const std::string& strategy, const Looks& looks, std::span<const Track> tracks,
                  std::size_t most, bool are_shares) {
  constexpr std::size_t kMostInTail = 60;
  Curve curve{.strategy = strategy,
              .style = looks.Of(strategy),
              .is_shown = looks.IsShown(strategy),
              .runs = tracks.size(),
              .points = MeanCurve(tracks, most, are_shares),
              .tail = MeanTail(tracks, kMostInTail)};
  if (curve.tail.empty()) return curve;
  std::vector<double> x, y;
  for (const Track& track : tracks) {
    x.push_back(track.x.back());
    y.push_back(track.y.back());
  }
  const double mean = MomentsOf(y).mean;
  curve.end = CurvePoint{MomentsOf(x).mean, {mean, mean, mean}, tracks.size()};
  return curve;
}

Figure DrawLines(Heading heading, const AxisChoice& x_axis, const AxisChoice& y_axis,
                 const std::vector<Curve>& curves, const std::vector<double>& targets) {
  Canvas canvas;
  std::vector<LegendEntry> entries;
  for (const Curve& curve : curves) {
    if (curve.is_shown) entries.push_back(LineEntry(curve.strategy, curve.style));
  }
  if (entries.size() < curves.size()) {
    entries.push_back({.name = fmt::format("{} others", curves.size() - entries.size()),
                       .mark_class = "none",
                       .line_class = "u"});
  }
  const double legend = canvas.Legend(kLeft, 12, kRight - kLeft, entries);
  Scale x = ScaleOfX(x_axis, curves), y = ScaleOfScores(y_axis, curves);
  x.begin = kLeft;
  x.end = kRight;
  y.end = legend + 10;
  y.begin = y.end + kPlot;
  canvas.YAxis(y, kLeft, kRight, {.name = y_axis.label, .is_percent = y_axis.is_percent});
  canvas.XAxis(x, y.end, y.begin, {.name = x_axis.label});
  canvas.Line(x.begin, y.begin, x.end, y.begin, "a");
  for (const double target : targets) {
    canvas.Line(x.begin, y(target), x.end, y(target), "r");
  }
  if (x_axis.mark) canvas.Line(x(*x_axis.mark), y.begin, x(*x_axis.mark), y.end, "e");
  for (const Curve& curve : curves) {
    if (curve.is_shown && HasBand(curve)) DrawBand(canvas, curve, x, y);
  }
  for (const Curve& curve : curves) {
    if (curve.is_shown) DrawTail(canvas, curve, x, y, y_axis.is_percent);
  }
  for (const bool is_shown : {false, true}) {
    for (const Curve& curve : curves) {
      if (curve.is_shown == is_shown) DrawCurve(canvas, curve, x, y);
    }
  }
  const bool is_empty = std::ranges::none_of(curves, [&](const Curve& curve) {
    return std::ranges::any_of(curve.points,
                               [&](const CurvePoint& point) { return IsDrawn(point, x); });
  });
  if (is_empty) {
    canvas.Text((x.begin + x.end) / 2, (y.begin + y.end) / 2, "There is nothing to show", "t",
                Anchor::kMiddle);
  }
  Plot plot = PlotOf(x_axis, y_axis, x, y, curves, targets);
  if (is_empty) plot.body += "\\node at (rel axis cs:0.5,0.5) {There is nothing to show};\n";
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = DescriptionOf(x_axis, y_axis, curves),
          .width = kWidth,
          .height = int(std::ceil(y.begin)) + 48,
          .svg = canvas.Take(),
          .csv = CsvOf(x_axis, y_axis, curves),
          .interactive = is_empty ? "" : InteractiveOf(x_axis, y_axis, curves, targets),
          .plot = std::move(plot)};
}

}  // namespace airlot::report
