// What came out, in a sentence.
#ifndef AIRLOT_REPORT_SENTENCE_H_
#define AIRLOT_REPORT_SENTENCE_H_

#include <span>
#include <string>

#include "airlot/experiment.h"

namespace airlot::report {

// Which strategy to use, and why, from the numbers alone. Not for no summaries.
std::string SummarySentence(std::span<const StrategySummary> summaries);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SENTENCE_H_
