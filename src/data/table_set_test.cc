// Tables are read as data sets, or refused with a message that names the file and the line.
#include "data/table_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/mutations_for_tests.h"
#include "data/scratch_folder_for_tests.h"

namespace airlot::data {
namespace {

class TableSetTest : public ScratchFolder {
 protected:
  std::string WriteTables(const std::string& train, const std::string& test) const {
    Write("set/train.csv", train);
    Write("set/test.csv", test);
    return Path("set");
  }
  std::string ErrorOf(const std::string& train, const std::string& test) const {
    const auto set = ReadDataset(WriteTables(train, test));
    if (set) return "none";
    std::string message = set.error().message;
    return message.replace(0, Path("set/").size(), "");
  }
};

TEST_F(TableSetTest, Classes) {
  const auto set =
      ReadDataset(WriteTables("a,label,b\n1,0,2\n3,2,-4.5e1\n", "a,label,b\n5,1.0,6\n"));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->train.values, (std::vector<float>{1, 2, 3, -45}));
  EXPECT_EQ(set->train.labels, (std::vector<std::uint8_t>{0, 2}));
  EXPECT_EQ(set->test.values, (std::vector<float>{5, 6}));
  EXPECT_EQ(set->test.labels, (std::vector<std::uint8_t>{1}));
  EXPECT_EQ(set->train.classes, 3);
  EXPECT_EQ(set->train.height, 1);
  EXPECT_EQ(set->train.width, 2);
  const auto labels = ReadTrainingLabels(Path("set"));
  ASSERT_TRUE(labels) << labels.error().message;
  EXPECT_EQ(labels->values, set->train.labels);
  EXPECT_EQ(labels->classes, 3);
  EXPECT_EQ(labels->width, 2);
}

TEST_F(TableSetTest, Targets) {
  const auto set = ReadDataset(WriteTables("a,target\n1,0.5\n2,-7\n", "a,target\n3,9\n"));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->train.targets, (std::vector<float>{0.5F, -7}));
  EXPECT_EQ(set->train.classes, 0);
  EXPECT_TRUE(set->train.labels.empty());
  EXPECT_EQ(ReadTrainingLabels(Path("set"))->values, (std::vector<std::uint8_t>{0, 0}));
}

TEST_F(TableSetTest, SaysWhatIsWrong) {
  const std::string good = "a,label\n1,0\n";
  EXPECT_EQ(
      ErrorOf("a,b\n1,2\n", good),
      "train.csv: has no column \"label\" (of classes) or \"target\" (of numbers to predict); "
      "its last column is \"b\"");
  EXPECT_EQ(ErrorOf("label,target\n1,2\n", good),
            "train.csv: has 2 columns \"label\" or \"target\": must have one");
  EXPECT_EQ(ErrorOf("label\n1\n", good), "train.csv: has no column of features");
  EXPECT_EQ(ErrorOf("a,label\n", good), "train.csv: has no rows");
  EXPECT_EQ(ErrorOf(good, "a,label\n"), "test.csv: has no rows");
  EXPECT_EQ(ErrorOf("a,label\n1,0\n2,256\n", good),
            "train.csv:3: label = \"256\": must be a whole number from 0 to 255");
  EXPECT_EQ(ErrorOf("a,label\n1,setosa\n", good),
            "train.csv:2: label = \"setosa\": must be a whole number from 0 to 255");
  EXPECT_EQ(ErrorOf("a,label\n1,1.5\n", good),
            "train.csv:2: label = \"1.5\": must be a whole number from 0 to 255");
  for (const std::string bad : {"", "x", "nan", "-inf", "1e39"}) {
    EXPECT_EQ(ErrorOf("a,label\n\n" + bad + ",0\n", good),
              "train.csv:3: \"a\" = \"" + bad + "\": must be a finite number, at most 3.4e38");
    EXPECT_EQ(ErrorOf("a,target\n1," + bad + "\n", good).substr(0, 15), "test.csv: colum");
    EXPECT_EQ(ErrorOf("a,target\n1," + bad + "\n", "a,target\n1,1\n"),
              "train.csv:2: \"target\" = \"" + bad + "\": must be a finite number, at most 3.4e38");
  }
  EXPECT_EQ(ErrorOf(good, "a,b,label\n1,2,0\n"),
            "test.csv: has 3 columns, expected 2, as train.csv has");
  EXPECT_EQ(ErrorOf(good, "label,a\n1,2\n"),
            "test.csv: column 1 is \"label\", expected \"a\", as train.csv has");
  EXPECT_EQ(ErrorOf("a,label\n1\n", good).substr(0, 11), "train.csv:2");
  std::filesystem::remove(Path("set/test.csv"));
  EXPECT_EQ(ReadDataset(Path("set")).error().message,
            Path("set/test.csv") + ": cannot open: No such file or directory");
}

TEST_F(TableSetTest, AFolderHasOneKindOfFiles) {
  WriteTables("a,label\n1,0\n", "a,label\n1,0\n");
  Write("set/y_test.npy", "");
  EXPECT_EQ(
      ReadDataset(Path("set")).error().message,
      Path("set") + ": has both y_test.npy and train.csv: keep files of one data set in a folder");
  Write("empty/readme", "");
  EXPECT_EQ(ReadTrainingLabels(Path("empty")).error().message,
            Path("empty") +
                ": has no data set: no train-images-idx3-ubyte (IDX files), no x_train.npy (NumPy "
                "files), no train.csv");
}

TEST_F(TableSetTest, MutationsAreReadOrRefused) {
  folder_ = base::FolderInMemory() + "/airlot_tables_" + std::to_string(getpid());
  std::filesystem::create_directories(folder_);
  const std::string good = "a,label,b\n1,0,2\n3,2,-4.5e1\n\"7\",1,0\n";
  std::size_t read = 0, refused = 0;
  base::ForEachMutation(good, 2000, [&](const std::string& bytes) {
    const auto set = ReadDataset(WriteTables(bytes, good));
    if (!set) {
      ++refused;
      ASSERT_TRUE(set.error().message.starts_with(Path("set/t"))) << set.error().message;
      return;
    }
    ++read;
    ASSERT_EQ(set->train.values.size(), set->train.size() * 2);
    ASSERT_EQ(ReadTrainingLabels(Path("set"))->values, set->train.labels);
  });
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace airlot::data
