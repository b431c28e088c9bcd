// A Figure is a picture with what belongs to it, for a page or for a file.
#ifndef AIRLOT_REPORT_FIGURE_H_
#define AIRLOT_REPORT_FIGURE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/canvas.h"
#include "report/pgfplots.h"
#include "report/statistics.h"
#include "report/styles.h"

namespace airlot::report {

struct Figure {
  std::string id;           // unique on its page; the name of its files
  std::string title;        // a heading
  std::string caption;      // how to read it
  std::string description;  // text for those who do not see it
  int width = 0;
  int height = 0;
  std::string svg;  // the inside of the svg element
  std::string csv;  // data of the figure
  // This is JSON for the script that draws the figure again; it is empty where the figure stays as
  // it is.
  std::string interactive;
  enum class Place { kNormal, kWide, kStretched, kTall };
  // On a page, a figure stands among others, has a row of its own, fills such a row, or stands
  // beside three others.
  Place place = Place::kNormal;
  Plot plot = {};  // the figure for LaTeX
  // Where a figure has several panels, each is a figure of its own for LaTeX, in place of `plot`.
  struct Panel {
    std::string title;
    Plot plot;
  };
  std::vector<Panel> panels = {};
};

// InlineSvg makes an svg element for a page, and FileSvg a whole file in light colours.
std::string InlineSvg(const Figure& figure);
std::string FileSvg(const Figure& figure);

// A Heading is what all kinds of figures are told.
struct Heading {
  std::string id, title, caption;
};

// --- Kinds of figures, one file each -------------------------------------------------------------

struct AxisChoice {
  std::string label;  // such as "time (s): uploads"
  std::string name;   // name of the column in CSV, such as "time_s"
  bool is_log = false;
  bool is_percent = false;
  std::optional<double> mark = {};  // a value that a line is drawn at
  bool may_be_below_0 = false;      // of a line chart's y: else it goes from 0 to 1
};

// Curves of strategies have bands from three runs on, since a band of two says next to nothing.
inline constexpr std::size_t kLeastForBand = 3;
struct Curve {
  std::string strategy;
  Style style;
  // A curve that is not shown is thin and grey or, with scripts, switched off at first.
  bool is_shown = true;
  // The curve is the mean of so many runs, or no mean where this is 0.
  std::size_t runs = 0;
  std::vector<CurvePoint> points;
  // The tail is a thin line that goes on where only some runs do, and `end` the mean of where all
  // runs end.
  std::vector<CurvePoint> tail = {};
  std::optional<CurvePoint> end = {};
  // A curve of steps stays as high as a point until the next.
  bool is_steps = false;
};
// Returns the mean over runs, which must not be empty, with at most about `most` points.
Curve MeanCurveOf(const std::string& strategy, const Looks& looks, std::span<const Track> tracks,
                  std::size_t most, bool are_shares = true);
Figure DrawLines(Heading heading, const AxisChoice& x, const AxisChoice& y,
                 const std::vector<Curve>& curves, const std::vector<double>& targets);

// Bars stand in groups, one bar for each strategy; where there is no value, its text stands alone.
struct Bar {
  std::string strategy;
  Style style;
  std::optional<double> value;
  double spread = 0;   // half of the width of an interval around the value; 0: none is drawn
  std::string text;    // text beside the bar
  std::string remark;  // text behind that of the bar
  std::optional<double> reference;  // a mark to compare with
};
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};
// Draws bars; `csv` holds the data, which are more than what is drawn.
Figure DrawBars(Heading heading, const AxisChoice& axis, const std::vector<BarGroup>& groups,
                std::string csv, std::string_view reference_name = {});

// A scatter plot has the points of strategies, and the line y = x.
struct Cloud {
  std::string strategy;
  Style style;
  bool is_shown = true;  // A cloud that is not shown is only in the data.
  std::vector<std::string> ids;
  std::vector<double> x, y;
  std::vector<std::string> hover;  // text for each point
};
struct Diagonal {
  std::string_view name;
  // Where it is not 0, y is the share of so many draws, each with the probability x, and the band
  // where 95 % of such shares lie is drawn. (63)
  double draws = 0;
};
Figure DrawScatter(Heading heading, const AxisChoice& x, const AxisChoice& y,
                   const std::vector<Cloud>& clouds, const Diagonal& diagonal);

// A trade is what a strategy needs of two costs, and the rows of dots below are shares; both have a
// mark for each strategy.
struct Trade {
  std::string strategy;
  Style style;
  Band x, y;              // Their ends are the mean where there are too few runs for an interval.
  bool is_filled = true;  // else the mark is hollow
  bool is_bound = false;  // The costs are lower bounds, so that nothing is said of the front.
  std::string hover;
};
// Says whether a trade is drawn: it is not where a cost is 0, which logarithmic axes do not have.
bool IsDrawn(const Trade& trade);
// Draws a point for each trade, both costs with their intervals, and the front: a line through
// those that no other beats.
Figure DrawTrades(Heading heading, const AxisChoice& x, const AxisChoice& y,
                  const std::vector<Trade>& trades, std::string csv);
// Says of each trade whether it is on the front: no other costs at most as much of both and less of
// one. Lower bounds, and those that are not drawn, neither are on it nor keep others off.
std::vector<bool> FrontOf(std::span<const Trade> trades);

// Dots are shares of strategies in named rows; a share that is NaN has no dot.
struct Dots {
  std::string strategy;
  Style style;
  std::vector<double> shares;  // one for each row
};
Figure DrawDots(Heading heading, const AxisChoice& x, std::string_view row_name,
                const std::vector<Dots>& strategies, std::string csv);

Figure DrawHistogram(Heading heading, const AxisChoice& x, std::span<const double> values);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_FIGURE_H_
