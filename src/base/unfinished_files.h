// Temporary files that an interrupt should not leave behind.
#ifndef AIRLOT_BASE_UNFINISHED_FILES_H_
#define AIRLOT_BASE_UNFINISHED_FILES_H_

#include <string>

namespace airlot::base {

// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the unfinished files before they end the
// process as usual, and SIGXFSZ is ignored, so that writing reports the error.
void RemoveUnfinishedFilesOnInterrupt();

void AddUnfinishedFile(const std::string& path);
void DropUnfinishedFile(const std::string& path);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_UNFINISHED_FILES_H_
