#include "selection/drawing.h"

#include <gtest/gtest.h>

#include <map>

#include "selection/testing.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

base::RandomStream Stream(std::uint64_t round) { return {1, base::Purpose{900}, round, 0}; }

// 2 of 4: each of the six pairs in one of six draws. 6000 draws: 1000 each, five standard
// deviations of sqrt(6000·1/6·5/6) = 28.9.
TEST(DrawUniformly, DrawsEverySetEquallyOften) {
  const Devices devices{2, 3, 5, 7};
  std::map<Devices, int> times;
  for (std::uint64_t round = 0; round < 6000; ++round) {
    ++times[DrawUniformly(devices, 2, Stream(round))];
  }
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [pair, count] : times) {
    ASSERT_EQ(pair.size(), 2U);
    EXPECT_LT(pair[0], pair[1]);
    EXPECT_NEAR(count, 1000, 5 * 28.9);
  }
}

TEST(DrawUniformly, TakesAllWhereTheyAreFewer) {
  EXPECT_EQ(DrawUniformly(Devices{4, 9}, 3, Stream(1)), (Devices{4, 9}));
  EXPECT_EQ(DrawUniformly(Devices{}, 3, Stream(1)), Devices{});
  EXPECT_EQ(DrawUniformly(Devices{4, 9}, 0, Stream(1)), Devices{});
}

// What `uniform` drew before it shared this: runs of earlier versions can be repeated.
TEST(Uniform, DrawsWhatItAlwaysDrew) {
  std::vector<double> probability(1000, 0.5);
  probability[3] = 0;
  const auto strategy = MakeStrategy("uniform", With("uniform", "devices", 8));
  Selection first, again;
  strategy->Select({.seed = 3, .round = 1, .probability = probability}, first);
  EXPECT_EQ(first.devices, (Devices{50, 146, 265, 316, 540, 561, 652, 659}));
  strategy->Select({.seed = 3, .round = 7, .attempt = 1, .probability = probability}, again);
  EXPECT_EQ(again.devices, (Devices{29, 37, 266, 327, 397, 546, 581, 971}));
}

}  // namespace
}  // namespace airlot::selection
