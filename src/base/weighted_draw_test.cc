#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "airlot/random.h"

namespace airlot {
namespace {

using Positions = std::vector<std::uint32_t>;

Positions Draw(const std::vector<double>& weight, std::size_t count, std::uint64_t round = 1) {
  RandomStream stream(1, RandomPurpose{901}, round, 0);
  return DrawByWeight(weight, count, stream);
}

void ExpectShare(int times, int of, double probability) {
  const double sd = std::sqrt(of * probability * (1 - probability));
  EXPECT_NEAR(times, of * probability, 5 * sd + 1e-9);
}

// With the weights 1, 2, 5 the pairs, in either order, have the probabilities
//   {0, 1}: 1/8·2/7 + 2/8·1/6 = 13/168,
//   {0, 2}: 1/8·5/7 + 5/8·1/3 = 25/84,
//   {1, 2}: 2/8·5/6 + 5/8·2/3 = 5/8.
TEST(DrawByWeight, DrawsPairsOneAfterAnother) {
  constexpr int kDraws = 20000;
  std::map<Positions, int> times;
  for (int i = 0; i < kDraws; ++i) ++times[Draw({1, 2, 5}, 2, std::uint64_t(i))];
  EXPECT_EQ(times.size(), 3U);
  ExpectShare(times[{0, 1}], kDraws, 13.0 / 168);
  ExpectShare(times[{0, 2}], kDraws, 25.0 / 84);
  ExpectShare(times[{1, 2}], kDraws, 5.0 / 8);
}

TEST(DrawByWeight, DrawsTheWeightlessLastAndEvenly) {
  constexpr int kDraws = 4000;
  std::map<Positions, int> times;
  for (int i = 0; i < kDraws; ++i) ++times[Draw({0, 1e-300, 0, 3}, 3, std::uint64_t(i))];
  EXPECT_EQ(times.size(), 2U);
  ExpectShare(times[{0, 1, 3}], kDraws, 0.5);
  ExpectShare(times[{1, 2, 3}], kDraws, 0.5);
}

TEST(DrawByWeight, DrawsAtMostAll) {
  EXPECT_EQ(Draw({1, 2, 0}, 9), (Positions{0, 1, 2}));
  EXPECT_EQ(Draw({1, 2}, 2), (Positions{0, 1}));
  EXPECT_EQ(Draw({1, 2}, 0), Positions{});
  EXPECT_EQ(Draw({}, 2), Positions{});
}

// Of 100 000 equal weights the mean position of 1000 is the middle, with a standard deviation of
// 908.
TEST(DrawByWeight, DrawsFromAFleet) {
  const Positions drawn = Draw(std::vector<double>(100000, 1e-5), 1000);
  ASSERT_EQ(drawn.size(), 1000U);
  for (std::size_t i = 1; i < drawn.size(); ++i) ASSERT_LT(drawn[i - 1], drawn[i]);
  const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / 1000;
  EXPECT_NEAR(mean, 49999.5, 5 * 908);
}

}  // namespace
}  // namespace airlot
