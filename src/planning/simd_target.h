// Choosing the SIMD target by hand, for tests and benchmarks.
#ifndef AIRLOT_PLANNING_SIMD_TARGET_H_
#define AIRLOT_PLANNING_SIMD_TARGET_H_

#include <string_view>

namespace airlot::planning {

// Uses only this target from now on, or the best one again for "". False if it is not available.
// For the whole process, everything that uses Highway; not thread-safe.
bool ForceSimdTarget(std::string_view name);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_SIMD_TARGET_H_
