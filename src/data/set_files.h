// A folder holds a data set as IDX files, NumPy files or tables.
#ifndef AIRLOT_DATA_SET_FILES_H_
#define AIRLOT_DATA_SET_FILES_H_

#include <cstdint>
#include <string>

#include "airlot/result.h"

namespace airlot::data {

enum class SetFiles : std::uint8_t { kIdx, kNumpy, kTables };

// Tells which of them a folder has. It fails where there are files of two kinds, or of none.
Result<SetFiles> FilesOfFolder(const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_SET_FILES_H_
