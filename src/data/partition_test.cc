#include "airlot/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "data/partition_methods.h"

namespace airlot {
namespace {

// Returns `counts[k]` samples of class k, the classes taking turns.
Labels MakeLabels(std::vector<std::size_t> counts) {
  Labels labels{{}, int(counts.size())};
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] == 0) continue;
      labels.values.push_back(std::uint8_t(k));
      is_more |= --counts[k] > 0;
    }
  }
  return labels;
}

Labels LikeMnist() { return MakeLabels(std::vector<std::size_t>(10, 6000)); }

Partition Make(const Labels& labels, const PartitionOptions& options) {
  const auto partition = MakePartition(labels, options);
  EXPECT_TRUE(partition.ok()) << partition.error().message;
  return partition ? *partition : Partition();
}

std::vector<std::size_t> SizesOf(const Partition& partition) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < partition.devices(); ++i) {
    sizes.push_back(partition.SamplesOf(i).size());
  }
  return sizes;
}

std::vector<std::uint32_t> Sorted(std::span<const std::uint32_t> samples) {
  std::vector<std::uint32_t> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted;
}

// Returns the labels of one device, each once.
std::set<int> LabelsOf(const Partition& partition, const Labels& labels, std::size_t device) {
  std::set<int> found;
  for (const std::uint32_t sample : partition.SamplesOf(device))
    found.insert(labels.values[sample]);
  return found;
}

// --- Every method --------------------------------------------------------------------------------

class EveryMethod : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Partition, EveryMethod,
                         testing::Values("dirichlet", "client-dirichlet", "shards", "iid"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryMethod, UsesNoSampleTwiceAndLeavesNoneWhereTheyDivide) {
  for (const std::size_t devices : {1, 2, 7, 100, 313}) {
    for (const double beta : {0.1, 1.0, 100.0}) {
      const Labels labels = MakeLabels({1000, 0, 3000, 500, 1, 1500});
      const Partition partition = Make(
          labels, {.method = GetParam(), .devices = devices, .beta = beta, .minimum_samples = 0});
      ASSERT_EQ(partition.devices(), devices);
      EXPECT_EQ(partition.begin.front(), 0u);
      EXPECT_EQ(partition.begin.back(), partition.samples.size());
      EXPECT_TRUE(std::ranges::is_sorted(partition.begin));
      const auto sorted = Sorted(partition.samples);
      EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
      const std::size_t unused =
          GetParam() == "client-dirichlet" ? labels.values.size() % devices : 0;
      EXPECT_EQ(sorted.size(), labels.values.size() - unused);
      EXPECT_LT(sorted.back(), labels.values.size());
    }
  }
}

TEST_P(EveryMethod, IsTheSameForTheSameSeedOnly) {
  const Labels labels = LikeMnist();
  const Partition first = Make(labels, {.method = GetParam(), .seed = 3});
  const Partition again = Make(labels, {.method = GetParam(), .seed = 3});
  const Partition other = Make(labels, {.method = GetParam(), .seed = 4});
  EXPECT_EQ(first.samples, again.samples);
  EXPECT_EQ(first.begin, again.begin);
  EXPECT_NE(first.samples, other.samples);
}

