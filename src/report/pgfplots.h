// A Plot is a figure for the LaTeX package pgfplots, as people edit it: an axis in the units of the
// data, with colours by name.
#ifndef AIRLOT_REPORT_PGFPLOTS_H_
#define AIRLOT_REPORT_PGFPLOTS_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/report.h"
#include "report/canvas.h"
#include "report/scale.h"
#include "report/styles.h"

namespace airlot::report {

// These are the colours that figures have on the page, by the names of their classes there
// (web/src/figure.css): c0 to c5 of strategies, q0 to q7 of probabilities, h0 to h8 of shares. In
// LaTeX "airlot" stands before the name.
struct NamedColour {
  std::string_view name, html;
};
std::span<const NamedColour> PlotColours();

// A Plot does not know how wide it will be: PgfplotsOf tells it.
struct Plot {
  std::vector<std::string> options;  // options of the axis without its size: "xmode=log"
  std::string body;                  // what is drawn in the axis
  struct Entry {
    std::string name;     // as people know it, not yet for LaTeX
    std::string options;  // of the image
    bool has_line = false;
  };
  std::vector<Entry> legend;
  std::string key;  // LaTeX that stands above the legend; it may be empty
  // Room beside the axis, for the numbers and names of the axes.
  double left_pt = 2, right_pt = 2;
  // Height of the axis in one column and in two.
  double height_pt = 125, wide_height_pt = 160;
  // Where an axis is square, the heights are the most that it has.
  bool is_square = false;
};

// Returns the options of a line in the style of a strategy, of marks, of hollow ones, of faint
// ones, and of marks with a dark line around them.
std::string LineLook(const Style& style, double width_pt = 0.9);
std::string MarkLook(Shape shape, std::string_view colour, double size_pt);
std::string HollowLook(Shape shape, std::string_view colour, double size_pt);
std::string FaintLook(Shape shape, std::string_view colour, double size_pt);
std::string OutlinedLook(Shape shape, std::string_view colour, double size_pt);
std::string ColourName(std::string_view kind, std::size_t index);  // "airlotc0"

// A PlotWriter builds a plot up from lines, marks and text. All places are values of the scales;
// what is beyond an end of a scale is drawn at that end.
class PlotWriter {
 public:
  struct Point {
    double x = 0, y = 0;
  };
  PlotWriter(const Scale& x, const Scale& y);

  // XAxis and YAxis write numbers and names beside the plot, with a grid.
  void XAxis(const Canvas::Labels& labels);
  void YAxis(const Canvas::Labels& labels);
  // XNames and YNames write names instead of numbers, at these values.
  void XNames(std::span<const double> values, std::span<const std::string> names,
              std::string_view label);
  void YNames(std::span<const double> values, std::span<const std::string> names,
              std::string_view label);
  // Puts the low end of the y axis on top, without numbers.
  void TurnY();
  void Option(std::string option);

  void Line(std::span<const Point> points, std::string_view look);
  void Area(std::span<const Point> points, std::string_view look);  // a closed line, filled
  void Marks(std::span<const Point> points, std::string_view look);
  void Rectangle(Point from, Point to, std::string_view look);
  // `options` say where the text stands to its place: "anchor=base west".
  void Text(Point at, std::string_view text, std::string_view options);
  void Remark(std::string_view text);  // in the middle of the plot
  void Entry(std::string_view name, std::string look, bool has_line);
  void SetKey(std::string latex) { plot_.key = std::move(latex); }
  void SetHeights(double one_pt, double two_pt, bool is_square = false);

  Plot Take() { return std::move(plot_); }

 private:
  std::string Place(Point point) const;
  void Coordinates(std::span<const Point> points);
  void Numbers(char axis, const Scale& scale, const Canvas::Labels& labels);
  // Returns the room that the widest of the names takes.
  double Names(char axis, std::span<const double> values, std::span<const std::string> names,
               std::string_view label);

  Scale x_, y_;
  Plot plot_;
};

// Returns a row of rectangles in these colours, as LaTeX in a line of text.
std::string ColourRow(std::string_view kind, std::size_t count);

// Returns a plot as a file for \input: comments, and a tikzpicture that is as wide as the columns
// of `paper` say. `title` and `caption` are text, not LaTeX.
std::string PgfplotsOf(const Plot& plot, std::string_view title, std::string_view caption,
                       const PaperStyle& paper);

// Returns the width of the columns for LaTeX, "3.5in", and in its points (72.27 to the inch).
std::string_view ColumnWidth(PaperStyle::Columns columns);
double ColumnWidthPt(PaperStyle::Columns columns);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PGFPLOTS_H_
