#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;
const std::vector<std::string_view> kNames{"power-of-choice", "power-of-choice-cpow",
                                           "power-of-choice-rpow"};

std::unique_ptr<Strategy> Make(std::string_view name, double devices, double candidates) {
  StrategyOptions options = With(name, "devices", devices);
  options.At(name, "candidates") = candidates;
  return MakeStrategy(name, options);
}

void Learn(Strategy& strategy, const Devices& devices, const std::vector<double>& losses,
           std::vector<double>& memory) {
  const std::vector<double> other(devices.size(), 1);
  strategy.Learn(
      {.devices = devices, .mean_loss = losses, .mean_square_loss = other, .duration_s = other},
      memory);
}

// An AskedBatch remembers how many samples it was asked for.
class AskedBatch : public GivenAnswers {
 public:
  std::size_t batch = 99;
  void Ask(const Question& question, std::span<const std::uint32_t> devices,
           std::span<double> answers) override {
    batch = std::get<AskLoss>(question).batch;
    GivenAnswers::Ask(question, devices, answers);
  }
};

// Of three devices with shares 1/8, 2/8, 5/8 two are candidates: {0, 1} with probability 13/168,
// {0, 2} with 25/84 = 50/168, {1, 2} with 105/168 (weighted_draw_test.cc). Of losses 3, 2, 1 the
// first is taken where it is a candidate, with 63/168, and the third never.
TEST(PowerOfChoice, TakesTheLargestLossOfThoseDrawn) {
  for (const std::string_view name : {kNames[0], kNames[1]}) {
    SmallCell cell({1, 1, 1});
    cell.data_share = {0.125, 0.25, 0.625};
    cell.answers.losses = {3, 2, 1};
    const auto strategy = Make(name, 1, 2);
    constexpr int kRounds = 4000;
    std::map<Devices, int> times;
    for (int round = 1; round <= kRounds; ++round) {
      ++times[cell.Select(*strategy, std::uint64_t(round)).devices];
    }
    EXPECT_EQ(times.size(), 2U);
    EXPECT_NEAR(times[{0}], kRounds * 0.375, 5 * std::sqrt(kRounds * 0.375 * 0.625));
    // Only the candidates are asked.
    EXPECT_EQ(cell.answers.losses_asked, std::size_t(2 * kRounds));
    EXPECT_TRUE(cell.memory.empty());
  }
}

TEST(PowerOfChoice, AsksForAllSamplesOrABatch) {
  SmallCell cell({1, 1});
  AskedBatch answers;
  answers.losses = {1, 2};
  SelectionView view = cell.View();
  view.probe = &answers;
  Selection selection, other;
  Make(kNames[0], 1, 2)->Select(view, selection);
  EXPECT_EQ(answers.batch, 0U);
  Make(kNames[1], 1, 2)->Select(view, other);
  EXPECT_EQ(answers.batch, 32U);
}

// Devices send with P^max = 1 W in thirds of a band of 5 Hz.
TEST(PowerOfChoice, SharesTheBandEqually) {
  SmallCell cell({1, 1, 1, 1, 1});
  cell.answers.losses = {5, 4, 3, 4, 4};
  const auto strategy = Make(kNames[0], 3, 5);
  const Selection selection = cell.Select(*strategy);
  EXPECT_EQ(selection.devices, (Devices{0, 1, 3}));  // the first win where losses are equal
  EXPECT_FALSE(selection.takes_turns);
  ASSERT_EQ(selection.terms.size(), 3U);
  for (const Terms& terms : selection.terms) {
    EXPECT_EQ(terms.power_w, 1);
    EXPECT_DOUBLE_EQ(terms.bandwidth_hz, 5.0 / 3);
    EXPECT_EQ(terms.cpu_share, 1);
    EXPECT_FALSE(terms.update_bits.has_value());
  }
}

// All are candidates. Unknown losses are infinite, so that 0 and 1 come first, then 2 and 3, then
// those of largest last loss.
TEST(PowerOfChoiceRpow, GoesByTheLastLosses) {
  SmallCell cell({1, 1, 1, 1});
  auto strategy = Make("power-of-choice-rpow", 2, 4);
  ASSERT_TRUE(strategy->Learns());
  EXPECT_EQ(cell.Select(*strategy, 1).devices, (Devices{0, 1}));
  Learn(*strategy, {0, 1}, {0.5, 2}, cell.memory);
  EXPECT_EQ(cell.Select(*strategy, 2).devices, (Devices{2, 3}));
  Learn(*strategy, {2, 3}, {0.75, 0.25}, cell.memory);
  EXPECT_EQ(cell.Select(*strategy, 3).devices, (Devices{1, 2}));
  strategy = Make("power-of-choice-rpow", 2, 4);  // a run that is taken up again
  EXPECT_EQ(cell.Select(*strategy, 3).devices, (Devices{1, 2}));
  Learn(*strategy, {1, 2}, {0, 0.3}, cell.memory);
  EXPECT_EQ(cell.Select(*strategy, 4).devices, (Devices{0, 2}));
  EXPECT_EQ(cell.answers.losses_asked, 0U);
}

