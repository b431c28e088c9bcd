#include <gtest/gtest.h>

#include <limits>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;
constexpr std::string_view kName = "gradient-probability";

// Device 4 has the best channel of the able (device 0 has a better one, but cannot take part). Two
// of the three others, of norms 1, 2, 3, are drawn one after another:
//   1 is left out with 2/6·3/4 + 3/6·2/3 = 7/12, so it takes part with 5/12,
//   2 is left out with 1/6·3/5 + 3/6·1/3 = 4/15, so 11/15,
//   3 is left out with 1/6·2/5 + 2/6·1/4 = 3/20, so 17/20.
// In 6000 rounds the counts are off by at most five standard deviations of sqrt(6000·p(1-p)) =
// 38.2, 34.3, 27.7.
TEST(GradientProbability, DrawsInProportionToTheNorms) {
  SmallCell cell({0.01, 1, 1, 1, 0.1});
  cell.probability[0] = 0;
  cell.answers.norms = {100, 1, 2, 3, 50};
  const auto strategy = MakeStrategy(kName, With(kName, "devices", 3));
  std::vector<int> taken(5);
  for (std::uint64_t round = 1; round <= 6000; ++round) {
    const Selection selection = cell.Select(*strategy, round);
    ASSERT_EQ(selection.devices.size(), 3U);
    for (const std::uint32_t device : selection.devices) ++taken[device];
    for (const Terms& terms : selection.terms) {
      ASSERT_EQ(terms.bandwidth_hz, 5.0 / 3);
      ASSERT_EQ(terms.power_w, 1);
    }
  }
  EXPECT_EQ(taken[0], 0);
  EXPECT_EQ(taken[4], 6000);
  EXPECT_NEAR(taken[1], 2500, 5 * 38.2);
  EXPECT_NEAR(taken[2], 4400, 5 * 34.3);
  EXPECT_NEAR(taken[3], 5100, 5 * 27.7);
  EXPECT_EQ(cell.answers.norms_asked, 4U * 6000);
}

// Device 0 has the best channel, device 4 an infinite norm; of the others only device 2 has one
// above 0.
TEST(GradientProbability, WhoHasNoNormComesLast) {
  SmallCell cell({0.1, 1, 1, 1, 1});
  cell.answers.norms = {0, 0, 5, 0, std::numeric_limits<double>::infinity()};
  const auto two = MakeStrategy(kName, With(kName, "devices", 2));
  const auto three = MakeStrategy(kName, With(kName, "devices", 3));
  const auto four = MakeStrategy(kName, With(kName, "devices", 4));
  std::vector<int> taken(5);
  for (std::uint64_t round = 1; round <= 200; ++round) {
    ASSERT_EQ(cell.Select(*two, round).devices, (Devices{0, 4}));
    ASSERT_EQ(cell.Select(*three, round).devices, (Devices{0, 2, 4}));
    for (const std::uint32_t device : cell.Select(*four, round).devices) ++taken[device];
  }
  // Devices 1 and 3 are each taken as often, with a standard deviation of sqrt(200/4) = 7.1.
  EXPECT_EQ(taken[1] + taken[3], 200);
  EXPECT_NEAR(taken[1], 100, 5 * 7.1);
}

// Of five devices 0, who has the best channel, and 2 do not answer. So 4, whose channel is the next
// best, always takes part, with the larger norms of 1 and 3, and nobody where nobody answers. The
// band is shared by those who take part.
TEST(GradientProbability, TakesThoseWhoAnswer) {
  SmallCell cell({0.1, 1, 0.2, 1, 0.3});
  cell.answers.norms = {9, 0, 9, 1, 0};
  cell.answers.silent = {0, 2};
  EXPECT_EQ(cell.Select(*MakeStrategy(kName, With(kName, "devices", 2))).devices, (Devices{3, 4}));
  const Selection three = cell.Select(*MakeStrategy(kName, With(kName, "devices", 4)));
  EXPECT_EQ(three.devices, (Devices{1, 3, 4}));
  for (const Terms& terms : three.terms) EXPECT_EQ(terms.bandwidth_hz, 5.0 / 3);
  cell.answers.silent = {0, 1, 2, 3, 4};
  EXPECT_EQ(cell.Select(*MakeStrategy(kName, With(kName, "devices", 2))).devices, Devices{});
  ExpectSoundWithoutAnswers(kName, With(kName, "devices", 2));
}

TEST(GradientProbability, AsksNobodyWhereNobodyIsDrawn) {
  SmallCell cell({1, 0.5, 0.5});
  EXPECT_EQ(cell.Select(*MakeStrategy(kName)).devices, (Devices{0, 1, 2}));
  const Selection one = cell.Select(*MakeStrategy(kName, With(kName, "devices", 1)));
  EXPECT_EQ(one.devices, Devices{1});  // the first of two best channels
  EXPECT_EQ(one.terms.at(0).bandwidth_hz, 3);
  EXPECT_EQ(cell.answers.norms_asked, 0U);
}

// Because g holds in each one's own band, 0.2 W in 1 Hz is worse than 0.3 W in 2 Hz where the noise
// grows.
TEST(GradientProbability, ComparesChannelsInTheSameBand) {
  SmallCell cell({0.2, 0.3});
  const std::vector<double> bandwidth_hz{1, 2};
  cell.cell.bandwidth_hz = bandwidth_hz;
  const auto strategy = MakeStrategy(kName, With(kName, "devices", 1));
  EXPECT_EQ(cell.Select(*strategy).devices, Devices{0});
  cell.cell.noise_grows_with_band = true;
  EXPECT_EQ(cell.Select(*strategy).devices, Devices{1});
}

TEST(GradientProbability, IsSound) {
  ExpectSoundEverywhere(kName);
  ExpectSoundEverywhere(kName, With(kName, "devices", 1e9));
}

}  // namespace
}  // namespace airlot::selection
