// RunProgram runs another program.
#ifndef AIRLOT_BASE_SUBPROCESS_H_
#define AIRLOT_BASE_SUBPROCESS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::base {

inline constexpr int kNoSuchProgram = 127;
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Runs a program that is found on the PATH, without a shell, and waits for its end. It reads
// nothing, and what it prints goes to the file `output`. Returns its exit code, as a shell does:
// 128 + the number of the signal that ended it, 127 where there is no such program. An interrupt
// ends it too, and RunProgram does not return then. No file that it writes grows beyond
// `most_file_bytes`: writing fails there, or a signal ends it. Threads may run several at a time,
// unless one of them has such a limit, which is that of the whole process while a program starts.
Result<int> RunProgram(const std::vector<std::string>& arguments, const std::string& output,
                       std::uint64_t most_file_bytes = kNoLimit);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_SUBPROCESS_H_
