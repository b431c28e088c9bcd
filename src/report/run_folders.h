// FindRunDirectories says where runs are.
#ifndef AIRLOT_REPORT_RUN_FOLDERS_H_
#define AIRLOT_REPORT_RUN_FOLDERS_H_

#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::report {

// Returns the directories with runs at or right below `path`, in the order of the paper's
// scenarios, then by name.
Result<std::vector<std::string>> FindRunDirectories(const std::string& path);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_RUN_FOLDERS_H_
