// Tables of the report, for LaTeX with the package booktabs.
#ifndef AIRLOT_REPORT_LATEX_TABLE_H_
#define AIRLOT_REPORT_LATEX_TABLE_H_

#include <string>
#include <string_view>

#include "report/pgfplots.h"
#include "report/section.h"

namespace airlot::report {

// Returns a table as a file for \input: rules and rows, and below them a note, the table's caption
// and `facts` on the runs, with which it can be read alone. It is as wide as the columns of `paper`
// say: columns that do not fit are set below, beside the names of the rows again. It must have
// rows.
std::string LatexOf(const Table& table, std::string_view facts, const PaperStyle& paper);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_LATEX_TABLE_H_
