// What came out, in a sentence.
#ifndef AIRLOT_REPORT_SENTENCE_H_
#define AIRLOT_REPORT_SENTENCE_H_

#include <cstddef>
#include <span>
#include <string>

#include "airlot/experiment.h"

namespace airlot::report {

// Which strategy to use, and why, from the numbers alone. Every run had at most so many rounds.
// Not for no summaries.
std::string SummarySentence(std::span<const StrategySummary> summaries, std::size_t rounds);

// How far the runs of a strategy are that its summary is of.
struct Progress {
  std::size_t least = 0, most = 0;  // rounds of one run
  bool is_done = false;             // all of these runs are complete,
  std::size_t planned = 0;          // of so many
};
// Where the runs of an experiment that goes on or was interrupted are, each strategy with its
// progress: no verdict.
std::string InterimSentence(std::span<const StrategySummary> summaries,
                            std::span<const Progress> progress, std::size_t rounds);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SENTENCE_H_