TEST_P(EveryMethod, OneDeviceHasAll) {
  const Partition partition =
      Make(MakeLabels({2, 3}), {.method = GetParam(), .devices = 1, .minimum_samples = 5});
  EXPECT_EQ(Sorted(partition.SamplesOf(0)), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST_P(EveryMethod, AsManyDevicesAsSamples) {
  const Partition partition =
      Make(MakeLabels({4, 4}),
           {.method = GetParam(), .devices = 8, .minimum_samples = 0, .shards_per_device = 1});
  EXPECT_EQ(partition.samples.size(), 8u);
}

// --- iid -----------------------------------------------------------------------------------------

TEST(IidTest, SizesDifferByAtMostOne) {
  EXPECT_EQ(SizesOf(Make(MakeLabels({5}), {.method = "iid", .devices = 2})),
            (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(SizesOf(Make(MakeLabels({5}), {.method = "iid", .devices = 3})),
            (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(
      SizesOf(Make(MakeLabels({7}), {.method = "iid", .devices = 3, .samples_per_device = 2})),
      (std::vector<std::size_t>{2, 2, 2}));
}

TEST(IidTest, EveryDeviceHasTheMixOfAll) {
  const Labels labels = LikeMnist();
  const Partition partition = Make(labels, {.method = "iid"});
  for (std::size_t i = 0; i < 100; ++i) {
    for (const std::size_t count : CountLabels(partition.SamplesOf(i), labels)) {
      EXPECT_NEAR(double(count), 60, 4.5 * 7.35);  // sd = sqrt(600 * 0.1 * 0.9)
    }
  }
}

// --- shards --------------------------------------------------------------------------------------

// Samples 0 and 2 have label 0, samples 1 and 3 have label 1, so that one shard for each device is
// one label each.
TEST(ShardsTest, TwoDevicesByHand) {
  const Labels labels = MakeLabels({2, 2});
  bool saw_zero_first = false, saw_one_first = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Partition partition =
        Make(labels, {.method = "shards", .devices = 2, .shards_per_device = 1, .seed = seed});
    const auto first = Sorted(partition.SamplesOf(0)), second = Sorted(partition.SamplesOf(1));
    const std::vector<std::uint32_t> zeros = {0, 2}, ones = {1, 3};
    EXPECT_TRUE((first == zeros && second == ones) || (first == ones && second == zeros));
    saw_zero_first |= first == zeros;
    saw_one_first |= first == ones;
  }
  EXPECT_TRUE(saw_zero_first && saw_one_first);
}

// There are 200 shards of 300 samples in 10 classes of 6000, so that no shard has two labels.
TEST(ShardsTest, DevicesKnowAtMostAsManyLabelsAsTheyHaveShards) {
  const Labels labels = LikeMnist();
  const Partition partition = Make(labels, {.method = "shards"});
  std::size_t with_two = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(partition.SamplesOf(i).size(), 600u);
    EXPECT_LE(LabelsOf(partition, labels, i).size(), 2u);
    with_two += LabelsOf(partition, labels, i).size() == 2;
  }
  EXPECT_GT(with_two, 75u);  // 90 are expected, whose second shard has another label
}

// --- client-dirichlet ----------------------------------------------------------------------------

TEST(ClientDirichletTest, ATinyBetaIsOneLabelEachAndAHugeOneIsTheMixOfAll) {
  const Labels labels = MakeLabels({3000, 1000});
  PartitionOptions options = {.method = "client-dirichlet",
                              .devices = 1000,
                              .beta = 1e-9,
                              .samples_per_device = 100,
                              .overlap = true};
  const Partition single = Make(labels, options);
  std::size_t first_label = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(LabelsOf(single, labels, i).size(), 1u);
    first_label += labels.values[single.SamplesOf(i)[0]] == 0;
  }
  EXPECT_NEAR(double(first_label), 750, 4.5 * 13.7);  // sd = sqrt(1000 * 3/4 * 1/4)

  options.beta = 1e6;
  const Partition mixed = Make(labels, options);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_NEAR(double(CountLabels(mixed.SamplesOf(i), labels)[0]), 75, 4.5 * 4.4);
  }
}

// The share q of a label has mean p and variance p(1 - p)/(beta + 1), (44); the share among m
// samples has the variance E[q(1 - q)]/m on top.
TEST(ClientDirichletTest, SharesVaryAsADirichletDraw) {
  const Labels labels = LikeMnist();
  constexpr std::size_t kDevices = 5000, kSamples = 100;
  for (const double beta : {0.5, 5.0}) {
    const Partition partition = Make(labels, {.method = "client-dirichlet",
                                              .devices = kDevices,
                                              .beta = beta,
                                              .samples_per_device = kSamples,
                                              .overlap = true});
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < kDevices; ++i) {
      const double share = double(CountLabels(partition.SamplesOf(i), labels)[3]) / kSamples;
      sum += share / kDevices;
      squares += share * share / kDevices;
    }
    const double of_q = 0.09 / (beta + 1);
    const double of_share = of_q + (0.09 - of_q) / kSamples;
    EXPECT_NEAR(sum, 0.1, 4.5 * std::sqrt(of_share / kDevices));
    // The fourth moment of a share is at most 8.6 times the square of its variance (for 0.5).
    EXPECT_NEAR((squares - sum * sum) / of_share, 1, 4.5 * std::sqrt(7.6 / kDevices));
  }
}

TEST(ClientDirichletTest, ClassesThatRunOutAreReplacedByTheRest) {
  const Labels labels = MakeLabels({50, 3, 7});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Partition partition =
        Make(labels, {.method = "client-dirichlet", .devices = 6, .beta = 1e-3, .seed = seed});
    EXPECT_EQ(Sorted(partition.samples).size(), 60u);
    for (const std::size_t size : SizesOf(partition)) EXPECT_EQ(size, 10u);
  }
}

TEST(ClientDirichletTest, OverlapServesFleetsLargerThanTheData) {
  const Labels labels = MakeLabels({6, 4});
  const Partition partition = Make(
      labels,
      {.method = "client-dirichlet", .devices = 1000, .samples_per_device = 20, .overlap = true});
  EXPECT_EQ(partition.samples.size(), 20000u);
  std::vector<std::size_t> uses(10);
  for (const std::uint32_t sample : partition.samples) ++uses.at(sample);
  // Each sample is used about 2000 times; the samples of a device are alike, so the sd is that of
  // 1000 devices.
  for (const std::size_t count : uses) EXPECT_NEAR(double(count), 2000, 500);
}

// --- Summary -------------------------------------------------------------------------------------

TEST(PartitionSummaryTest, ByHand) {
  const Labels labels{{0, 0, 1, 2}, 3};
  const Partition partition{{0, 1, 2, 3}, {0, 3, 4, 4}};
  const PartitionSummary summary = SummarizePartition(partition, labels);
  EXPECT_EQ(summary.smallest, 0u);
  EXPECT_EQ(summary.largest, 3u);
  EXPECT_DOUBLE_EQ(summary.mean, 4.0 / 3);
  EXPECT_DOUBLE_EQ(summary.mean_missing_labels, (1 + 2 + 3) / 3.0);
  EXPECT_EQ(CountLabels(partition.SamplesOf(0), labels), (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(SummarizePartition(Partition(), labels).mean, 0);
}

TEST(PartitionTest, EntriesAreNamedOnce) {
  std::set<std::string_view> names;
  for (const PartitionEntry& entry : Partitions()) names.insert(entry.name);
  EXPECT_EQ(names,
            (std::set<std::string_view>{"client-dirichlet", "dirichlet", "file", "iid", "shards"}));
}

TEST(EvenCutTest, ByHand) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i <= 4; ++i) cuts.push_back(data::EvenCut(10, 4, i));
  EXPECT_EQ(cuts, (std::vector<std::size_t>{0, 3, 6, 8, 10}));
}

// By (39), equal logarithms are equal shares; what is far below the largest vanishes without harm.
TEST(NormalizeLogsTest, ByHand) {
  std::vector<double> logs = {-1e12, -1e12, -2e12};
  data::NormalizeLogs(logs);
  EXPECT_EQ(logs, (std::vector<double>{0.5, 0.5, 0}));
}

}  // namespace
}  // namespace airlot
