// The SIMD target is the vector instructions that the program uses on this machine.
#ifndef AIRLOT_SIMD_TARGET_H_
#define AIRLOT_SIMD_TARGET_H_

#include <string_view>
#include <vector>

namespace airlot {

// SimdTarget is the vector instruction set in use, and SimdTargets are those that this machine
// could use, the best first.
std::string_view SimdTarget();
std::vector<std::string_view> SimdTargets();

// Uses only this target from now on, or the best one again for "": for tests and benchmarks.
// Returns false if it is not available. It holds for the whole process and everything that uses
// Highway; it is not thread-safe.
bool ForceSimdTarget(std::string_view name);

}  // namespace airlot

#endif  // AIRLOT_SIMD_TARGET_H_
