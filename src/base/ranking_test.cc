#include "base/ranking.h"

#include <gtest/gtest.h>

#include <limits>

namespace airlot::base {
namespace {

using Positions = std::vector<std::uint32_t>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NumberAtRank, CountsFromTheLeast) {
  EXPECT_EQ(NumberAtRank({3, 1, 2}, 0), 1);
  EXPECT_EQ(NumberAtRank({3, 1, 2}, 1), 2);
  EXPECT_EQ(NumberAtRank({3, 1, 2}, 2), 3);
}

TEST(PositionsOfLargest, TakesTheFirstOfEquals) {
  const std::vector<double> numbers{2, 5, 2, 7, 2};
  EXPECT_EQ(PositionsOfLargest(numbers, 0), Positions{});
  EXPECT_EQ(PositionsOfLargest(numbers, 2), (Positions{1, 3}));
  EXPECT_EQ(PositionsOfLargest(numbers, 3), (Positions{0, 1, 3}));
  EXPECT_EQ(PositionsOfLargest(numbers, 4), (Positions{0, 1, 2, 3}));
  EXPECT_EQ(PositionsOfLargest(numbers, 9), (Positions{0, 1, 2, 3, 4}));
  EXPECT_EQ(PositionsOfLargest({}, 1), Positions{});
}

TEST(PositionsOfLargest, KnowsInfinity) {
  const std::vector<double> numbers{1, kInfinity, 2, kInfinity, kInfinity};
  EXPECT_EQ(PositionsOfLargest(numbers, 2), (Positions{1, 3}));
  EXPECT_EQ(PositionsOfLargest(numbers, 4), (Positions{1, 2, 3, 4}));
}

}  // namespace
}  // namespace airlot::base
