#include "report/figure.h"

#include <fmt/format.h>

#include "report/markup.h"
#include "report/page_assets.h"

namespace airlot::report {
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

}  // namespace airlot::report
