// These assets are what the page is made of besides the data; they are built from web/ and compiled
// in.
#ifndef AIRLOT_REPORT_PAGE_ASSETS_H_
#define AIRLOT_REPORT_PAGE_ASSETS_H_

#include <string_view>

namespace airlot::report {

extern const std::string_view kFigureCss;      // styles of figures, light
extern const std::string_view kFigureDarkCss;  // styles that differ in the dark
extern const std::string_view kPageCss;
extern const std::string_view kPageScript;

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PAGE_ASSETS_H_
