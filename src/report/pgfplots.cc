#include "report/pgfplots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/latex.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr std::array kColours = std::to_array<NamedColour>(
    {{"c0", "0068a8"},   {"c1", "c94f00"},    {"c2", "00805c"}, {"c3", "a8447f"},
     {"c4", "1d2329"},   {"c5", "8400f0"},    {"q0", "440154"}, {"q1", "46327e"},
     {"q2", "365c8d"},   {"q3", "277f8e"},    {"q4", "1fa187"}, {"q5", "4ac16d"},
     {"q6", "a0da39"},   {"q7", "fde725"},    {"h0", "f1f3f5"}, {"h1", "d3e3f3"},
     {"h2", "b1d0ea"},   {"h3", "8bbade"},    {"h4", "649fce"}, {"h5", "4182bb"},
     {"h6", "2563a0"},   {"h7", "154680"},    {"h8", "0a2a58"}, {"g", "e3e7eb"},
     {"a", "6b7580"},    {"e", "1d2329"},     {"u", "9aa3ab"},  {"f", "3a6ea5"},
     {"mark", "8a939c"}, {"server", "c1121f"}});

// The dashes d0 to d5 of web/src/figure.css, where a px is about 0.55 pt.
constexpr std::array<std::string_view, 6> kDashes = {
    "solid",
    "dash pattern=on 4.4pt off 1.7pt",
    "dash pattern=on 1.7pt off 1.4pt",
    "dash pattern=on 5pt off 1.7pt on 1.1pt off 1.7pt",
    "dash pattern=on 9.9pt off 2.8pt",
    "dash pattern=on 5pt off 1.7pt on 1.1pt off 1.7pt on 1.1pt off 1.7pt"};

