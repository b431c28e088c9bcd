// Notes on runs that came to nothing.
#ifndef AIRLOT_CLI_RUN_NOTES_H_
#define AIRLOT_CLI_RUN_NOTES_H_

#include <string>
#include <string_view>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/scenario.h"

namespace airlot::cli {

// Returns a sentence on each run in which nobody took part or training diverged, with the keys that
// would help.
std::vector<std::string> NotesOn(const Scenario& scenario, const std::vector<RunResult>& runs);

// Returns the same for a cell of a sweep, but of all runs in which the same happened one sentence,
// on the first of them: a rate that is too large takes every run of its cell.
std::vector<std::string> NotesOnCell(std::string_view cell, const Scenario& scenario,
                                     const std::vector<RunResult>& runs);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUN_NOTES_H_
