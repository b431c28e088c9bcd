#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;
using Options = std::map<std::string_view, double>;

std::unique_ptr<Strategy> Make(const Options& values) {
  StrategyOptions options;
  for (const auto& [name, value] : values) options.At("oort", name) = value;
  return MakeStrategy("oort", options);
}

void Learn(Strategy& strategy, std::uint64_t round, const Devices& devices,
           const std::vector<double>& square_loss, const std::vector<double>& duration_s,
           std::vector<double>& memory) {
  const std::vector<double> other(devices.size(), 1);
  strategy.Learn({.round = round,
                  .devices = devices,
                  .mean_loss = other,
                  .mean_square_loss = square_loss,
                  .duration_s = duration_s},
                 memory);
}

// Returns how often each device is the one that is taken, over many seeds from the same memory.
std::vector<double> Shares(SmallCell& cell, Strategy& strategy, std::uint64_t round, int draws) {
  std::vector<double> share(cell.probability.size());
  const std::vector<double> memory = cell.memory;
  for (int i = 0; i < draws; ++i) {
    cell.memory = memory;
    const Devices devices = cell.Select(strategy, round, std::uint64_t(i)).devices;
    EXPECT_EQ(devices.size(), 1U);
    for (const std::uint32_t device : devices) share[device] += 1.0 / draws;
  }
  cell.memory = memory;
  return share;
}
double FiveDeviations(double probability, int draws) {
  return 5 * std::sqrt(probability * (1 - probability) / draws);
}

// Three devices of equal share took part in round 1, with mean squared losses 4, 1, 9, so that
// their rewards are 2, 1, 3; the clip is at position floor(2.7) = 2, which is 3. So low = 0.999 and
// range = 2.001, and in round 2 the bonus is sqrt(0.1·ln 2/1) = 0.263277. T is at position
// floor(0.9) = 0 of 1, 2, 4 s, which is 1 s. The scores are
//   (2 - 0.999)/2.001 + 0.263277 = 0.763527
//   (1 - 0.999)/2.001 + 0.263277 = 0.263777, times (1/2)² = 0.065944
//   (3 - 0.999)/2.001 + 0.263277 = 1.263277, times (1/4)² = 0.078955,
// and their sum is 0.908426.
TEST(Oort, ExploitsByScore) {
  SmallCell cell({1, 1, 1});
  const auto all = Make({{"devices", 3}}), one = Make({{"devices", 1}});
  ASSERT_TRUE(all->Learns());
  EXPECT_EQ(cell.Select(*all).devices, (Devices{0, 1, 2}));
  Learn(*all, 1, {0, 1, 2}, {4, 1, 9}, {1, 2, 4}, cell.memory);
  constexpr int kDraws = 20000;
  const std::vector<double> share = Shares(cell, *one, 2, kDraws);
  EXPECT_NEAR(share[0], 0.840495, FiveDeviations(0.84, kDraws));
  EXPECT_NEAR(share[1], 0.072592, FiveDeviations(0.073, kDraws));
  EXPECT_NEAR(share[2], 0.086914, FiveDeviations(0.087, kDraws));
}

// With the clip of ExploitsByScore at position floor(1.5) = 1, so that 3 counts as 2, and without
// penalty, the scores are 0.763527, 0.263777, 0.763527.
TEST(Oort, ClipsRewards) {
  SmallCell cell({1, 1, 1});
  const auto all = Make({{"devices", 3}});
  const auto one = Make({{"devices", 1}, {"clip", 0.5}, {"round_penalty", 0}});
  cell.Select(*all);
  Learn(*all, 1, {0, 1, 2}, {4, 1, 9}, {1, 2, 4}, cell.memory);
  constexpr int kDraws = 8000;
  const std::vector<double> share = Shares(cell, *one, 2, kDraws);
  EXPECT_NEAR(share[0], 0.426356, FiveDeviations(0.426, kDraws));
  EXPECT_NEAR(share[1], 0.147288, FiveDeviations(0.147, kDraws));
  EXPECT_NEAR(share[2], 0.426356, FiveDeviations(0.426, kDraws));
}

// Without the penalty of ExploitsByScore and, as ln 1 = 0, without bonus, the scores are 0.500250,
// 0.000500 and 1. The least reward keeps a small chance, 1/3003, because `low` is a little less.
TEST(Oort, LeavesTheLeastRewardASmallChance) {
  SmallCell cell({1, 1, 1});
  const auto all = Make({{"devices", 3}});
  const auto one = Make({{"devices", 1}, {"round_penalty", 0}});
  cell.Select(*all);
  Learn(*all, 1, {0, 1, 2}, {4, 1, 9}, {1, 2, 4}, cell.memory);
  constexpr int kDraws = 30000;
  const std::vector<double> share = Shares(cell, *one, 1, kDraws);
  EXPECT_GT(share[1], 0);  // ten are expected
  EXPECT_NEAR(share[1], 1.0 / 3003, FiveDeviations(1.0 / 3003, kDraws));
}

