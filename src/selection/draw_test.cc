#include "airlot/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace airlot {
namespace {

TEST(DrawParticipants, TheSameForTheSameSeedAndRoundAlone) {
  const std::vector<double> probability(3000, 0.3);
  const auto drawn = DrawParticipants(probability, 7, 12);
  EXPECT_EQ(drawn, DrawParticipants(probability, 7, 12));
  EXPECT_NE(drawn, DrawParticipants(probability, 7, 13));
  EXPECT_NE(drawn, DrawParticipants(probability, 8, 12));
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
}

TEST(DrawParticipants, OneDevicesDrawDoesNotDependOnTheOthers) {
  std::vector<double> probability(2000, 0.5);
  const auto drawn = DrawParticipants(probability, 1, 1);
  for (std::size_t i = 0; i < 1500; ++i) probability[i] = 0;
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t device : drawn) {
    if (device >= 1500) expected.push_back(device);
  }
  EXPECT_EQ(DrawParticipants(probability, 1, 1), expected);
}

TEST(DrawParticipants, ZeroNeverAndOneAlways) {
  const std::vector<double> probability{0, 1, 0, 1};
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    EXPECT_EQ(DrawParticipants(probability, 3, round), (std::vector<std::uint32_t>{1, 3}));
  }
  EXPECT_TRUE(DrawParticipants({}, 3, 1).empty());
}

// The frequency of a device is that of its probability p within 4.5 standard errors,
// sqrt(p·(1 - p)/rounds), and so is the number of those who are drawn together.
TEST(DrawParticipants, AsOftenAsPlanned) {
  constexpr int kRounds = 20000;
  const std::vector<double> probability{0.001, 0.02, 0.25, 0.5, 0.9, 0.999};
  std::vector<int> count(probability.size());
  int both = 0;
  for (int round = 1; round <= kRounds; ++round) {
    int of_middle = 0;
    for (const std::uint32_t device : DrawParticipants(probability, 5, std::uint64_t(round))) {
      ++count[device];
      of_middle += device == 2 || device == 3 ? 1 : 0;
    }
    both += of_middle == 2 ? 1 : 0;
  }
  const auto expect_near = [&](int times, double p) {
    EXPECT_NEAR(times / double(kRounds), p, 4.5 * std::sqrt(p * (1 - p) / kRounds));
  };
  for (std::size_t i = 0; i < probability.size(); ++i) expect_near(count[i], probability[i]);
  expect_near(both, 0.25 * 0.5);
}

}  // namespace
}  // namespace airlot
