// The tables of a complete run (docs/formats.md).
#ifndef AIRLOT_RUNS_RUN_FILES_H_
#define AIRLOT_RUNS_RUN_FILES_H_

#include <span>
#include <string>

#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot::runs {

// Each file appears whole or not at all.
Status WriteRounds(const std::string& path, std::span<const RoundRecord> records);
Status WriteDevices(const std::string& path, const Setting& setting, const RunState& state);

// The end of a run as its two files tell it: all but parameters and velocity. An error names the
// file and the line that cannot have been written so.
Result<RunState> ReadRun(const std::string& rounds_path, const std::string& devices_path);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_RUN_FILES_H_