// At 1 W in 4 Hz, 1 bit takes 1/(4·log2(1 + 1/g)), which is 1/8 s where g = 1/3 and 1/4 s where g =
// 1. T is at position floor(1.2) = 1, which is 1/8 s. The samples relative to their mean are 1.6,
// 1.2, 0.8, 0.4; the slow second device counts (1/2)² of that, 0.3. The best 2·1 of these are 0 and
// 2.
TEST(Oort, ExploresBySamples) {
  SmallCell cell({1.0 / 3, 1, 1.0 / 3, 1.0 / 3});
  cell.data_share = {0.4, 0.3, 0.2, 0.1};
  const auto strategy = Make({{"devices", 1}, {"sample_window", 2}});
  constexpr int kDraws = 8000;
  const std::vector<double> share = Shares(cell, *strategy, 1, kDraws);
  EXPECT_NEAR(share[0], 2.0 / 3, FiveDeviations(2.0 / 3, kDraws));
  EXPECT_NEAR(share[2], 1.0 / 3, FiveDeviations(1.0 / 3, kDraws));
  EXPECT_EQ(share[1] + share[3], 0);
}

// Time to compute counts as well, so that the first device, with the most samples, is far too slow.
TEST(Oort, CountsComputationAsDuration) {
  SmallCell cell({1, 1, 1});
  cell.data_share = {0.4, 0.3, 0.3};
  cell.compute_s[0] = 99;
  const auto strategy = Make({{"devices", 1}, {"sample_window", 1}});
  EXPECT_EQ(cell.Select(*strategy).devices, Devices{1});
  cell.compute_s[0] = 0;
  EXPECT_EQ(cell.Select(*Make({{"devices", 1}, {"sample_window", 1}})).devices, Devices{0});
}

// Of 40 devices, the first 20 are known. In round 10 a part of 0.9·0.98^10 = 0.7354 of 10 explores,
// which is 7; in round 60 the part would be 0.2678, so it is 0.3, which is 3. With 2 left to
// explore the others are exploited.
TEST(Oort, DividesBetweenExploringAndExploiting) {
  SmallCell cell(std::vector<double>(40, 1));
  const auto strategy = Make({});
  cell.Select(*strategy);
  const auto learn = [&](std::uint32_t begin, std::uint32_t end) {
    Devices devices;
    for (std::uint32_t i = begin; i < end; ++i) devices.push_back(i);
    const std::vector<double> ones(devices.size(), 1);
    Learn(*strategy, 1, devices, ones, ones, cell.memory);
  };
  const auto exploring = [&](std::uint64_t round, std::uint32_t from) {
    const Devices devices = cell.Select(*strategy, round).devices;
    EXPECT_EQ(devices.size(), 10U);
    EXPECT_TRUE(std::ranges::is_sorted(devices));
    return std::ranges::count_if(devices, [&](std::uint32_t device) { return device >= from; });
  };
  EXPECT_EQ(exploring(2, 0), 10);  // nobody is known
  learn(0, 20);
  EXPECT_EQ(exploring(10, 20), 7);
  EXPECT_EQ(exploring(60, 20), 3);
  learn(20, 38);
  EXPECT_EQ(exploring(10, 38), 2);
  learn(38, 40);
  EXPECT_EQ(exploring(10, 40), 0);
}

// One of two known and one of two unknown devices are drawn, all alike, so that each pair has the
// probability 1/4.
TEST(Oort, ExploresAndExploitsIndependently) {
  SmallCell cell({1, 1, 1, 1});
  const auto strategy =
      Make({{"devices", 2}, {"exploration", 0.5}, {"exploration_decay", 1}, {"round_penalty", 0}});
  cell.Select(*strategy);
  Learn(*strategy, 1, {0, 1}, {1, 1}, {1, 1}, cell.memory);
  std::map<Devices, int> times;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) ++times[cell.Select(*strategy, 2, std::uint64_t(i)).devices];
  for (const Devices& pair : {Devices{0, 2}, Devices{0, 3}, Devices{1, 2}, Devices{1, 3}}) {
    EXPECT_NEAR(times[pair], kDraws / 4.0, 5 * std::sqrt(kDraws * 3 / 16.0));
  }
}

