// The page holds sections, styles and script in one file that needs nothing else.
#ifndef AIRLOT_REPORT_PAGE_H_
#define AIRLOT_REPORT_PAGE_H_

#include <span>
#include <string>

#include "airlot/report.h"
#include "report/section.h"

namespace airlot::report {

// PaperClaims are what the paper claims of one of its scenarios.
struct PaperClaims {
  std::string scenario;
  std::vector<Claim> claims;
  std::string note;  // in what the setting is not the paper's; empty where it is
};

struct Page {
  std::string title;
  std::vector<std::string> notes;  // notes on the page as a whole
  std::vector<Section> sections;
  std::vector<PaperClaims> claims;    // There are some where all scenarios of the paper are there.
  std::vector<std::string> left_out;  // what the page does not show, and why
};
std::string HtmlOf(const Page& page);

// These are the claims on one scenario as a table, and what its intervals are.
Table ClaimTable(const PaperClaims& claims);
std::string_view ClaimNote();

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PAGE_H_
