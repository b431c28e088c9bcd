// These tests check what is written to rounds.csv, that it reads back, and that nothing else does.
#include "runs/round_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace airlot::runs {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr char kText[] =
    "round,time_s,energy_j,participants,loss,accuracy,test_loss,mean_participation_s,"
    "empty_batteries,arrived\n"
    "0,0,0,0,,0.1,2.3,,0,\n"
    "1,0.1,0.30000000000000004,2,2.25,,,0.0625,1,2\n"
    "2,0.1,0.30000000000000004,0,,,,,,\n"
    "3,1e+21,2,1,inf,0.5,1.5,1e+21,2,0\n";

class RoundTableTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/airlot_rounds_" + std::to_string(getpid()) + ".csv";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string Written(const std::vector<RoundRecord>& records) const {
    EXPECT_TRUE(WriteRounds(path_, records).ok());
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<std::vector<RoundRecord>> Read(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadRounds(path_);
  }
  std::string ErrorOf(const std::string& text) const {
    const auto read = Read(text);
    return read ? "" : read.error().message.substr(path_.size());
  }
  // Replaces the first `old` in the text by another, and returns what reading says.
  std::string ErrorWith(const std::string& old, const std::string& text) const {
    std::string table = kText;
    return ErrorOf(table.replace(table.find(old), old.size(), text));
  }

  std::string path_;
};

TEST_F(RoundTableTest, WritesEveryField) {
  EXPECT_EQ(Written({{0, 0, 0, 0, kNone, 0.1, 2.3, kNone, 0},
                     {1, 0.1, 0.1 + 0.2, 2, 2.25, kNone, kNone, 0.0625, 1, 2},
                     {2, 0.1, 0.1 + 0.2, 0, kNone, kNone, kNone, kNone, kNone},
                     {3, 1e21, 2, 1, kInfinity, 0.5, 1.5, 1e21, 2, 0}}),
            kText);
}

TEST_F(RoundTableTest, ReadsBackWhatItWrote) {
  const auto records = Read(kText);
  ASSERT_TRUE(records.ok()) << records.error().message;
  ASSERT_EQ(records->size(), 4u);
  EXPECT_FALSE(records->at(0).loss.has_value());
  EXPECT_EQ(records->at(0).accuracy, 0.1);
  EXPECT_EQ(records->at(1).energy_j, 0.1 + 0.2);
  EXPECT_EQ(records->at(1).participants, 2u);
  EXPECT_FALSE(records->at(2).empty_batteries.has_value());
  EXPECT_EQ(records->at(3).loss, kInfinity);
  EXPECT_EQ(Written(*records), kText);
}

TEST_F(RoundTableTest, ReadsFilesOfEarlierVersions) {
  const auto records = Read(
      "round,time_s,energy_j,participants,loss,accuracy,test_loss\n"
      "0,0,0,0,,0.1,2.3\n"
      "1,0.1,0.3,3,2.25,,\n");
  ASSERT_TRUE(records.ok()) << records.error().message;
  EXPECT_EQ(records->at(0).test_loss, 2.3);
  EXPECT_FALSE(records->at(1).mean_participation_s.has_value());
  EXPECT_FALSE(records->at(1).empty_batteries.has_value());
}

TEST_F(RoundTableTest, NamesLineColumnValueAndBound) {
  EXPECT_EQ(ErrorWith("\n1,0.1", "\n7,0.1"), ":3: round = 7: must be 1");
  EXPECT_EQ(ErrorWith("1,0.1", "1,x"), ":3: time_s = \"x\": must be a finite number >= 0");
  EXPECT_EQ(ErrorWith("1e+21", "inf"), ":5: time_s = \"inf\": must be a finite number >= 0");
  EXPECT_EQ(ErrorWith("2,0.1", "2,0.05"), ":4: time_s = 0.05: must be >= 0.1");
  EXPECT_EQ(ErrorWith("1e+21,2", "1e+21,0.1"),
            ":5: energy_j = 0.1: must be >= 0.30000000000000004");
  EXPECT_EQ(ErrorWith("4,2,2.25", "4,-2,2.25"),
            ":3: participants = \"-2\": must be a whole number from 0 to 4294967295");
  EXPECT_EQ(ErrorWith("2.25", "nan"), ":3: loss = \"nan\": must be a number, or empty");
  EXPECT_EQ(ErrorWith("0.5,1.5", "1.5,1.5"),
            ":5: accuracy = \"1.5\": must be a number from -inf to 1, or empty");
  EXPECT_EQ(ErrorWith("2.25,,", "2.25,"), ":3: 9 fields, but the header has 10");
  EXPECT_EQ(ErrorWith("loss", "cost").substr(0, 28), ":1: the header must be round");
}

TEST_F(RoundTableTest, NoticesWhatIsCutOff) {
  const std::string table = kText;
  EXPECT_EQ(ErrorOf(table.substr(0, table.size() - 2)), ": the last line is cut off");
  EXPECT_EQ(ErrorOf(""), ": is empty: a header line is needed");
}

}  // namespace
}  // namespace airlot::runs
