// A picture with what belongs to it, for a page or for a file.
#ifndef AIRLOT_REPORT_FIGURE_H_
#define AIRLOT_REPORT_FIGURE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/canvas.h"
#include "report/statistics.h"
#include "report/styles.h"

namespace airlot::report {

struct Figure {
  std::string id;           // unique on its page; the name of its files
  std::string title;        // a heading
  std::string caption;      // how to read it
  std::string description;  // for those who do not see it
  int width = 0;
  int height = 0;
  std::string svg;          // the inside of the svg element
  std::string csv;          // its data
  std::string interactive;  // JSON for the script that draws it again; empty: it stays as it is
  enum class Place { kNormal, kWide, kStretched, kTall };
  Place place = Place::kNormal;  // on a page: a row of its own, one that it fills, or beside three
};

// An svg element for a page, and a whole file in light colours.
std::string InlineSvg(const Figure& figure);
std::string FileSvg(const Figure& figure);

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
  Style style;
  bool is_shown = true;  // else thin and grey or, with scripts, switched off at first
  std::size_t runs = 0;  // that it is the mean of; 0: it is no mean
  std::vector<CurvePoint> points;
  bool is_steps = false;  // from a point, it stays as high until the next
};
Figure DrawLines(Heading heading, const AxisChoice& x, const AxisChoice& y,
                 const std::vector<Curve>& curves, const std::vector<double>& targets);

// Bars in groups: one for each strategy, their text alone where there is none.
struct Bar {
  std::string strategy;
  Style style;
  double value = 0;  // NaN: there is none
  double spread = 0;
  std::string text;                 // beside the bar
  std::string remark;               // behind the text
  std::optional<double> reference;  // a mark to compare with; NaN: there is none, as is known
};
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};
// `csv`: the data, which are more than what is drawn.
Figure DrawBars(Heading heading, const AxisChoice& axis, const std::vector<BarGroup>& groups,
                std::string csv, std::string_view reference_name = {});

// Points of strategies, and the line y = x.
struct Cloud {
  std::string strategy;
  Style style;
  bool is_shown = true;  // else only in the data
  std::vector<std::string> ids;
  std::vector<double> x, y;
  std::vector<std::string> hover;  // of each point
};
struct Diagonal {
  std::string_view name;
  // Not 0: y is the share of so many draws, each with the probability x; the band where 95 % of
  // such shares lie is drawn. (63)
  double draws = 0;
};
Figure DrawScatter(Heading heading, const AxisChoice& x, const AxisChoice& y,
                   const std::vector<Cloud>& clouds, const Diagonal& diagonal);

Figure DrawHistogram(Heading heading, const AxisChoice& x, std::span<const double> values);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_FIGURE_H_
