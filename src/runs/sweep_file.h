// The file of a sweep says what is varied, and which cells cannot run (docs/formats.md).
#ifndef AIRLOT_RUNS_SWEEP_FILE_H_
#define AIRLOT_RUNS_SWEEP_FILE_H_

#include <optional>
#include <string>

#include "airlot/result.h"
#include "airlot/sweep.h"

namespace airlot::runs {

struct SweepFile {
  Sweep sweep;
  std::string version;  // version of airlot
};

// Writes sweep.json into a directory.
Status WriteSweepFile(const std::string& directory, const Sweep& sweep);

// Reads sweep.json, where there is one.
Result<std::optional<SweepFile>> FindSweepFile(const std::string& directory);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_SWEEP_FILE_H_
