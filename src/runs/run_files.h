// The two tables of a complete run, read together.
#ifndef AIRLOT_RUNS_RUN_FILES_H_
#define AIRLOT_RUNS_RUN_FILES_H_

#include <string>
#include <vector>

#include "airlot/device_table.h"
#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot::runs {

struct RunTables {
  std::vector<RoundRecord> records;
  DeviceTable devices;
};
// An error names the file and the line that cannot have been written so, or says that the two
// tables contradict each other.
Result<RunTables> ReadRunTables(const std::string& rounds_path, const std::string& devices_path);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_RUN_FILES_H_
