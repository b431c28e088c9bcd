// Typesetting turns plots into PDF, by pdflatex.
#ifndef AIRLOT_REPORT_TYPESET_H_
#define AIRLOT_REPORT_TYPESET_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "airlot/report.h"

namespace airlot::report {

// A Picture is a file for \input that draws one.
struct Picture {
  std::string name;  // for messages
  std::string latex;
};

// Returns a PDF for each picture: one page as wide as the columns of `paper`, with embedded fonts,
// the same bytes for the same picture. As many are typeset at a time as there are processors, up
// to base::kMostUnfinishedProcesses; `tell` is told how many are done. Nothing is read from the
// network, no other program is started, and the temporary files are gone afterwards, also after an
// interrupt. Fails where pdflatex or pgfplots is missing, and says which packages of Debian have
// them.
Result<std::vector<std::string>> TypesetAll(
    std::span<const Picture> pictures, const PaperStyle& paper,
    const std::function<void(std::size_t done, std::size_t all)>& tell);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_TYPESET_H_
