// The page holds sections, styles and script in one file that needs nothing else.
#ifndef AIRLOT_REPORT_PAGE_H_
#define AIRLOT_REPORT_PAGE_H_

#include <span>
#include <string>

#include "airlot/report.h"
#include "report/section.h"

namespace airlot::report {

struct Page {
  std::string title;
  std::vector<std::string> notes;  // notes on the page as a whole
  std::vector<Section> sections;
  std::vector<Claim> claims;  // claims of the paper, where its scenarios are there
  std::vector<std::string> claims_notes;
  std::vector<std::string> left_out;  // what the page does not show, and why
};
std::string HtmlOf(const Page& page);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PAGE_H_
