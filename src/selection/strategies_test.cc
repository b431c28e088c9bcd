// These tests check who is selected, by hand and on average.
#include "selection/strategies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "selection/small_cell_for_tests.h"

namespace airlot {
namespace {

using selection::With;
using Devices = std::vector<std::uint32_t>;

Devices Select(Strategy& strategy, const std::vector<double>& probability,
               const std::vector<double>& share, std::uint64_t round = 1, std::uint64_t seed = 1) {
  Selection selection;
  strategy.Select({.seed = seed, .round = round, .probability = probability, .data_share = share},
                  selection);
  EXPECT_TRUE(selection.terms.empty() && !selection.takes_turns);
  return selection.devices;
}

const std::vector<double> kProbability{0.9, 0.2, 0.0, 0.6, 0.5};
const std::vector<double> kShare{0.1, 0.5, 0.2, 0.1, 0.1};

TEST(Strategies, AreFoundByName) {
  for (const StrategyEntry& entry : Strategies()) {
    EXPECT_EQ(FindStrategy(entry.name), &entry);
    EXPECT_NE(MakeStrategy(entry.name), nullptr);
  }
  EXPECT_EQ(FindStrategy("luck"), nullptr);
}

// The sum of probabilities is 2.2, so two devices take part. Share times probability is 0.09, 0.1,
// 0, 0.06, 0.05.
TEST(Deterministic, TakesTheLargestWeightedProbabilities) {
  const auto strategy = MakeStrategy("deterministic");
  EXPECT_EQ(Select(*strategy, kProbability, kShare), (Devices{0, 1}));
  EXPECT_EQ(Select(*strategy, kProbability, kShare, 9, 4), (Devices{0, 1}));
}

TEST(Deterministic, ThresholdInstead) {
  const auto strategy = MakeStrategy("deterministic", With("deterministic", "threshold", 0.5));
  EXPECT_EQ(Select(*strategy, kProbability, kShare), (Devices{0, 3, 4}));
  const auto none = MakeStrategy("deterministic", With("deterministic", "threshold", 0.95));
  EXPECT_EQ(Select(*none, kProbability, kShare), Devices{});
}

TEST(EquallyWeighted, TakesTheLargestProbabilities) {
  const auto strategy = MakeStrategy("equally-weighted");
  EXPECT_EQ(Select(*strategy, kProbability, kShare), (Devices{0, 3}));
}

TEST(EquallyWeighted, RoundsHalfUpAndTakesTheFirstOfEquals) {
  const auto strategy = MakeStrategy("equally-weighted");
  EXPECT_EQ(Select(*strategy, {0.5, 0.5, 0.5}, {1, 1, 1}), (Devices{0, 1}));
  const auto other = MakeStrategy("equally-weighted");
  EXPECT_EQ(Select(*other, {0.1, 0.1, 0.1}, {1, 1, 1}), Devices{});
}

TEST(BestDevices, SelectAgainForAnotherPlan) {
  const auto strategy = MakeStrategy("equally-weighted");
  const std::vector<double> other{0.1, 0.9, 0.9, 0.1, 0.1};
  EXPECT_EQ(Select(*strategy, kProbability, kShare), (Devices{0, 3}));
  Selection selection;
  strategy->Select({.plan_version = 1, .probability = other, .data_share = kShare}, selection);
  EXPECT_EQ(selection.devices, (Devices{1, 2}));
}

TEST(Uniform, TakesAsManyAsAskedAndOnlyTheAble) {
  const auto strategy = MakeStrategy("uniform", With("uniform", "devices", 3));
  std::vector<int> taken(5);
  for (std::uint64_t round = 1; round <= 4000; ++round) {
    const Devices devices = Select(*strategy, kProbability, kShare, round);
    ASSERT_EQ(devices.size(), 3U);
    ASSERT_TRUE(std::ranges::is_sorted(devices));
    ASSERT_EQ(std::ranges::adjacent_find(devices), devices.end());
    for (const std::uint32_t device : devices) ++taken[device];
  }
  EXPECT_EQ(taken[2], 0);
  // Each of four is taken with probability 3/4, within five standard deviations.
  for (const int device : {0, 1, 3, 4}) EXPECT_NEAR(taken[std::size_t(device)], 3000, 5 * 27.4);
  const auto greedy = MakeStrategy("uniform", With("uniform", "devices", 100));
  EXPECT_EQ(Select(*greedy, kProbability, kShare), (Devices{0, 1, 3, 4}));
}

TEST(Probabilistic, DrawsEachDeviceWithItsProbability) {
  const auto strategy = MakeStrategy("probabilistic");
  std::vector<double> probability(3000);  // so many are several groups of streams
  for (std::size_t i = 0; i < probability.size(); ++i) probability[i] = double(i % 11) / 10;
  std::vector<int> taken(probability.size());
  constexpr int kRounds = 400;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    const Devices devices = Select(*strategy, probability, probability, round);
    ASSERT_TRUE(std::ranges::is_sorted(devices));
    for (const std::uint32_t device : devices) ++taken[device];
  }
  double chi = 0;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    const double mean = kRounds * probability[i], variance = mean * (1 - probability[i]);
    if (variance == 0) {
      ASSERT_EQ(taken[i], mean);
    } else {
      chi += (taken[i] - mean) * (taken[i] - mean) / variance;
    }
  }
  // As 9 in 11 devices have a variance, this is chi-square of 2455 degrees, within five standard
  // deviations.
  EXPECT_NEAR(chi, 2455, 5 * std::sqrt(2 * 2455.0));
}

