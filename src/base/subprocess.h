// Running another program.
#ifndef AIRLOT_BASE_SUBPROCESS_H_
#define AIRLOT_BASE_SUBPROCESS_H_

#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::base {

inline constexpr int kNoSuchProgram = 127;

// Runs a program that is found on the PATH, without a shell, and waits for its end. It reads
// nothing, and what it prints goes to the file `output`. Returns its exit code, as a shell does:
// 128 + the number of the signal that ended it, 127 where there is no such program. An interrupt
// ends it too. One at a time.
Result<int> RunProgram(const std::vector<std::string>& arguments, const std::string& output);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_SUBPROCESS_H_
