// These tests pin the split by class: the balance rule, the minimum, and the numbers that
// NIID-Bench's procedure gives on MNIST.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "airlot/partition.h"
#include "data/partition_methods.h"

namespace airlot::data {
namespace {

Labels LikeMnist() {
  Labels labels{std::vector<std::uint8_t>(60000), 10};
  for (std::size_t i = 0; i < labels.values.size(); ++i) labels.values[i] = std::uint8_t(i / 6000);
  return labels;
}

// With a tiny beta a class goes to one device as a whole. Whoever has class 0, 5 of 8 samples, has
// more than an equal share of 4; so class 1 goes to the other one.
TEST(DirichletTest, TheBalanceRuleByHand) {
  bool saw_first = false, saw_second = false;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::vector<std::size_t> class_sizes = {5, 3};
    const auto drawn = DrawDirichletCounts(
        class_sizes, {.devices = 2, .beta = 1e-9, .minimum_samples = 3, .seed = seed});
    ASSERT_TRUE(drawn.ok());
    const std::vector<std::uint32_t> first = {5, 0, 0, 3}, second = {0, 5, 3, 0};
    EXPECT_TRUE(drawn->counts == first || drawn->counts == second);
    EXPECT_EQ(drawn->attempts, 1u);
    saw_first |= drawn->counts == first;
    saw_second |= drawn->counts == second;
  }
  EXPECT_TRUE(saw_first && saw_second);
}

TEST(DirichletTest, AHugeBetaSharesEveryClassEqually) {
  const std::vector<std::size_t> class_sizes = {1000, 3000};
  const auto drawn =
      DrawDirichletCounts(class_sizes, {.devices = 10, .beta = 1e6, .minimum_samples = 0});
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(drawn->counts[i], 100, 2);
}

// With beta = 1, one class and two devices, the first device's share is uniform.
TEST(DirichletTest, SharesAreADirichletDraw) {
  constexpr int kSeeds = 4000;
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::vector<std::size_t> class_sizes = {100000};
    const auto drawn = DrawDirichletCounts(
        class_sizes, {.devices = 2, .beta = 1, .minimum_samples = 0, .seed = seed});
    const double share = drawn->counts[0] / 1e5;
    sum += share / kSeeds;
    squares += share * share / kSeeds;
  }
  EXPECT_NEAR(sum, 1.0 / 2, 4.5 * std::sqrt(1.0 / 12 / kSeeds));
  EXPECT_NEAR(squares, 1.0 / 3, 4.5 * std::sqrt(4.0 / 45 / kSeeds));
}

TEST(DirichletTest, ReachesItsMinimum) {
  const Labels labels = LikeMnist();
  for (const std::size_t minimum : {0, 10, 30}) {
    const auto partition = MakePartition(labels, {.beta = 0.3, .minimum_samples = minimum});
    ASSERT_TRUE(partition.ok());
    EXPECT_GE(SummarizePartition(*partition, labels).smallest, minimum);
  }
}

TEST(DirichletTest, ADevicesSamplesAreInRandomOrder) {
  const Labels labels = LikeMnist();
  const auto partition = MakePartition(labels, {.devices = 2, .beta = 100});
  std::size_t changes = 0;
  const auto samples = partition->SamplesOf(0);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    changes += labels.values[samples[i]] != labels.values[samples[i - 1]];
  }
  EXPECT_GT(double(changes) / double(samples.size()), 0.8);
}

struct Statistics {
  double attempts = 0, largest = 0, missing = 0;
  std::size_t most_attempts = 0;
};

Statistics Measure(double beta, std::uint64_t seeds) {
  const Labels labels = LikeMnist();
  const std::vector<std::size_t> class_sizes(10, 6000);
  Statistics statistics;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const PartitionOptions options = {.beta = beta, .seed = seed};
    const std::size_t attempts = DrawDirichletCounts(class_sizes, options)->attempts;
    const PartitionSummary summary = SummarizePartition(*MakePartition(labels, options), labels);
    statistics.attempts += double(attempts) / double(seeds);
    statistics.largest += double(summary.largest) / double(seeds);
    statistics.missing += summary.mean_missing_labels / double(seeds);
    statistics.most_attempts = std::max(statistics.most_attempts, attempts);
  }
  return statistics;
}

// tools/partition_statistics.py has the expected means (of 2000 runs) and standard deviations. The
// bounds are 4.5 standard errors of the difference.
TEST(DirichletTest, GivesTheNumbersOfNiidBench) {
  const Statistics high = Measure(0.1, 300);
  EXPECT_NEAR(high.attempts, 3.34, 0.77);
  EXPECT_LE(high.most_attempts, 30u);
  EXPECT_NEAR(high.largest, 2539, 140);
  EXPECT_NEAR(high.missing, 5.728, 0.042);
  const Statistics mild = Measure(0.3, 100);
  EXPECT_LE(mild.most_attempts, 2u);
  EXPECT_NEAR(mild.largest, 1530, 124);
  EXPECT_NEAR(mild.missing, 2.880, 0.067);
  const Statistics low = Measure(0.5, 100);
  EXPECT_EQ(low.most_attempts, 1u);
  EXPECT_NEAR(low.largest, 1248, 88);
  EXPECT_NEAR(low.missing, 1.804, 0.059);
}

}  // namespace
}  // namespace airlot::data
