// A partition file is followed to the letter, or refused with a message that names the line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "airlot/partition.h"
#include "base/mutations_for_tests.h"
#include "data/scratch_folder_for_tests.h"

namespace airlot::data {
namespace {

class FilePartitionTest : public ScratchFolder {
 protected:
  Result<Partition> Make(const std::string& text, const DeviceNames& names = {}) const {
    const Labels labels{.values = {0, 1, 0, 1, 2}, .classes = 3, .height = 1, .width = 1};
    return MakePartition(labels, {.method = "file", .devices = 3, .file = Write("who.csv", text)},
                         names);
  }
  std::string ErrorOf(const std::string& text, const DeviceNames& names = {}) const {
    const auto partition = Make(text, names);
    if (partition) return "none";
    std::string message = partition.error().message;
    if (message.starts_with(Path(""))) message.erase(0, Path("").size());
    return message;
  }
};

std::string_view NameOf(std::size_t device, std::string& /*buffer*/) {
  static const std::vector<std::string> kNames{"roof", "gate", "7"};
  return kNames[device];
}

TEST_F(FilePartitionTest, RowNumbersCountFromOneAndSamplesFromZero) {
  const auto partition = Make("sample,device\n4,1\n0,3\n2,1\n3,3\n");
  ASSERT_TRUE(partition) << partition.error().message;
  EXPECT_EQ(partition->samples, (std::vector<std::uint32_t>{4, 2, 0, 3}));
  EXPECT_EQ(partition->begin, (std::vector<std::size_t>{0, 2, 2, 4}));
  const Labels labels{.values = {0, 1, 0, 1, 2}, .classes = 3};
  EXPECT_EQ(SummarizePartition(*partition, labels).unused, 1u);
  EXPECT_EQ(SummarizePartition(*partition, labels).smallest, 0u);
}

TEST_F(FilePartitionTest, IdsOfTheFleet) {
  const auto partition = Make("device,sample\ngate,1\n7,0\nroof,2\n", NameOf);
  ASSERT_TRUE(partition) << partition.error().message;
  EXPECT_EQ(partition->samples, (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_EQ(ErrorOf("sample,device\n0,1\n", NameOf),
            "who.csv:2: device = \"1\": must be the id of a device of the fleet");
  const auto same = [](std::size_t, std::string&) { return std::string_view("a"); };
  EXPECT_EQ(
      ErrorOf("sample,device\n0,a\n", same),
      "two devices of the fleet are called \"a\": data.partition_file cannot tell them apart");
}

TEST_F(FilePartitionTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("sample,who\n0,1\n"),
            "who.csv:1: has the columns \"sample\", \"who\": must be sample and device");
  EXPECT_EQ(ErrorOf("sample,device,x\n0,1,2\n"),
            "who.csv:1: has the columns \"sample\", \"device\", \"x\": must be sample and device");
  EXPECT_EQ(ErrorOf("sample,sample\n0,1\n"),
            "who.csv:1: has the columns \"sample\", \"sample\": must be sample and device");
  EXPECT_EQ(ErrorOf("sample,device\n"), "who.csv: gives nobody a sample");
  for (const std::string bad : {"5", "-1", "0.5", "x", "", "nan", "1e300"}) {
    EXPECT_EQ(ErrorOf("sample,device\n0,1\n" + bad + ",1\n"),
              "who.csv:3: sample = \"" + bad +
                  "\": must be a whole number from 0 to 4, a sample to train with");
  }
  for (const std::string bad : {"0", "4", "1.5", "x", "", "inf"}) {
    EXPECT_EQ(
        ErrorOf("sample,device\n0," + bad + "\n"),
        "who.csv:2: device = \"" + bad + "\": must be the row number of a device, from 1 to 3");
  }
  EXPECT_EQ(ErrorOf("sample,device\n0,1\n1,1\n0,2\n"),
            "who.csv:4: sample = 0: is there for the second time");
  EXPECT_EQ(MakePartition({.values = {0, 1}, .classes = 2}, {.method = "file", .devices = 1})
                .error()
                .message,
            "data.partition = \"file\": needs data.partition_file");
  EXPECT_EQ(
      MakePartition({.values = {0, 1}, .classes = 2}, {.method = "iid", .devices = 1, .file = "x"})
          .error()
          .message,
      "data.partition_file = \"x\": needs data.partition = \"file\"");
}

TEST_F(FilePartitionTest, TargetsAreNotSplitByLabel) {
  const Labels targets{.values = {0, 0, 0, 0}, .classes = 0, .height = 1, .width = 1};
  for (const std::string method : {"dirichlet", "client-dirichlet", "shards"}) {
    EXPECT_EQ(MakePartition(targets, {.method = method, .devices = 2, .minimum_samples = 1})
                  .error()
                  .message,
              "data.partition = \"" + method +
                  "\": splits by label, but this data set has numbers to predict: use \"iid\", or "
                  "\"file\" with data.partition_file");
  }
  const auto shared = MakePartition(targets, {.method = "iid", .devices = 2});
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_EQ(shared->SamplesOf(1).size(), 2u);
  EXPECT_TRUE(CountLabels(shared->SamplesOf(0), targets).empty());
  EXPECT_EQ(SummarizePartition(*shared, targets).mean_missing_labels, 0);
  const auto given = MakePartition(
      targets, {.method = "file", .devices = 2, .file = Write("who.csv", "sample,device\n3,2\n")});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->samples, (std::vector<std::uint32_t>{3}));
}

TEST_F(FilePartitionTest, MutationsAreReadOrRefused) {
  folder_ = base::FolderInMemory() + "/airlot_partition_" + std::to_string(getpid());
  std::filesystem::create_directories(folder_);
  std::size_t read = 0, refused = 0;
  base::ForEachMutation("sample,device\n4,1\n0,3\n2,1\n3,3\n", 2000, [&](const std::string& text) {
    const auto partition = Make(text);
    if (!partition) {
      ++refused;
      ASSERT_TRUE(partition.error().message.starts_with(Path("who.csv")))
          << partition.error().message;
      return;
    }
    ++read;
    std::vector<bool> seen(5);
    for (const std::uint32_t sample : partition->samples) {
      ASSERT_LT(sample, 5u);
      ASSERT_FALSE(seen[sample]);
      seen[sample] = true;
    }
    ASSERT_EQ(partition->devices(), 3u);
  });
  EXPECT_GT(read, 50u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace airlot::data
