// Paper files are the figures and tables of a report, each in files of its own, for a paper.
#ifndef AIRLOT_REPORT_PAPER_FILES_H_
#define AIRLOT_REPORT_PAPER_FILES_H_

#include "airlot/report.h"
#include "report/page.h"

namespace airlot::report {

// Writes the figures and tables of a page into the folder `options.figures`, which must be set, in
// the formats that are asked for. Each file appears whole or not at all, and none before all are
// made.
Status WritePaperFiles(const Page& page, const ReportOptions& options);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PAPER_FILES_H_
