// The tests of kernels run with each set of vector instructions in turn.
#ifndef AIRLOT_BASE_TARGETS_FOR_TESTS_H_
#define AIRLOT_BASE_TARGETS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "airlot/simd_target.h"

namespace airlot::base {

// A ForcedTarget makes the program use one target as long as it lives.
class ForcedTarget {
 public:
  explicit ForcedTarget(std::string_view name) {
    EXPECT_TRUE(ForceSimdTarget(name));
    EXPECT_EQ(SimdTarget(), name);
  }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
  ~ForcedTarget() { ForceSimdTarget(""); }
};

// Calls `check` once with each target of this machine, and puts the best one back.
template <class Check>
void OnEveryTarget(const Check& check) {
  for (const std::string_view target : SimdTargets()) {
    SCOPED_TRACE(std::string(target));
    const ForcedTarget forced(target);
    check();
  }
}

}  // namespace airlot::base

#endif  // AIRLOT_BASE_TARGETS_FOR_TESTS_H_
