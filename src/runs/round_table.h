// These functions write and read rounds.csv of a run (docs/formats.md).
#ifndef AIRLOT_RUNS_ROUND_TABLE_H_
#define AIRLOT_RUNS_ROUND_TABLE_H_

#include <string>
#include <vector>

#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot::runs {

// The file appears whole or not at all.
Status WriteRounds(const std::string& path, const std::vector<RoundRecord>& records);

// An error names the line, the column and the value that cannot have been written so: rounds are
// numbered from 0, and neither time nor energy ever falls.
Result<std::vector<RoundRecord>> ReadRounds(const std::string& path);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_ROUND_TABLE_H_
