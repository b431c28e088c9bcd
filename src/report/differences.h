// PaperNote says in which keys a scenario differs from the built-in one of the paper.
#ifndef AIRLOT_REPORT_DIFFERENCES_H_
#define AIRLOT_REPORT_DIFFERENCES_H_

#include <string>

#include "airlot/scenario.h"

namespace airlot::report {

// Returns what must be known when the paper's numbers stand beside those of a scenario with the
// name of one of its: the keys that are not as in the built-in scenario. The text is empty where
// there are none. Rounds and targets may be others.
std::string PaperNote(const Scenario& scenario);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_DIFFERENCES_H_
