// Writing a report, for a caller that tells what is not in it.
#ifndef AIRLOT_REPORT_WRITE_REPORT_H_
#define AIRLOT_REPORT_WRITE_REPORT_H_

#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::report {

// WriteReport (airlot/report.h). Returns which runs are left out because they are damaged, and why.
Result<std::vector<std::string>> WriteReportOf(const std::string& directory,
                                               const std::string& file, const std::string& figures);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_WRITE_REPORT_H_
