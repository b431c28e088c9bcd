// A picture with what belongs to it, for a page or for a file.
#ifndef AIRLOT_REPORT_FIGURE_H_
#define AIRLOT_REPORT_FIGURE_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/canvas.h"
#include "report/statistics.h"

namespace airlot::report {

using Json = nlohmann::ordered_json;

struct Figure {
  std::string id;           // unique on its page; the name of its files
  std::string title;        // a heading
  std::string caption;      // how to read it
  std::string description;  // for those who do not see it
  int width = 0;
  int height = 0;
  std::string svg;   // the inside of the svg element
  std::string csv;   // its data
  Json interactive;  // for the script that draws it again; null: it stays as it is
  enum class Place { kNormal, kWide, kStretched, kTall };
  Place place = Place::kNormal;  // on a page: a row of its own, one that it fills, or beside three
};

// An svg element for a page, and a whole file in light colours.
std::string InlineSvg(const Figure& figure);
std::string FileSvg(const Figure& figure);

// How a strategy looks: a number for its colour, dash and shape, the same in every report.
std::size_t StyleOf(std::string_view strategy);
Shape ShapeOf(std::size_t style);
LegendEntry LineEntry(const std::string& strategy);
LegendEntry MarkEntry(const std::string& strategy);

// What all kinds of figures are told.
struct Heading {
  std::string id, title, caption;
};

// --- Kinds of figures, one file each -------------------------------------------------------------

struct AxisChoice {
  std::string label;  // "simulated time (s)"
  std::string name;   // of the column in CSV: "time_s"
  bool is_log = false;
  bool is_percent = false;
};

// Curves of strategies, with bands from three runs on: of two, a band says next to nothing.
inline constexpr std::size_t kLeastForBand = 3;
struct Curve {
  std::string strategy;
  std::size_t runs = 1;
  std::vector<CurvePoint> points;
};
Figure DrawLines(Heading heading, const AxisChoice& x, const AxisChoice& y,
                 const std::vector<Curve>& curves, const std::vector<double>& targets);

// Bars in groups: one for each strategy, "never" where there is none.
struct Bar {
  std::string strategy;
  double value = 0;  // NaN: there is none
  double spread = 0;
  std::string text;      // beside the bar
  double reference = 0;  // a mark to compare with; NaN: none
};
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};
Figure DrawBars(Heading heading, const AxisChoice& axis, const std::vector<BarGroup>& groups,
                std::string_view reference_name = {});

// Points of strategies, and the line y = x.
struct Cloud {
  std::string strategy;
  std::vector<double> x, y;
  std::vector<std::string> hover;  // of each point
};
Figure DrawScatter(Heading heading, const AxisChoice& x, const AxisChoice& y,
                   const std::vector<Cloud>& clouds, std::string_view diagonal_name);

Figure DrawHistogram(Heading heading, const AxisChoice& x, std::span<const double> values);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_FIGURE_H_
