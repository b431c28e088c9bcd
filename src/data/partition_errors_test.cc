// These tests pin every message that a wrong partition can give by its full text.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "airlot/partition.h"

namespace airlot {
namespace {

Labels LikeMnist() {
  Labels labels{std::vector<std::uint8_t>(60000), 10};
  for (std::size_t i = 0; i < labels.values.size(); ++i) labels.values[i] = std::uint8_t(i % 10);
  return labels;
}

std::string MessageOf(const PartitionOptions& options, const Labels& labels = LikeMnist()) {
  const auto partition = MakePartition(labels, options);
  return partition.ok() ? "" : partition.error().message;
}

TEST(PartitionErrorTest, Method) {
  EXPECT_EQ(MessageOf({.method = "dirichelt"}),
            "data.partition = \"dirichelt\": did you mean dirichlet?");
  EXPECT_EQ(MessageOf({.method = "x"}),
            "data.partition = \"x\": must be one of dirichlet, client-dirichlet, shards, iid, "
            "file");
}

TEST(PartitionErrorTest, Devices) {
  for (const auto& entry : Partitions()) {
    const std::string method(entry.name);
    if (method == "file") continue;  // Its devices may hold nothing (file_partition_test.cc).
    EXPECT_EQ(MessageOf({.method = method, .devices = 0}), "0 devices: there must be at least 1");
    EXPECT_EQ(MessageOf({.method = method, .devices = 60001}),
              "60001 devices: there must be at most 60000, the number of samples; or let devices "
              "share samples: data.partition = \"client-dirichlet\", data.overlap = true, "
              "data.samples_per_device");
  }
}

TEST(PartitionErrorTest, Beta) {
  EXPECT_EQ(MessageOf({.beta = 0}), "data.beta = 0: must be >= 1e-09");
  EXPECT_EQ(MessageOf({.beta = -1}), "data.beta = -1: must be >= 1e-09");
  EXPECT_EQ(MessageOf({.beta = NAN}), "data.beta = nan: must be >= 1e-09");
  EXPECT_EQ(MessageOf({.beta = 2e6}), "data.beta = 2e+06: must be <= 1e+06");
  EXPECT_EQ(MessageOf({.beta = INFINITY}), "data.beta = inf: must be <= 1e+06");
}

TEST(PartitionErrorTest, Sizes) {
  EXPECT_EQ(MessageOf({.minimum_samples = 700}),
            "data.minimum_samples = 700: must be <= 600 (60000 samples / 100 devices)");
  EXPECT_EQ(MessageOf({.method = "shards", .shards_per_device = 0}),
            "data.shards_per_device = 0: must be >= 1");
  EXPECT_EQ(MessageOf({.method = "shards", .shards_per_device = 601}),
            "data.shards_per_device = 601: must be <= 600 (60000 samples / 100 devices)");
  for (const std::string method : {"iid", "client-dirichlet"}) {
    EXPECT_EQ(MessageOf({.method = method, .samples_per_device = 601}),
              "data.samples_per_device = 601: must be <= 600 (60000 samples / 100 devices)");
    EXPECT_EQ(MessageOf({.method = method, .samples_per_device = 600}), "");
  }
}

TEST(PartitionErrorTest, Overlap) {
  const std::string client = "client-dirichlet";
  EXPECT_EQ(MessageOf({.method = client, .samples_per_device = 700, .overlap = true}), "");
  EXPECT_EQ(MessageOf({.method = client, .devices = 60001, .overlap = true}),
            "data.samples_per_device = 0: must be >= 1 where 60001 devices are more than "
            "the 60000 samples");
  EXPECT_EQ(
      MessageOf(
          {.method = client, .devices = 1000000, .samples_per_device = 1000000, .overlap = true}),
      "data.samples_per_device = 1000000: must be <= 4294 (4294967296 samples / 1000000 "
      "devices)");
  EXPECT_EQ(MessageOf({.method = "iid", .overlap = true}),
            "data.overlap = true: needs data.partition = \"client-dirichlet\"");
  EXPECT_EQ(MessageOf({.method = "shards", .samples_per_device = 5}),
            "data.samples_per_device = 5: needs data.partition = \"client-dirichlet\" or \"iid\"");
}

TEST(PartitionErrorTest, Labels) {
  EXPECT_EQ(MessageOf({}, {{}, 10}), "data.dataset: has no training samples");
  EXPECT_EQ(MessageOf({.devices = 1}, {{0, 1, 2}, 2}),
            "data.dataset: label 2 of sample 2: must be < 2, the number of labels");
}

TEST(PartitionErrorTest, AMinimumThatIsNeverReachedEndsWithWhatToChange) {
  EXPECT_EQ(MessageOf({.beta = 1e-3, .minimum_samples = 100}),
            "data.minimum_samples = 100: none of 1000 draws gave every device that many "
            "(data.beta = 0.001, 100 devices): lower it or take fewer devices, or raise "
            "data.beta");
}

}  // namespace
}  // namespace airlot