// The sum of a device's 1/p over the rounds in which it is drawn is the number of all rounds on
// average. Where empty rounds are drawn again, somebody is in every round: of 0.2, 0.1 and 0.3,
// nobody is drawn with 0.8·0.9·0.7 = 0.504, so the probabilities are 0.2, 0.1 and 0.3 divided by
// 0.496.
TEST(Probabilistic, KnowsItsProbabilities) {
  const std::vector<double> probability{0.2, 0.1, 0, 0.3};
  for (const bool redraws : {false, true}) {
    const auto strategy = MakeStrategy("probabilistic");
    const double any = redraws ? 0.496 : 1;
    std::vector<double> sum(4);
    constexpr int kRounds = 4000;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      SelectionView view{.round = round, .redraws_empty = redraws, .probability = probability};
      Selection selection;
      do {
        selection = {};
        strategy->Select(view, selection);
        ++view.attempt;
      } while (redraws && selection.devices.empty());
      ASSERT_EQ(selection.probability.size(), selection.devices.size());
      for (std::size_t i = 0; i < selection.devices.size(); ++i) {
        const std::uint32_t device = selection.devices[i];
        ASSERT_NEAR(selection.probability[i], probability[device] / any, 1e-12);
        sum[device] += 1 / selection.probability[i];
      }
    }
    EXPECT_EQ(sum[2], 0);
    for (const std::size_t i : {0U, 1U, 3U}) {
      const double p = probability[i] / any;
      EXPECT_NEAR(sum[i], kRounds, 5 * std::sqrt(kRounds * (1 - p) / p)) << redraws;
    }
  }
}

// The draws take three of four able devices, or all of them.
TEST(Strategies, KnowTheProbabilitiesOfEvenDraws) {
  for (const std::string_view name : {"uniform", "random"}) {
    for (const auto& [devices, expected] : {std::pair{3.0, 0.75}, {100.0, 1.0}}) {
      selection::SmallCell cell(std::vector<double>(5, 1.0));
      cell.probability[2] = 0;
      const Selection drawn = cell.Select(*MakeStrategy(name, With(name, "devices", devices)));
      EXPECT_EQ(drawn.probability, std::vector<double>(drawn.devices.size(), expected)) << name;
    }
  }
  selection::SmallCell cell({1, 1});
  EXPECT_EQ(cell.Select(*MakeStrategy("all")).probability, (std::vector<double>{1, 1}));
}

// Those strategies that say so know their probabilities, and no others.
TEST(Strategies, SayWhetherTheyKnowTheirProbabilities) {
  for (const StrategyEntry& entry : Strategies()) {
    selection::SmallCell cell(std::vector<double>(50, 1.0));
    std::ranges::fill(cell.probability, 0.9);
    cell.cell.problem.time_limit_s = 1e3;
    cell.answers.losses.assign(50, 1);
    cell.answers.norms.assign(50, 1);
    cell.answers.accuracies.assign(50, 0.5);
    const auto strategy = MakeStrategy(entry.name, With("energy-rrm", "reward_j", 1e3));
    const Selection selection = cell.Select(*strategy);
    ASSERT_FALSE(selection.devices.empty()) << entry.name;
    EXPECT_EQ(!selection.probability.empty(), entry.knows_probabilities) << entry.name;
  }
}

// A device is drawn the same way in a fleet of any size; another round, seed or attempt is another
// draw.
TEST(Probabilistic, IsAddressed) {
  const auto strategy = MakeStrategy("probabilistic");
  const std::vector<double> small(1500, 0.5), large(4000, 0.5);
  const Devices few = Select(*strategy, small, small);
  Devices many = Select(*strategy, large, large);
  many.erase(std::ranges::lower_bound(many, 1500U), many.end());
  EXPECT_EQ(few, many);
  EXPECT_EQ(few, Select(*strategy, small, small));
  EXPECT_NE(few, Select(*strategy, small, small, 2));
  EXPECT_NE(few, Select(*strategy, small, small, 1, 2));
  Selection again;
  strategy->Select({.attempt = 1, .probability = small, .data_share = small}, again);
  EXPECT_NE(few, again.devices);
}

}  // namespace
}  // namespace airlot