// Of 12 known devices one is exploited, among those with 1.0 of the score of the second best, but
// at least 11. Rewards are 1 to 12, so the first device never is; with a cut-off of 0 it can be.
TEST(Oort, CutsOffLowScores) {
  SmallCell cell(std::vector<double>(12, 1));
  const auto all = Make({{"devices", 12}});
  const Devices devices = cell.Select(*all).devices;
  ASSERT_EQ(devices.size(), 12U);
  std::vector<double> square_loss;
  for (int i = 1; i <= 12; ++i) square_loss.push_back(double(i * i));
  Learn(*all, 1, devices, square_loss, std::vector<double>(12, 1), cell.memory);
  const auto strict = Make({{"devices", 1}, {"cut_off", 1}});
  const auto lenient = Make({{"devices", 1}, {"cut_off", 0}});
  const std::vector<double> few = Shares(cell, *strict, 2, 4000);
  const std::vector<double> many = Shares(cell, *lenient, 2, 4000);
  EXPECT_EQ(few[0], 0);
  EXPECT_EQ(std::ranges::count(few, 0.0), 1);
  EXPECT_EQ(std::ranges::count(many, 0.0), 0);
}

// With a step of 1, each round is compared with the one before. The utility of a round is known in
// the next one, and 0 for the first two, because nobody had taken part before. Both devices always
// take part. The memory's second number is the threshold.
TEST(Oort, PacesByUtility) {
  SmallCell cell({1, 1});
  const auto strategy = Make({{"devices", 2}, {"pacer_step", 1}, {"pacer_delta", 7}});
  const auto threshold_after = [&](std::uint64_t round, double square_loss) {
    const Devices devices = cell.Select(*strategy, round).devices;
    cell.Select(*strategy, round);  // a second draw in the round does not count
    Learn(*strategy, round, devices, {square_loss, square_loss}, {1, 1}, cell.memory);
    return cell.memory.at(1);
  };
  EXPECT_EQ(threshold_after(1, 4), 30);     // it is too early to change
  EXPECT_EQ(threshold_after(2, 4), 37);     // the utilities are 0, 0
  EXPECT_EQ(threshold_after(3, 4.41), 30);  // 0, 2 is a change of more than five times
  EXPECT_EQ(threshold_after(4, 9), 37);     // 2, 2.1 is flat
  EXPECT_EQ(threshold_after(5, 9), 37);     // 2.1, 3 is neither
  EXPECT_EQ(threshold_after(6, 400), 44);   // 3, 3 is flat
  EXPECT_EQ(threshold_after(7, 400), 37);   // 3, 20 is a change of more than five times
  for (std::uint64_t round = 8; round < 30; ++round) threshold_after(round, 400);
  EXPECT_EQ(threshold_after(30, 400), 100);  // the threshold goes no further
}

// In windows of two rounds the utilities are 0, 0 | 2, 2 | 2, 2.
TEST(Oort, PacesOverWindows) {
  SmallCell cell({1, 1});
  const auto strategy = Make({{"devices", 2}, {"pacer_step", 2}});
  std::vector<double> threshold;
  for (std::uint64_t round = 1; round <= 6; ++round) {
    const Devices devices = cell.Select(*strategy, round).devices;
    threshold.push_back(cell.memory.at(1));
    Learn(*strategy, round, devices, {4, 4}, {1, 1}, cell.memory);
  }
  EXPECT_EQ(threshold, (std::vector<double>{30, 30, 30, 25, 25, 30}));
}

// The first has taken part three times, the second twice, the third once. Those with more than one
// are left out, at most half of the four, which are two; with a share of 0.25 it is only the first.
TEST(Oort, LeavesOutTheOverused) {
  SmallCell cell({1, 1, 1, 1});
  const Options base{{"devices", 4}};
  const auto strategy = Make(base);
  cell.Select(*strategy);
  Learn(*strategy, 1, {0, 1, 2}, {1, 1, 1}, {1, 1, 1}, cell.memory);
  Learn(*strategy, 2, {0, 1}, {1, 1}, {1, 1}, cell.memory);
  Learn(*strategy, 3, {0}, {1}, {1}, cell.memory);
  EXPECT_EQ(cell.Select(*strategy, 4).devices, (Devices{0, 1, 2, 3}));
  const auto half = Make({{"devices", 4}, {"blacklist_rounds", 1}, {"blacklist_share", 0.5}});
  EXPECT_EQ(cell.Select(*half, 4).devices, (Devices{2, 3}));
  const auto quarter = Make({{"devices", 4}, {"blacklist_rounds", 1}, {"blacklist_share", 0.25}});
  EXPECT_EQ(cell.Select(*quarter, 4).devices, (Devices{1, 2, 3}));
  const auto often = Make({{"devices", 4}, {"blacklist_rounds", 2}, {"blacklist_share", 1}});
  EXPECT_EQ(cell.Select(*often, 4).devices, (Devices{1, 2, 3}));
}

