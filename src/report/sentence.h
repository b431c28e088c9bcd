// This sentence says how far runs are. What came out of complete runs says VerdictText.
#ifndef AIRLOT_REPORT_SENTENCE_H_
#define AIRLOT_REPORT_SENTENCE_H_

#include <cstddef>
#include <span>
#include <string>

#include "airlot/experiment.h"

namespace airlot::report {

// Progress says how far those runs of a strategy are that its summary is of.
struct Progress {
  // These are the rounds of the run that is least far, and of the one that is farthest.
  std::size_t least = 0, most = 0;
  bool is_done = false;     // whether all of these runs are complete
  std::size_t planned = 0;  // number of runs that the strategy is to have
};
// Says where the runs of an experiment are that goes on or was interrupted, each strategy with its
// progress, without a verdict.
std::string InterimSentence(std::span<const StrategySummary> summaries,
                            std::span<const Progress> progress, const Scenario& scenario);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SENTENCE_H_