// LaTeX has no filled cross, nor a bar, so they are declared with the corners of ShapePath.
constexpr std::string_view kCrossMark = R"(\pgfdeclareplotmark{airlot cross}{%
  \pgfpathmoveto{\pgfpoint{-.4\pgfplotmarksize}{1.1\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{.4\pgfplotmarksize}{1.1\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{.4\pgfplotmarksize}{.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{1.1\pgfplotmarksize}{.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{1.1\pgfplotmarksize}{-.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{.4\pgfplotmarksize}{-.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{.4\pgfplotmarksize}{-1.1\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{-.4\pgfplotmarksize}{-1.1\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{-.4\pgfplotmarksize}{-.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{-1.1\pgfplotmarksize}{-.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{-1.1\pgfplotmarksize}{.4\pgfplotmarksize}}%
  \pgfpathlineto{\pgfpoint{-.4\pgfplotmarksize}{.4\pgfplotmarksize}}%
  \pgfpathclose\pgfusepathqfillstroke}
)";
constexpr std::string_view kBarMark = R"(\pgfdeclareplotmark{airlot bar}{%
  \pgfpathrectangle{\pgfpoint{-1.1\pgfplotmarksize}{-.4\pgfplotmarksize}}%
    {\pgfpoint{2.2\pgfplotmarksize}{.8\pgfplotmarksize}}%
  \pgfusepathqfillstroke}
)";

std::string Number(double value) { return fmt::format("{:.7g}", value); }

double Clamped(const Scale& scale, double value) {
  if (!(value > scale.low)) return scale.low;  // NaN too
  return std::min(value, scale.high);
}

std::string_view MarkName(Shape shape) {
  switch (shape) {
    case Shape::kCircle:
      return "*";
    case Shape::kSquare:
      return "square*";
    case Shape::kTriangle:
    case Shape::kDownTriangle:
      return "triangle*";
    case Shape::kDiamond:
      return "diamond*";
    case Shape::kCross:
      return "airlot cross";
    case Shape::kBar:
      return "airlot bar";
  }
  return "*";
}

// Returns by how much a mark of LaTeX is larger, so that all shapes look alike in size.
double SizeFactor(Shape shape) {
  switch (shape) {
    case Shape::kTriangle:
    case Shape::kDownTriangle:
      return 1.3;
    case Shape::kDiamond:
      return 1.25;
    case Shape::kSquare:
      return 0.9;
    default:
      return 1;
  }
}

std::string Mark(Shape shape, std::string_view fill, std::string_view draw, double line_pt,
                 double size_pt) {
  return fmt::format(
      "mark={}, mark size={:.4g}pt, mark options={{solid, {}fill={}, draw={}, line "
      "width={}pt}}",
      MarkName(shape), SizeFactor(shape) * size_pt,
      shape == Shape::kDownTriangle ? "rotate=180, " : "", fill, draw, line_pt);
}

// Returns the label of a tick, not yet for LaTeX.
std::string LabelOf(const Tick& tick, bool is_percent) {
  return is_percent ? fmt::format("{:.4g} %", 100 * tick.value) : tick.label;
}

// Returns how many entries of a legend fit beside each other. The columns of pgfplots are as wide
// as their widest entry.
std::size_t LegendColumns(const std::vector<Plot::Entry>& legend, double most_pt) {
  for (std::size_t columns = legend.size(); columns > 1; --columns) {
    std::vector<double> widths(columns);
    for (std::size_t i = 0; i < legend.size(); ++i) {
      const double image = legend[i].has_line ? 26 : 12;
      widths[i % columns] = std::max(widths[i % columns], image + LatexWidthPt(legend[i].name) + 8);
    }
    double sum = 0;
    for (const double width : widths) sum += width;
    if (sum <= most_pt) return columns;
  }
  return 1;
}

std::string LegendOptions(const Plot& plot, double most_pt) {
  if (plot.legend.empty()) return "";
  const bool has_lines = std::ranges::any_of(plot.legend, &Plot::Entry::has_line);
  return fmt::format(
      "  legend columns={}, legend cell align=left{},\n"
      "  legend style={{at={{(0.5,1)}}, anchor=south, yshift=2pt, draw=none, fill=none, inner "
      "sep=0pt, /tikz/every even column/.append style={{column sep=5pt}}}},\n",
      LegendColumns(plot.legend, most_pt),
      has_lines ? "" : ", legend image post style={xshift=-1pt}");
}

std::string Above(std::string_view text) {
  return fmt::format(
      "\\node[anchor=south, inner sep=0pt, yshift=4pt] at (current bounding box.north) {{{}}};\n",
      text);
}

}  // namespace

std::span<const NamedColour> PlotColours() { return kColours; }

std::string ColourName(std::string_view kind, std::size_t index) {
  return fmt::format("airlot{}{}", kind, index);
}

std::string LineLook(const Style& style, double width_pt) {
  return fmt::format("color={}, line width={}pt, {}, line join=round",
                     ColourName("c", style.colour), width_pt, kDashes[style.dash % kDashes.size()]);
}

std::string MarkLook(Shape shape, std::string_view colour, double size_pt) {
  return Mark(shape, colour, "white", 0.3, size_pt);
}

std::string HollowLook(Shape shape, std::string_view colour, double size_pt) {
  return Mark(shape, "white", colour, 0.7, size_pt);
}

std::string FaintLook(Shape shape, std::string_view colour, double size_pt) {
  return Mark(shape, fmt::format("{}, fill opacity=0.45", colour), colour, 0.4, size_pt);
}

std::string OutlinedLook(Shape shape, std::string_view colour, double size_pt) {
  return Mark(shape, colour, "airlote", 0.3, size_pt);
}

std::string ColourRow(std::string_view kind, std::size_t count) {
  std::string row;
  for (std::size_t i = 0; i < count; ++i) {
    row += fmt::format("\\textcolor{{{}}}{{\\rule{{9pt}}{{6pt}}}}", ColourName(kind, i));
  }
  return row;
}

PlotWriter::PlotWriter(const Scale& x, const Scale& y) : x_(x), y_(y) {
  Option(fmt::format("xmin={}, xmax={}", Number(x.low), Number(x.high)));
  Option(fmt::format("ymin={}, ymax={}", Number(y.low), Number(y.high)));
  if (x.is_log) Option("xmode=log");
  if (y.is_log) Option("ymode=log");
}

void PlotWriter::Option(std::string option) { plot_.options.push_back(std::move(option)); }

void PlotWriter::Numbers(char axis, const Scale& scale, const Canvas::Labels& labels) {
  std::vector<std::string> places, names;
  double widest_pt = 0;
  for (const Tick& tick : scale.Ticks(labels.ticks)) {
    const std::string label = LabelOf(tick, labels.is_percent);
    places.push_back(Number(tick.value));
    const bool is_negative = label.starts_with('-');
    names.push_back("{" + Latex((is_negative ? "−" : "") + label.substr(is_negative ? 1 : 0)) +
                    "}");
    widest_pt = std::max(widest_pt, LatexWidthPt(label) + (is_negative ? 3 : 0));
  }
  if (places.empty()) {
    Option(fmt::format("{}tick=\\empty", axis));
  } else {
    Option(fmt::format("{0}tick={{{1}}}, {0}ticklabels={{{2}}}, {0}majorgrids", axis,
                       fmt::join(places, ","), fmt::join(names, ",")));
  }
  if (!labels.name.empty()) Option(fmt::format("{}label={{{}}}", axis, Latex(labels.name)));
  if (axis == 'y') {
    plot_.left_pt = widest_pt + 7 + (labels.name.empty() ? 0 : 14);
  } else {
    plot_.left_pt = std::max(plot_.left_pt, widest_pt / 2);
    plot_.right_pt = std::max(plot_.right_pt, widest_pt / 2);
  }
}

void PlotWriter::XAxis(const Canvas::Labels& labels) { Numbers('x', x_, labels); }
void PlotWriter::YAxis(const Canvas::Labels& labels) { Numbers('y', y_, labels); }

double PlotWriter::Names(char axis, std::span<const double> values,
                         std::span<const std::string> names, std::string_view label) {
  std::vector<std::string> places, texts;
  double widest_pt = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    places.push_back(Number(values[i]));
    texts.push_back("{" + Latex(names[i]) + "}");
    widest_pt = std::max(widest_pt, LatexWidthPt(names[i]));
  }
  Option(fmt::format("{0}tick={{{1}}}, {0}ticklabels={{{2}}}", axis, fmt::join(places, ","),
                     fmt::join(texts, ",")));
  Option(fmt::format("{}label={{{}}}", axis, Latex(label)));
  return widest_pt;
}

void PlotWriter::XNames(std::span<const double> values, std::span<const std::string> names,
                        std::string_view label) {
  Names('x', values, names, label);
}

void PlotWriter::YNames(std::span<const double> values, std::span<const std::string> names,
                        std::string_view label) {
  plot_.left_pt = std::max(plot_.left_pt, Names('y', values, names, label) + 21);
}

void PlotWriter::TurnY() { Option("y dir=reverse"); }

std::string PlotWriter::Place(Point point) const {
  return fmt::format("{},{}", Number(Clamped(x_, point.x)), Number(Clamped(y_, point.y)));
}

void PlotWriter::Coordinates(std::span<const Point> points) {
  constexpr std::size_t kInALine = 5;
  plot_.body += " coordinates {";
  for (std::size_t i = 0; i < points.size(); ++i) {
    plot_.body += fmt::format("{}({})", i % kInALine == 0 ? "\n  " : " ", Place(points[i]));
  }
  plot_.body += "\n}";
}

void PlotWriter::Line(std::span<const Point> points, std::string_view look) {
  if (points.empty()) return;
  plot_.body += fmt::format("\\addplot[{}, forget plot]", look);
  Coordinates(points);
  plot_.body += ";\n";
}

void PlotWriter::Area(std::span<const Point> points, std::string_view look) {
  if (points.empty()) return;
  plot_.body += fmt::format("\\addplot[draw=none, {}, forget plot]", look);
  Coordinates(points);
  plot_.body += " -- cycle;\n";
}

void PlotWriter::Marks(std::span<const Point> points, std::string_view look) {
  if (points.empty()) return;
  plot_.body += fmt::format("\\addplot[only marks, {}, forget plot]", look);
  Coordinates(points);
  plot_.body += ";\n";
}

void PlotWriter::Rectangle(Point from, Point to, std::string_view look) {
  plot_.body += fmt::format("\\fill[{}] (axis cs:{}) rectangle (axis cs:{});\n", look, Place(from),
                            Place(to));
}

void PlotWriter::Text(Point at, std::string_view text, std::string_view options) {
  plot_.body += fmt::format("\\node[{}, inner sep=0pt] at (axis cs:{}) {{{}}};\n", options,
                            Place(at), Latex(text));
}

void PlotWriter::Remark(std::string_view text) {
  plot_.body += fmt::format("\\node at (rel axis cs:0.5,0.5) {{{}}};\n", Latex(text));
}

void PlotWriter::Entry(std::string_view name, std::string look, bool has_line) {
  // A name takes at most most of a column.
  constexpr double kMostPt = 190;
  plot_.legend.push_back({CutToWidth(name, kMostPt), std::move(look), has_line});
}

void PlotWriter::SetHeights(double one_pt, double two_pt, bool is_square) {
  plot_.height_pt = one_pt;
  plot_.wide_height_pt = two_pt;
  plot_.is_square = is_square;
}

std::string_view ColumnWidth(PaperStyle::Columns columns) {
  return columns == PaperStyle::Columns::kOne ? "3.5in" : "7.16in";
}

double ColumnWidthPt(PaperStyle::Columns columns) {
  return 72.27 * (columns == PaperStyle::Columns::kOne ? 3.5 : 7.16);
}

std::string PgfplotsOf(const Plot& plot, std::string_view title, std::string_view caption,
                       const PaperStyle& paper) {
  const double room_pt = ColumnWidthPt(paper.columns) - plot.left_pt - plot.right_pt - 4;
  const bool is_wide = paper.columns == PaperStyle::Columns::kTwo;
  const double height_pt = is_wide ? plot.wide_height_pt : plot.height_pt;
  const double width_pt = plot.is_square ? std::min(room_pt, height_pt) : room_pt;
  std::string axis = fmt::format("  scale only axis, width={:.1f}pt, height={:.1f}pt,\n", width_pt,
                                 plot.is_square ? width_pt : height_pt);
  for (const std::string& option : plot.options) axis += "  " + option + ",\n";
  axis +=
      "  axis lines*=left, axis line style={airlota}, tick align=outside, major tick length=2pt,\n"
      "  tick style={airlota, line width=.4pt}, minor tick num=0, xminorticks=false, "
      "yminorticks=false,\n"
      "  major grid style={airlotg, line width=.4pt}, clip=false,\n"
      "  label style={inner sep=2pt}, xticklabel style={inner xsep=0pt, inner ysep=2pt}, "
      "yticklabel style={inner "
      "xsep=2pt},\n" +
      LegendOptions(plot, room_pt);
  std::string legend;
  for (const Plot::Entry& entry : plot.legend) {
    legend += fmt::format("\\addlegendimage{{{}}}\\addlegendentry{{{}}}\n", entry.options,
                          Latex(entry.name));
  }
  std::string drawn =
      fmt::format("\\begin{{axis}}[\n{}]\n{}{}\\end{{axis}}\n", axis, legend, plot.body);
  if (!plot.key.empty()) drawn += Above(plot.key);
  if (paper.has_titles && !title.empty()) drawn += Above("\\bfseries " + Latex(title));
  std::string text = LatexComment(fmt::format("{}. {}", title, caption));
  text +=
      "% Put it in with \\input; the preamble has \\usepackage{pgfplots} and "
      "\\pgfplotsset{compat=1.16}.\n";
  text += fmt::format("\\begin{{tikzpicture}}[font={}\\fontsize{{8}}{{9.6}}\\selectfont]\n",
                      paper.fonts == PaperStyle::Fonts::kSans ? "\\sffamily" : "");
  for (const NamedColour& colour : kColours) {
    const std::string name = fmt::format("airlot{}", colour.name);
    if (drawn.find(name) == std::string::npos) continue;
    std::string html(colour.html);
    std::ranges::transform(html, html.begin(),
                           [](char c) { return c >= 'a' && c <= 'f' ? char(c - 'a' + 'A') : c; });
    text += fmt::format("\\definecolor{{{}}}{{HTML}}{{{}}}\n", name, html);
  }
  if (drawn.find("airlot cross") != std::string::npos) text += kCrossMark;
  if (drawn.find("airlot bar") != std::string::npos) text += kBarMark;
  return text + drawn + "\\end{tikzpicture}%\n";
}

}  // namespace airlot::report
