#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "airlot/selection.h"
#include "report/markup.h"
#include "report/page_assets.h"

namespace airlot::report {
namespace {

constexpr std::size_t kStyles = 8;  // in web/src/figure.css

}  // namespace

std::string InlineSvg(const Figure& figure) {
  return fmt::format(
      R"(<svg class="fig{}" viewBox="0 0 {} {}" role="img" aria-labelledby="{}-t {}-d">)"
      R"(<title id="{}-t">{}</title><desc id="{}-d">{}</desc>{}</svg>)",
      figure.place == Figure::Place::kStretched ? " stretch" : "", figure.width, figure.height,
      figure.id, figure.id, figure.id, Escape(figure.title), figure.id, Escape(figure.description),
      figure.svg);
}

std::string FileSvg(const Figure& figure) {
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" class="fig" width="{}" height="{}" )"
             R"(viewBox="0 0 {} {}"><title>{}</title><desc>{}</desc><style>{}</style>)"
             R"(<rect class="paper" width="{}" height="{}"/>{}</svg>)",
             figure.width, figure.height, figure.width, figure.height, Escape(figure.title),
             Escape(figure.description), Escape(kFigureCss), figure.width, figure.height,
             figure.svg) +
         "\n";
}

std::size_t StyleOf(std::string_view strategy) {
  const auto known = Strategies();
  const auto found = std::ranges::find(known, strategy, &StrategyEntry::name);
  return std::size_t(found - known.begin()) % kStyles;
}

Shape ShapeOf(std::size_t style) { return static_cast<Shape>(style % kShapeCount); }

LegendEntry MarkEntry(const std::string& strategy) {
  const std::size_t style = StyleOf(strategy);
  return {.name = strategy, .mark_class = fmt::format("m c{}", style), .shape = ShapeOf(style)};
}

LegendEntry LineEntry(const std::string& strategy) {
  LegendEntry entry = MarkEntry(strategy);
  entry.line_class = fmt::format("l c{0} d{0}", StyleOf(strategy));
  return entry;
}

}  // namespace airlot::report
