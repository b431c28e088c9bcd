// What the members of a team read of a file is what one process reads of it.
#include "base/csv_parts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "base/shards.h"
#include "base/team_for_tests.h"

namespace airlot::base {
namespace {

class CsvPartsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "csv_parts_" + std::to_string(::getpid()) + ".csv";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

  // Returns "place: first field" of every row, or the error.
  static std::vector<std::string> RowsOf(Result<CsvBlocks> csv, std::size_t first_row) {
    if (!csv) return {csv.error().message};
    std::vector<std::string> rows;
    const auto status = csv->ForEach(
        1, [](const CsvBlock&) { return Status(); },
        [&](CsvBlock& block) -> Status {
          for (auto more = block.Next(); !more || *more; more = block.Next()) {
            if (!more) return more.error();
            rows.push_back(block.Where() + " " + std::to_string(first_row + block.row()) + ": " +
                           std::string(block.fields()[0]));
          }
          return {};
        });
    if (!status) rows.push_back(status.error().message);
    return rows;
  }

  // Compares what teams of several sizes read with what one process reads.
  void ExpectTheSameRows(std::size_t wanted_rows) {
    const std::vector<std::string> alone = RowsOf(CsvBlocks::Open(path_), 0);
    ASSERT_EQ(alone.size(), wanted_rows);
    for (const std::size_t members : {1, 2, 3, 4, 7}) {
      std::vector<std::vector<std::string>> of_members(members);
      ForEachMember(members, [&](Team& team) {
        const auto divided = DivideCsv(path_, team);
        ASSERT_TRUE(divided) << divided.error().message;
        EXPECT_EQ(divided->all_rows, wanted_rows);
        EXPECT_EQ(divided->rows.first % kShardSize,
                  divided->rows.count > 0 ? 0 : divided->all_rows % kShardSize);
        auto rows = RowsOf(CsvBlocks::OpenPart(path_, divided->part), divided->rows.first);
        EXPECT_EQ(rows.size(), divided->rows.count);
        of_members[team.rank()] = std::move(rows);
      });
      std::vector<std::string> together;
      for (const auto& rows : of_members) together.insert(together.end(), rows.begin(), rows.end());
      EXPECT_TRUE(together == alone) << members << " members";
    }
  }

  std::string path_;
};

TEST_F(CsvPartsTest, RowsOfAllLengthsWithBlankLinesBetweenThem) {
  std::string text = "\xEF\xBB\xBF \n\n id , x\r\n \n";
  const std::size_t rows = 3 * kShardSize + 5;
  for (std::size_t i = 0; i < rows; ++i) {
    text += std::to_string(i * 7919) + "," + std::string(i % 11, '1');
    text += i % 3 == 0 ? "\r\n" : "\n";
    if (i % 1000 == 17) text += " \t\r\n\n";
    if (i % kShardSize == 0) text += "\r\n \n";  // Before and behind the place of a cut.
    if ((i + 1) % kShardSize == 0) text += "\n\t\n";
  }
  Write(text);
  ExpectTheSameRows(rows);
  text.pop_back();
  Write(text + "\r\n,\"a, quoted one\"");
  ExpectTheSameRows(rows + 1);
}

TEST_F(CsvPartsTest, ALineThatIsLongerThanAPart) {
  Write("a,b\n" + std::string(3'000'000, ' ') + "x,1\n2,2\n");
  ForEachMember(4, [&](Team& team) {
    const auto divided = DivideCsv(path_, team);
    ASSERT_TRUE(divided);
    EXPECT_EQ(divided->all_rows, 2u);
    EXPECT_EQ(divided->rows.count, team.rank() == 0 ? 2u : 0u);
    const auto rows = RowsOf(CsvBlocks::OpenPart(path_, divided->part), 0);
    if (team.rank() == 0) {
      EXPECT_EQ(rows, (std::vector{path_ + ":2: line is longer than " +
                                   std::to_string(kLongestCsvLine) + " bytes"}));
    }
  });
}

TEST_F(CsvPartsTest, MoreMembersThanShards) {
  Write("a\n1\n2\n3\n");
  ExpectTheSameRows(3);
  Write("a\n");
  ExpectTheSameRows(0);
}

TEST_F(CsvPartsTest, AFileThatIsNotThereIsAnErrorOfAll) {
  ForEachMember(3, [&](Team& team) {
    const auto divided = DivideCsv(path_, team);
    ASSERT_FALSE(divided);
    EXPECT_EQ(divided.error().message, path_ + ": cannot open: No such file or directory");
  });
}

TEST(RowsOfMember, AreWholeShards) {
  const std::size_t rows = 5 * kShardSize + 1;
  std::size_t next = 0;
  for (std::size_t member = 0; member < 4; ++member) {
    const RowRange range = RowsOfMember(rows, member, 4);
    EXPECT_EQ(range.first, next);
    EXPECT_LE(range.count, 2 * kShardSize);
    next += range.count;
  }
  EXPECT_EQ(next, rows);
  EXPECT_EQ(RowsOfMember(10, 0, 3).count, 10u);
  EXPECT_EQ(RowsOfMember(10, 1, 3).count, 0u);
}

}  // namespace
}  // namespace airlot::base
