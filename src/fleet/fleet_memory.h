// These functions tell whether a fleet fits into memory.
#ifndef AIRLOT_FLEET_FLEET_MEMORY_H_
#define AIRLOT_FLEET_FLEET_MEMORY_H_

#include <cstddef>
#include <string>

#include "airlot/result.h"

namespace airlot::fleet {

// Each of them refuses a fleet that does not fit into the memory of the machine, or into what the
// process may have of it: without this, the system would end the program without a word.

// CheckMemoryToDraw judges a fleet that is to be drawn.
Status CheckMemoryToDraw(std::size_t devices);
// CheckMemoryForFile judges a file by its size and its first lines before it is read; a stream
// cannot be judged so.
Status CheckMemoryForFile(const std::string& fleet_file);
// CheckMemoryOfRows judges what has been read so far of a file or a stream, which may never end.
Status CheckMemoryOfRows(const std::string& origin, std::size_t devices, std::size_t id_bytes);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_FLEET_MEMORY_H_
