// Which vector instructions the program uses on this machine.
#ifndef AIRLOT_SIMD_TARGET_H_
#define AIRLOT_SIMD_TARGET_H_

#include <string_view>
#include <vector>

namespace airlot {

// The vector instruction set in use, and those that this machine could use, the best first.
std::string_view SimdTarget();
std::vector<std::string_view> SimdTargets();

// Uses only this target from now on, or the best one again for "": for tests and benchmarks. False
// if it is not available. For the whole process, everything that uses Highway; not thread-safe.
bool ForceSimdTarget(std::string_view name);

}  // namespace airlot

#endif  // AIRLOT_SIMD_TARGET_H_
