// This sentence names the best strategy that keeps every budget, where the best of all does not.
#ifndef AIRLOT_REPORT_BUDGET_SENTENCE_H_
#define AIRLOT_REPORT_BUDGET_SENTENCE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "airlot/experiment.h"
#include "report/phrases.h"

namespace airlot::report {

// A Race is what strategies are compared by.
struct Race {
  std::span<const StrategySummary> summaries;
  std::optional<std::size_t> target;  // number of the target; none: nobody reached one
  std::size_t rounds = 0;             // of every run at most
};

// Returns the sentence, with a space before it. It is empty where nobody of `best`, who were called
// the best, is known to break budgets, and where there is only one strategy. Among strategies whose
// budgets are not known, only those that are known to keep theirs are spoken of.
// (docs/verdicts.md, "Budgets")
std::string BudgetSentence(const Race& race, std::span<const StrategySummary* const> best,
                           const Phrasebook& book);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_BUDGET_SENTENCE_H_
