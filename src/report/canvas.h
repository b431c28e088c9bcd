// A Canvas is a picture in SVG, built up from lines, shapes and text. Colours and fonts are
// classes, which web/src/figure.css defines.
#ifndef AIRLOT_REPORT_CANVAS_H_
#define AIRLOT_REPORT_CANVAS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "report/scale.h"

namespace airlot::report {

// These shapes are told apart without colour.
enum class Shape { kCircle, kSquare, kTriangle, kDiamond, kDownTriangle, kCross, kBar };
inline constexpr std::size_t kShapeCount = 6;

// Returns the path of a shape around a place: "M1 2h3v4z".
std::string ShapePath(Shape shape, double x, double y, double radius);

// Returns a coordinate with at most one digit behind the point.
std::string Coordinate(double value);

// Returns the room that a text takes in the size of figures, in the widest of the fonts that
// web/src/figure.css names; it is a little too much rather than too little.
double TextWidth(std::string_view text);

// An entry of a legend has the class of its mark, and a line through the mark or none.
struct LegendEntry {
  std::string name;
  std::string mark_class;
  std::string line_class;  // It is empty where there is no line.
  Shape shape = Shape::kCircle;
};

enum class Anchor { kStart, kMiddle, kEnd };

class Canvas {
 public:
  void Line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void Path(std::string_view data, std::string_view css_class, std::string_view hover = {});
  void Rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view hover = {});
  void Text(double x, double y, std::string_view text, std::string_view css_class = "t",
            Anchor anchor = Anchor::kStart);
  // Writes a text upwards, along the y axis.
  void SideText(double x, double y, std::string_view text);

  // Draws a legend, and returns the height that the entries take, in as many rows as they need.
  double Legend(double x, double y, double width, std::span<const LegendEntry> entries);

  // XAxis and YAxis draw the grid lines and labels of a plot. The x axis has its numbers below
  // `bottom` and its grid up to `top`; the y axis is between the ends of its scale, left of `left`,
  // its grid up to `right`.
  struct Labels {
    std::string_view name;
    bool is_percent = false;
    int ticks = 5;
  };
  void XAxis(const Scale& x, double top, double bottom, const Labels& labels);
  void YAxis(const Scale& y, double left, double right, const Labels& labels);

  std::string Take() { return std::move(svg_); }

 private:
  std::string svg_;
};

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_CANVAS_H_
