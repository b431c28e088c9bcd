#include <gtest/gtest.h>

#include <map>

#include "airlot/random.h"

namespace airlot {
namespace {

using Numbers = std::vector<std::uint32_t>;

RandomStream Stream(std::uint64_t round) { return {1, RandomPurpose{900}, round, 0}; }

// Of 4 numbers 2 are drawn: each of the six pairs comes in one of six draws. In 6000 draws each
// comes 1000 times, within five standard deviations of sqrt(6000·1/6·5/6) = 28.9.
TEST(DrawUniformly, DrawsEverySetEquallyOften) {
  const Numbers numbers{2, 3, 5, 7};
  std::map<Numbers, int> times;
  for (std::uint64_t round = 0; round < 6000; ++round) {
    ++times[DrawUniformly(numbers, 2, Stream(round))];
  }
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [pair, count] : times) {
    ASSERT_EQ(pair.size(), 2U);
    EXPECT_LT(pair[0], pair[1]);
    EXPECT_NEAR(count, 1000, 5 * 28.9);
  }
}

TEST(DrawUniformly, TakesAllWhereTheyAreFewer) {
  EXPECT_EQ(DrawUniformly(Numbers{4, 9}, 3, Stream(1)), (Numbers{4, 9}));
  EXPECT_EQ(DrawUniformly(Numbers{}, 3, Stream(1)), Numbers{});
  EXPECT_EQ(DrawUniformly(Numbers{4, 9}, 0, Stream(1)), Numbers{});
}

}  // namespace
}  // namespace airlot