TEST(PowerOfChoice, TakesWhatHasDivergedAsTheLargest) {
  SmallCell cell({1, 1, 1});
  cell.answers.losses = {9, std::numeric_limits<double>::infinity(), 8};
  EXPECT_EQ(cell.Select(*Make(kNames[0], 1, 3)).devices, Devices{1});
  const auto strategy = Make("power-of-choice-rpow", 1, 3);
  cell.Select(*strategy);
  Learn(*strategy, {0, 1, 2}, {9, std::numeric_limits<double>::quiet_NaN(), 8}, cell.memory);
  EXPECT_EQ(cell.Select(*strategy, 2).devices, Devices{1});
}

// All four are candidates. Those who do not tell a loss are none, whatever the losses of the
// others.
TEST(PowerOfChoice, TakesThoseWhoAnswer) {
  for (const std::string_view name : {kNames[0], kNames[1]}) {
    SmallCell cell({1, 1, 1, 1});
    cell.answers.losses = {9, 0, 8, 2};
    cell.answers.silent = {0, 2};
    EXPECT_EQ(cell.Select(*Make(name, 1, 4)).devices, Devices{3});
    const Selection both = cell.Select(*Make(name, 3, 4));
    EXPECT_EQ(both.devices, (Devices{1, 3}));
    EXPECT_EQ(both.terms.at(0).bandwidth_hz, 2);
    cell.answers.silent = {0, 1, 2, 3};
    EXPECT_EQ(cell.Select(*Make(name, 3, 4)).devices, Devices{});
    ExpectSoundWithoutAnswers(name);
  }
}

TEST(PowerOfChoice, TakesOnlyTheAble) {
  for (const std::string_view name : kNames) {
    SmallCell cell({1, 1, 1, 1, 1, 1});
    cell.probability = {0, 1, 0.1, 0, 0.2, 1};
    cell.answers.losses = {9, 1, 2, 9, 3, 4};
    const auto strategy = Make(name, 2, 3);
    for (std::uint64_t round = 1; round <= 100; ++round) {
      const Devices devices = cell.Select(*strategy, round).devices;
      ASSERT_EQ(devices.size(), 2U);
      ASSERT_LT(devices[0], devices[1]);
      for (const std::uint32_t device : devices) ASSERT_GT(cell.probability[device], 0);
    }
    SelectionView view = cell.View();
    view.plan_version = 1;
    std::ranges::fill(cell.probability, 0.0);
    Selection nobody;
    strategy->Select(view, nobody);
    EXPECT_TRUE(nobody.devices.empty() && nobody.terms.empty());
  }
}

// More devices are wanted than there are, or than there are candidates, or there is one device.
TEST(PowerOfChoice, TakesAsManyAsThereAre) {
  for (const std::string_view name : kNames) {
    SmallCell cell({1, 1, 1}), single({1});
    cell.answers.losses = single.answers.losses = {1, 2, 3};
    EXPECT_EQ(cell.Select(*Make(name, 9, 20)).devices, (Devices{0, 1, 2}));
    EXPECT_EQ(cell.Select(*Make(name, 3, 1)).devices, (Devices{0, 1, 2}));
    EXPECT_EQ(single.Select(*MakeStrategy(name)).devices, Devices{0});
  }
}

TEST(PowerOfChoice, DrawsAgainForARoundAttemptOrSeed) {
  for (const std::string_view name : kNames) {
    SmallCell cell(std::vector<double>(1000, 1));
    cell.answers.losses.assign(1000, 1);
    const auto strategy = MakeStrategy(name);
    const Devices first = cell.Select(*strategy).devices;
    EXPECT_EQ(first.size(), 3U);
    EXPECT_EQ(first, cell.Select(*strategy).devices);
    EXPECT_EQ(first, cell.Select(*MakeStrategy(name)).devices);
    EXPECT_NE(first, cell.Select(*strategy, 2).devices);
    EXPECT_NE(first, cell.Select(*strategy, 1, 2).devices);
    SelectionView view = cell.View();
    view.attempt = 1;
    Selection again;
    strategy->Select(view, again);
    EXPECT_NE(first, again.devices);
  }
}

TEST(PowerOfChoice, SelectsInALargeFleet) {
  for (const std::string_view name : kNames) {
    SmallCell cell(std::vector<double>(100000, 1));
    cell.answers.losses.resize(100000);
    std::iota(cell.answers.losses.begin(), cell.answers.losses.end(), 0);
    EXPECT_EQ(cell.Select(*MakeStrategy(name)).devices.size(), 3U);
    EXPECT_EQ(cell.Select(*Make(name, 99999, 100000)).devices.size(), 99999U);
  }
}

}  // namespace
}  // namespace airlot::selection
