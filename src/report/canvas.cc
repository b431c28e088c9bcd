#include "report/canvas.h"

#include <fmt/format.h>

#include <cmath>

#include "report/markup.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr double kLegendRow = 18;

// Closes an element, with the text for hovering as its last child.
std::string Closing(std::string_view name, std::string_view hover) {
  return hover.empty() ? "/>" : fmt::format("><title>{}</title></{}>", Escape(hover), name);
}

std::string LabelOf(const Tick& tick, bool is_percent) {
  return is_percent ? fmt::format("{:.4g} %", 100 * tick.value) : tick.label;
}

}  // namespace

double TextWidth(std::string_view text) {
  // These are the widths of DejaVu Sans at 12 px, rounded up.
  constexpr double kNarrow = 5, kNormal = 7.7, kWide = 11.8;
  constexpr std::string_view kNarrowOnes = " -.,:;'|!()[]/fijlrt", kWideOnes = "mwMW%@";
  double width = 0;
  for (const char c : text) {
    if ((c & 0xC0) == 0x80) continue;  // This byte goes on with a character of UTF-8.
    const bool is_narrow = kNarrowOnes.find(c) != std::string_view::npos;
    width += is_narrow ? kNarrow : kWideOnes.find(c) != std::string_view::npos ? kWide : kNormal;
  }
  return width;
}

std::string Coordinate(double value) {
  const double tenths = std::round(value * 10);
  return fmt::format("{:g}", tenths == 0 ? 0 : tenths / 10);
}

std::string ShapePath(Shape shape, double x, double y, double r) {
  const auto at = [](double a, double b) { return Coordinate(a) + " " + Coordinate(b); };
  switch (shape) {
    case Shape::kCircle:
      return fmt::format("M{}a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0z", at(x - r, y), Coordinate(r),
                         Coordinate(r), Coordinate(2 * r), Coordinate(r), Coordinate(r),
                         Coordinate(-2 * r));
    case Shape::kSquare: {
      const double h = 0.88 * r;
      return fmt::format("M{}h{}v{}h{}z", at(x - h, y - h), Coordinate(2 * h), Coordinate(2 * h),
                         Coordinate(-2 * h));
    }
    case Shape::kTriangle:
      return fmt::format("M{}L{}L{}z", at(x, y - 1.2 * r), at(x + 1.1 * r, y + 0.8 * r),
                         at(x - 1.1 * r, y + 0.8 * r));
    case Shape::kDiamond:
      return fmt::format("M{}L{}L{}L{}z", at(x, y - 1.25 * r), at(x + 1.25 * r, y),
                         at(x, y + 1.25 * r), at(x - 1.25 * r, y));
    case Shape::kDownTriangle:
      return fmt::format("M{}L{}L{}z", at(x, y + 1.2 * r), at(x - 1.1 * r, y - 0.8 * r),
                         at(x + 1.1 * r, y - 0.8 * r));
    case Shape::kBar: {
      const double a = 0.4 * r, b = 1.1 * r;
      return fmt::format("M{}h{}v{}h{}z", at(x - b, y - a), Coordinate(2 * b), Coordinate(2 * a),
                         Coordinate(-2 * b));
    }
    case Shape::kCross: {
      const double a = 0.4 * r, b = 1.1 * r;
      return fmt::format("M{}H{}V{}H{}V{}H{}V{}H{}V{}H{}V{}H{}z", at(x - a, y - b),
                         Coordinate(x + a), Coordinate(y - a), Coordinate(x + b), Coordinate(y + a),
                         Coordinate(x + a), Coordinate(y + b), Coordinate(x - a), Coordinate(y + a),
                         Coordinate(x - b), Coordinate(y - a), Coordinate(x - a));
    }
  }
  return "";
}

void Canvas::Line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  svg_ += fmt::format(R"(<path class="{}" d="M{} {}L{} {}"/>)", css_class, Coordinate(x1),
                      Coordinate(y1), Coordinate(x2), Coordinate(y2));
}

void Canvas::Path(std::string_view data, std::string_view css_class, std::string_view hover) {
  svg_ += fmt::format(R"(<path class="{}" d="{}")", css_class, data) + Closing("path", hover);
}

void Canvas::Rectangle(double x, double y, double width, double height, std::string_view css_class,
                       std::string_view hover) {
  svg_ += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}")", css_class,
                      Coordinate(x), Coordinate(y), Coordinate(width), Coordinate(height)) +
          Closing("rect", hover);
}

void Canvas::Text(double x, double y, std::string_view text, std::string_view css_class,
                  Anchor anchor) {
  constexpr std::string_view kAnchors[] = {"", R"( text-anchor="middle")", R"( text-anchor="end")"};
  svg_ += fmt::format(R"(<text class="{}" x="{}" y="{}"{}>{}</text>)", css_class, Coordinate(x),
                      Coordinate(y), kAnchors[int(anchor)], Escape(text));
}

void Canvas::SideText(double x, double y, std::string_view text) {
  svg_ += fmt::format(
      R"svg(<text class="t" transform="translate({} {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
      Coordinate(x), Coordinate(y), Escape(text));
}

double Canvas::Legend(double x, double y, double width, std::span<const LegendEntry> entries) {
  double left = x, row = y;
  for (const LegendEntry& entry : entries) {
    const double mark = entry.line_class.empty() ? 14 : 30;
    const double needed = mark + TextWidth(entry.name) + 14;
    if (left > x && left + needed > x + width + 14) {
      left = x;
      row += kLegendRow;
    }
    if (!entry.line_class.empty()) Line(left, row, left + 24, row, entry.line_class);
    Path(ShapePath(entry.shape, left + (mark - 6) / 2, row, 4.5), entry.mark_class);
    Text(left + mark, row + 4, entry.name);
    left += needed;
  }
  return row + kLegendRow - y;
}

void Canvas::XAxis(const Scale& x, double top, double bottom, const Labels& labels) {
  for (const Tick& tick : x.Ticks(labels.ticks)) {
    const double at = x(tick.value);
    Line(at, bottom, at, top, "g");
    Text(at, bottom + 17, LabelOf(tick, labels.is_percent), "n", Anchor::kMiddle);
  }
  Text((x.begin + x.end) / 2, bottom + 36, labels.name, "t", Anchor::kMiddle);
}

void Canvas::YAxis(const Scale& y, double left, double right, const Labels& labels) {
  for (const Tick& tick : y.Ticks(labels.ticks)) {
    const double at = y(tick.value);
    Line(left, at, right, at, "g");
    Text(left - 6, at + 4, LabelOf(tick, labels.is_percent), "n", Anchor::kEnd);
  }
  if (!labels.name.empty()) SideText(12, (y.begin + y.end) / 2, labels.name);
}

}  // namespace airlot::report
