// This header is for tests only: it runs them with each set of vector instructions in turn.
#ifndef AIRLOT_PLANNING_TARGETS_FOR_TESTS_H_
#define AIRLOT_PLANNING_TARGETS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "airlot/simd_target.h"

namespace airlot::planning {

// Runs `test` on every target that this machine has, and puts the best one back.
inline void OnEveryTarget(const std::function<void()>& test) {
  for (const std::string_view target : SimdTargets()) {
    SCOPED_TRACE(target);
    EXPECT_TRUE(ForceSimdTarget(target));
    EXPECT_EQ(SimdTarget(), target);
    test();
  }
  ForceSimdTarget("");
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_TARGETS_FOR_TESTS_H_