TEST(Oort, SharesTheBandEqually) {
  SmallCell cell({1, 1, 1, 1, 1});
  const Selection selection = cell.Select(*Make({{"devices", 4}}));
  ASSERT_EQ(selection.devices.size(), 4U);
  ASSERT_EQ(selection.terms.size(), 4U);
  for (const Terms& terms : selection.terms) {
    EXPECT_EQ(terms.power_w, 1);
    EXPECT_DOUBLE_EQ(terms.bandwidth_hz, 1.25);
  }
}

// A run of some rounds is the same where it is taken up again after each, with a new object and the
// same memory.
TEST(Oort, IsTakenUpAgain) {
  SmallCell cell(std::vector<double>(50, 1)), other(std::vector<double>(50, 1));
  cell.probability[3] = cell.probability[40] = 0;
  other.probability = cell.probability;
  const Options options{{"devices", 5}, {"pacer_step", 2}, {"blacklist_rounds", 6}};
  const auto strategy = Make(options);
  for (std::uint64_t round = 1; round <= 60; ++round) {
    const Devices devices = cell.Select(*strategy, round).devices;
    const auto resumed = Make(options);
    ASSERT_EQ(devices, other.Select(*resumed, round).devices);
    ASSERT_EQ(devices.size(), 5U);
    ASSERT_EQ(std::ranges::adjacent_find(devices, std::greater_equal{}), devices.end());
    ASSERT_EQ(std::ranges::count(devices, 3U) + std::ranges::count(devices, 40U), 0);
    std::vector<double> loss, time;
    for (const std::uint32_t device : devices) {
      loss.push_back(double(device + round));
      time.push_back(double(1 + device % 7));
    }
    Learn(*strategy, round, devices, loss, time, cell.memory);
    Learn(*resumed, round, devices, loss, time, other.memory);
    ASSERT_EQ(cell.memory, other.memory);
  }
  EXPECT_NE(cell.Select(*strategy, 61).devices, cell.Select(*strategy, 61, 2).devices);
}

TEST(Oort, SelectsInOddFleets) {
  SmallCell single({1}), nobody({1, 1}), empty_handed({1, 1, 1});
  EXPECT_EQ(single.Select(*Make({})).devices, Devices{0});
  std::ranges::fill(nobody.probability, 0.0);
  EXPECT_EQ(nobody.Select(*Make({})).devices, Devices{});
  // One fleet has no samples and no losses, and the model of another has diverged.
  std::ranges::fill(empty_handed.data_share, 0.0);
  const auto two = Make({{"devices", 2}});
  EXPECT_EQ(empty_handed.Select(*two).devices.size(), 2U);
  Learn(*two, 1, {0, 1}, {0, 0}, {1, 1}, empty_handed.memory);
  EXPECT_EQ(empty_handed.Select(*two, 2).devices.size(), 2U);
  SmallCell diverged({1, 1, 1, 1});
  diverged.Select(*two);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Learn(*two, 1, {0, 1, 2, 3}, {kNan, kInfinity, 1, 0}, {1, 1, 0, 2}, diverged.memory);
  for (std::uint64_t round = 2; round < 50; ++round) {
    ASSERT_EQ(diverged.Select(*two, round).devices.size(), 2U);
  }
  for (const double number : diverged.memory) EXPECT_TRUE(std::isfinite(number));
}

// There are known and unknown devices, of all kinds of losses and durations.
TEST(Oort, SelectsInALargeFleet) {
  SmallCell cell(std::vector<double>(100000, 1));
  const auto strategy = Make({});
  EXPECT_EQ(cell.Select(*strategy).devices.size(), 10U);
  Devices devices;
  std::vector<double> loss, time;
  for (std::uint32_t i = 0; i < 100000; i += 2) {
    devices.push_back(i);
    loss.push_back(double(i % 1000));
    time.push_back(double(i % 777));
  }
  Learn(*strategy, 1, devices, loss, time, cell.memory);
  for (std::uint64_t round = 2; round < 6; ++round) {
    EXPECT_EQ(cell.Select(*strategy, round).devices.size(), 10U);
  }
}

}  // namespace
}  // namespace airlot::selection
