#include <gtest/gtest.h>

#include <numeric>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

StrategyOptions Options(double devices, double window) {
  StrategyOptions options = With("proportional-fair", "devices", devices);
  options.At("proportional-fair", "window") = window;
  return options;
}

// One of two devices is taken, with a window of two rounds and P^max = 1 W, so that the SNR is 1 W
// over g.
//   round   SNR    average     by average   who
//   1       1, 4   1,    4     1,   1       0, the lower index, as none was served
//   2       2, 4   1.5,  4     4/3, 1       0
//   3       1, 8   1.25, 6     0.8, 4/3     1
//   4       1.25, 6  1.25, 6   1,   1       1, which was served once, device 0 twice
TEST(ProportionalFair, TakesTheBestByTheirAverage) {
  SmallCell cell({1, 1});
  const auto strategy = MakeStrategy("proportional-fair", Options(1, 2));
  const std::vector<std::vector<double>> noise_to_gain_w{
      {1, 0.25}, {0.5, 0.25}, {1, 0.125}, {1 / 1.25, 1.0 / 6}};
  const std::vector<std::vector<double>> average{{1, 4}, {1.5, 4}, {1.25, 6}, {1.25, 6}};
  const Devices served{0, 0, 1, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    cell.cell.problem.noise_to_gain_w = noise_to_gain_w[i];
    const Selection selection = cell.Select(*strategy, i + 1);
    EXPECT_EQ(selection.devices, Devices{served[i]}) << "round " << i + 1;
    EXPECT_EQ(selection.terms.at(0).bandwidth_hz, 2);
    EXPECT_EQ(cell.memory.at(1), average[i][0]);
    EXPECT_EQ(cell.memory.at(2), average[i][1]);
  }
}

// A round is selected five times, but the averages move once, and nobody is counted as served
// twice.
TEST(ProportionalFair, CountsARoundOnce) {
  SmallCell cell({1, 0.25});
  const auto strategy = MakeStrategy("proportional-fair", Options(1, 2));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cell.Select(*strategy, 1).devices, Devices{0});
  const std::vector<double> noise_to_gain_w{1, 0.125};
  cell.cell.problem.noise_to_gain_w = noise_to_gain_w;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cell.Select(*strategy, 2).devices, Devices{1});
  // The memory holds the round, the averages 1 and (4 + 8)/2, device 0 served once, and device 1
  // served now.
  EXPECT_EQ(cell.memory, (std::vector<double>{2, 1, 6, 1, 0, 1}));
}

TEST(ProportionalFair, ServesInTurnWhereChannelsDoNotChange) {
  // The averages of these channels would not keep their last bits by (1 - 1/w) a + a/w.
  SmallCell cell({0.55, 0.3, 0.77, 1.1, 1.54});
  cell.probability[3] = 0;
  const auto strategy = MakeStrategy("proportional-fair", Options(1, 100));
  for (std::uint64_t round = 1; round <= 400; ++round) {
    const Devices turns{0, 1, 2, 4};
    ASSERT_EQ(cell.Select(*strategy, round).devices, Devices{turns[(round - 1) % 4]}) << round;
  }
}

// Over channels that change, the selection is the same as by sorting everybody.
TEST(ProportionalFair, AgreesWithASort) {
  constexpr std::size_t kDevices = 60, kTaken = 7;
  SmallCell cell(std::vector<double>(kDevices, 1.0));
  const auto strategy = MakeStrategy("proportional-fair", Options(kTaken, 10));
  std::vector<double> average, noise_to_gain_w(kDevices);
  for (std::uint64_t round = 1; round <= 50; ++round) {
    std::vector<double> ratio(kDevices);
    for (std::size_t i = 0; i < kDevices; ++i) {
      noise_to_gain_w[i] = 0.01 * double(1 + (i * 7919 + round * 104729 + i * round * 31) % 997);
    }
    if (round == 1) average.assign(kDevices, 0);
    for (std::size_t i = 0; i < kDevices; ++i) {
      const double snr = 1 / noise_to_gain_w[i];
      average[i] = round == 1 ? snr : 0.9 * average[i] + 0.1 * snr;
      ratio[i] = snr / average[i];
    }
    Devices expected(kDevices);
    std::iota(expected.begin(), expected.end(), 0U);
    std::ranges::stable_sort(expected, std::greater<>(), [&](std::uint32_t i) { return ratio[i]; });
    expected.resize(kTaken);
    std::ranges::sort(expected);
    cell.cell.problem.noise_to_gain_w = noise_to_gain_w;
    const Selection selection = cell.Select(*strategy, round);
    if (round > 1) {
      ASSERT_EQ(selection.devices, expected) << round;
    }
  }
}

TEST(ProportionalFair, IsSound) { ExpectSoundEverywhere("proportional-fair"); }

}  // namespace
}  // namespace airlot::selection
