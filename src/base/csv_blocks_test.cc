// Blocks give the rows, lines and errors that CsvReader gives, for any number of threads.
#include "base/csv_blocks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/csv.h"
#include "base/mutations_for_tests.h"

namespace airlot::base {
namespace {

// A Table is all that a reader says of a file.
struct Table {
  std::vector<std::string> rows;  // "line: field|field"
  std::string error;
  bool operator==(const Table&) const = default;
};

std::string Joined(std::uint64_t line, std::span<const std::string_view> fields) {
  std::string row = std::to_string(line) + ":";
  for (const std::string_view field : fields) (row += field) += '|';
  return row;
}

class CsvBlocksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "csv_blocks_" + std::to_string(::getpid()) + ".csv";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

  Table ByReader() {
    Table table;
    auto csv = CsvReader::Open(path_);
    if (!csv) return {{}, csv.error().message};
    while (true) {
      const auto more = csv->Next();
      if (!more) {
        table.error = more.error().message;
        return table;
      }
      if (!*more) return table;
      table.rows.push_back(Joined(csv->line(), csv->fields()));
    }
  }

  // How many rows are read before an error depends on the threads.
  Table ByBlocks(int threads) {
    auto csv = CsvBlocks::Open(path_);
    if (!csv) return {{}, csv.error().message};
    std::mutex mutex;
    std::map<std::size_t, std::string> rows;
    std::size_t begun = 0;
    const auto status = csv->ForEach(
        threads,
        [&](const CsvBlock& block) -> Status {
          EXPECT_EQ(block.first_row(), begun);
          begun += block.rows();
          std::size_t of_runs = 0;
          for (const auto& run : block.runs()) of_runs += run.rows;
          EXPECT_EQ(of_runs, block.rows());
          return {};
        },
        [&](CsvBlock& block) -> Status {
          while (true) {
            const auto more = block.Next();
            if (!more) return more.error();
            if (!*more) return {};
            const std::string where = block.Where();
            const std::lock_guard lock(mutex);
            rows[block.row()] =
                Joined(std::stoull(where.substr(where.rfind(':') + 1)), block.fields());
          }
        });
    Table table;
    for (const auto& [row, text] : rows) table.rows.push_back(text);
    if (!status) table.error = status.error().message;
    return table;
  }

  void ExpectTheSame() {
    const Table expected = ByReader();
    for (const int threads : {1, 2, 3}) {
      const Table found = ByBlocks(threads);
      EXPECT_EQ(found.error, expected.error) << threads;
      if (expected.error.empty()) {
        EXPECT_EQ(found.rows, expected.rows) << threads;
      }
    }
  }

  std::string path_;
};

// Returns more text than a block holds.
std::string ManyRows() {
  std::string text = "id,x\n";
  for (int i = 0; i < 60000; ++i) {
    text += "device-" + std::to_string(i) + ", \"" + std::to_string(i % 7) + "\" \n";
    if (i % 9999 == 0) text += i % 2 == 0 ? "\n" : " \r\n";
  }
  return text;
}

TEST_F(CsvBlocksTest, SmallFiles) {
  for (const std::string text :
       {"a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4",
        "\xEF\xBB\xBF"
        "a\n\n\n1\n\n2\r\n",
        "\n\na\n", "a", "", "\n", "a,b\n1\n", "a\n\"1\n", "a\n\"1\"x\n", "a\n1,2\n"}) {
    Write(text);
    ExpectTheSame();
  }
}

TEST_F(CsvBlocksTest, ManyBlocks) {
  Write(ManyRows());
  EXPECT_EQ(ByBlocks(2).rows.size(), 60000u);
  ExpectTheSame();
}

// The first of several errors is named, whichever thread comes to it first.
TEST_F(CsvBlocksTest, NamesTheFirstOfSeveralErrors) {
  std::string text = ManyRows();
  for (const double place : {0.9, 0.6, 0.3}) {
    const std::size_t at = text.find('\n', static_cast<std::size_t>(place * double(text.size())));
    text.insert(at, ",too many");
  }
  Write(text);
  EXPECT_NE(ByReader().error.find("3 fields, but the header has 2"), std::string::npos);
  ExpectTheSame();
}

TEST_F(CsvBlocksTest, LongLinesAndBlankOnes) {
  for (const std::size_t size : {kLongestCsvLine - 1, kLongestCsvLine, kLongestCsvLine + 1,
                                 kLongestCsvLine + 2, 3 * kLongestCsvLine}) {
    for (const std::string end : {"", "\n", "\r\n", "\n1\n"}) {
      for (const char c : {'x', ' '}) {
        Write("a\n1\n" + std::string(size, c) + end);
        ExpectTheSame();
      }
    }
    Write("a\n1\n" + std::string(size, '\n') + "1\n");
    ExpectTheSame();
    Write(std::string(size, 'x') + "\n1\n");
    ExpectTheSame();
  }
}

TEST_F(CsvBlocksTest, MutationsAreReadOrRefusedAlike) {
  const std::string text = "id,x\nkitchen,1\n\n\"hall, upper\",\"2\"\r\nroof, 3\n";
  path_ = FolderInMemory() + "/csv_blocks_" + std::to_string(::getpid());
  ForEachMutation(text, 2000, [&](const std::string& mutation) {
    Write(mutation);
    ExpectTheSame();
  });
}

TEST_F(CsvBlocksTest, ReadsAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text = ManyRows();
  std::jthread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written =
          ::write(ends[1], text.data() + at, std::min<std::size_t>(777, text.size() - at));
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    ::close(ends[1]);
  });
  path_ = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(ByBlocks(2).rows.size(), 60000u);
  ::close(ends[0]);
  path_ = ::testing::TempDir() + "none";
}

}  // namespace
}  // namespace airlot::base
