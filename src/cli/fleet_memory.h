// Whether a fleet fits into memory.
#ifndef AIRLOT_CLI_FLEET_MEMORY_H_
#define AIRLOT_CLI_FLEET_MEMORY_H_

#include <cstddef>
#include <string>

#include "airlot/result.h"

namespace airlot::cli {

// Refuse a fleet that does not fit: without this, the system would end the program without a word.
Status CheckMemory(std::size_t devices);
// A file is judged by its size and its first lines; a stream cannot be.
Status CheckMemoryForFile(const std::string& fleet_file);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_FLEET_MEMORY_H_
