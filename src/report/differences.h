// In which keys a scenario differs from a built-in one.
#ifndef AIRLOT_REPORT_DIFFERENCES_H_
#define AIRLOT_REPORT_DIFFERENCES_H_

#include <optional>
#include <string>
#include <vector>

#include "airlot/scenario.h"
#include "scenario/differences.h"

namespace airlot::report {

// In the order of the keys; nothing where there is no such built-in scenario.
std::optional<std::vector<scenario::KeyDifference>> DifferencesFrom(const Scenario& scenario,
                                                                    const std::string& built_in);

// What must be known when the paper's numbers stand beside those of a scenario with the name of one
// of its: the keys that are not as in the paper, or nothing. Rounds and targets may be others.
std::string PaperNote(const Scenario& scenario);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_DIFFERENCES_H_
