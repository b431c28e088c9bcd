#include "base/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace airlot::base {
namespace {

// The thread is new, so that this one keeps its processors.
TEST(UsableProcessors, AreThoseThatAThreadIsLeftWith) {
  const int all = UsableProcessors();
  EXPECT_GE(all, 1);
  int left = 0;
  std::thread([&] {
    cpu_set_t before, one;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    left = UsableProcessors();
  }).join();
  EXPECT_EQ(left, 1);
  EXPECT_EQ(UsableProcessors(), all);
}

}  // namespace
}  // namespace airlot::base
