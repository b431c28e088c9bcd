#include "base/csv.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace airlot::base {
namespace {

namespace fs = std::filesystem;
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

// Contents are what a file holds: all rows, the header first, up to the first error.
struct Contents {
  Rows rows;
  std::string error;
};

Contents ReadRows(const std::string& path) {
  Contents contents;
  Result<CsvReader> reader = CsvReader::Open(path);
  if (!reader) return {{}, reader.error().message};
  contents.rows.emplace_back(reader->header().begin(), reader->header().end());
  while (true) {
    const Result<bool> more = reader->Next();
    if (!more) contents.error = more.error().message;
    if (!more || !*more) return contents;
    contents.rows.emplace_back(reader->fields().begin(), reader->fields().end());
  }
}

// Returns the descriptor that the next file to be opened will get.
int LowestFreeDescriptor() {
  const int descriptor = ::open("/dev/null", O_RDONLY);
  ::close(descriptor);
  return descriptor;
}

// The Pipe is open, as a shell hands it over for <(command).
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { ::close(ends_[0]); }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void Send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::write(ends_[1], text.data(), text.size());
      ASSERT_GT(sent, 0);
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void EndSending() const { ::close(ends_[1]); }

 private:
  int ends_[2] = {-1, -1};
};

class CsvTest : public ::testing::Test {
 protected:
  CsvTest() : folder_(::testing::TempDir() + "/csv_XXXXXX") {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/fleet.csv";
  }
  ~CsvTest() override { fs::remove_all(folder_); }

  void Write(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }
  Rows RowsOf(std::string_view text) const {
    Write(text);
    const Contents contents = ReadRows(path_);
    EXPECT_EQ(contents.error, "");
    return contents.rows;
  }
  // Returns the error without the folder: "fleet.csv:3: ...".
  std::string ErrorOf(std::string_view text) const {
    Write(text);
    return WithoutFolder(ReadRows(path_).error);
  }
  std::string WithoutFolder(const std::string& message) const {
    return message.starts_with(folder_) ? message.substr(folder_.size() + 1) : message;
  }

  std::string folder_, path_;
};

TEST_F(CsvTest, SplitsRows) {
  EXPECT_EQ(RowsOf("id,x_m\na,1\nb,2.5\n"), (Rows{{"id", "x_m"}, {"a", "1"}, {"b", "2.5"}}));
}

TEST_F(CsvTest, MayHaveNoRows) {
  EXPECT_EQ(RowsOf("id,x_m\n"), (Rows{{"id", "x_m"}}));
  EXPECT_EQ(RowsOf("id"), (Rows{{"id"}}));
}

TEST_F(CsvTest, KeepsEmptyFields) {
  EXPECT_EQ(RowsOf("a,b,c\n,,\n1,,\n,2,\n,,3\n"),
            (Rows{{"a", "b", "c"}, {"", "", ""}, {"1", "", ""}, {"", "2", ""}, {"", "", "3"}}));
}

TEST_F(CsvTest, TakesCrLfAMarkAndAnUnfinishedLastLine) {
  EXPECT_EQ(RowsOf("\xEF\xBB\xBFid,x_m\r\na,1\r\nb,2"),
            (Rows{{"id", "x_m"}, {"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(RowsOf("id,x_m\r\nb,2\r"), (Rows{{"id", "x_m"}, {"b", "2"}}));
  EXPECT_EQ(RowsOf("\xEF\xBB\xBF\"id\"\n1"), (Rows{{"id"}, {"1"}}));
}

TEST_F(CsvTest, TakesTheMarkOnlyAtTheBeginning) {
  EXPECT_EQ(RowsOf("id\n\xEF\xBB\xBF"), (Rows{{"id"}, {"\xEF\xBB\xBF"}}));
}

TEST_F(CsvTest, DropsSpaceAroundFields) {
  EXPECT_EQ(RowsOf(" id ,\tx_m\n  a b\t, 1 \n\t, \n"),
            (Rows{{"id", "x_m"}, {"a b", "1"}, {"", ""}}));
}

TEST_F(CsvTest, SkipsBlankLines) {
  EXPECT_EQ(RowsOf("\n\r\nid,x_m\n\n \t\r\na,1\n\n\n"), (Rows{{"id", "x_m"}, {"a", "1"}}));
}

TEST_F(CsvTest, TakesQuotedFields) {
  EXPECT_EQ(RowsOf("\"id\",x_m\n\"a,b\",1\n\" c \" , \"2\"\t\n\"\",\"\"\n"),
            (Rows{{"id", "x_m"}, {"a,b", "1"}, {" c ", "2"}, {"", ""}}));
}

TEST_F(CsvTest, TakesDoubledQuotes) {
  EXPECT_EQ(RowsOf("a,b\n\"say \"\"hi\"\"\",1\n\"\"\"\",\"\"\"x\"\"\"\n"),
            (Rows{{"a", "b"}, {"say \"hi\"", "1"}, {"\"", "\"x\""}}));
}

TEST_F(CsvTest, TakesAQuoteInsideAnUnquotedFieldAsItIs) {
  EXPECT_EQ(RowsOf("a,b\n5\" disk,\"x\"\n"), (Rows{{"a", "b"}, {"5\" disk", "x"}}));
}

TEST_F(CsvTest, ReportsQuotesThatDoNotFit) {
  EXPECT_EQ(ErrorOf("a,b\n1,2\n\n\n\"x,2\n"), "fleet.csv:5: a quote is not closed");
  EXPECT_EQ(ErrorOf("a,b\n1,\"\"\"\n"), "fleet.csv:2: a quote is not closed");
  EXPECT_EQ(ErrorOf("a,b\n1,\""), "fleet.csv:2: a quote is not closed");
  EXPECT_EQ(ErrorOf("a,b\n\"x\"y,2\n"), "fleet.csv:2: there is text after a closing quote");
  EXPECT_EQ(ErrorOf("a,b\n1,\"x\" \"y\"\n"), "fleet.csv:2: there is text after a closing quote");
  EXPECT_EQ(ErrorOf("a,\"b\n"), "fleet.csv:1: a quote is not closed");
}

TEST_F(CsvTest, ReportsAWrongNumberOfFields) {
  EXPECT_EQ(ErrorOf("a,b,c\n1,2,3\n\n1,2,3,4\n"), "fleet.csv:4: 4 fields, but the header has 3");
  EXPECT_EQ(ErrorOf("a,b,c\r\n1,2\r\n"), "fleet.csv:2: 2 fields, but the header has 3");
  EXPECT_EQ(ErrorOf("a,b,c\n1"), "fleet.csv:2: 1 field, but the header has 3");
  EXPECT_EQ(ErrorOf("a,b\n\"1,2\"\n"), "fleet.csv:2: 1 field, but the header has 2");
}

TEST_F(CsvTest, ReportsWhatIsNotText) {
  EXPECT_EQ(ErrorOf(std::string("a,b\n1,2\n1,\0\n", 12)),
            "fleet.csv:3: contains a NUL byte: it is not a text file");
  EXPECT_EQ(ErrorOf(std::string("a\0,b\0\n", 6)),
            "fleet.csv:1: contains a NUL byte: it is not a text file");
}

TEST_F(CsvTest, ReportsAnEmptyFile) {
  for (const char* text : {"", "\n", "\r\n \t\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\r\n\n"}) {
    EXPECT_EQ(ErrorOf(text), "fleet.csv: is empty: a header line is needed");
  }
}

TEST_F(CsvTest, ReportsWhatCannotBeOpened) {
  EXPECT_EQ(WithoutFolder(ReadRows(path_).error),
            "fleet.csv: cannot open: No such file or directory");
  Write("");
  EXPECT_EQ(WithoutFolder(ReadRows(path_ + "/x").error),
            "fleet.csv/x: cannot open: Not a directory");
  EXPECT_EQ(ReadRows(folder_).error, folder_ + ": is a directory, not a file");
}

TEST_F(CsvTest, TakesTheLongestLine) {
  const std::string longest(CsvReader::kLongestLine - 2, 'x');
  for (const char* end : {"", "\n", "\r\n", "\r\n2,y\r\n"}) {
    const Rows rows = RowsOf("a,b\n1," + longest + end);
    ASSERT_GE(rows.size(), 2U);
    EXPECT_TRUE(rows[1] == (Row{"1", longest}));
  }
}

TEST_F(CsvTest, TakesTheLongestLineWhoseEndArrivesInTwoParts) {
  Pipe pipe;
  const std::string longest(CsvReader::kLongestLine, 'x');
  std::jthread writer([&] {
    pipe.Send("id\n" + longest + "\r");
    ::usleep(20000);
    pipe.Send("\n1,2\n");
    pipe.EndSending();
  });
  const Contents contents = ReadRows(pipe.path());
  EXPECT_TRUE(contents.rows == (Rows{{"id"}, {longest}}));
  EXPECT_EQ(contents.error, pipe.path() + ":3: 2 fields, but the header has 1");
}

TEST_F(CsvTest, ReportsALineOneByteLonger) {
  const std::string too_long(CsvReader::kLongestLine - 1, 'x');
  for (const char* end : {"", "\n", "\r\n", "\r\n2,y\r\n", "yyyyyyy\n"}) {
    EXPECT_EQ(ErrorOf("a,b\n\n1," + too_long + end),
              "fleet.csv:3: line is longer than 1048576 bytes");
  }
}

TEST_F(CsvTest, GivesUpEarlyOnAnEndlessLine) {
  Write("a,b\n");
  fs::resize_file(path_, std::uintmax_t{1} << 30);  // a hole, so nothing is stored
  const int descriptor = LowestFreeDescriptor();
  Result<CsvReader> reader = CsvReader::Open(path_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->file_size(), std::uint64_t{1} << 30);
  const Result<bool> more = reader->Next();
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(WithoutFolder(more.error().message), "fleet.csv:2: line is longer than 1048576 bytes");
  const off_t read_so_far = ::lseek(descriptor, 0, SEEK_CUR);
  EXPECT_GT(read_so_far, 1 << 20);
  EXPECT_LT(read_so_far, 1 << 21);
}

TEST_F(CsvTest, GivesUpEarlyOnEndlessBlankLines) {
  const std::string blank(CsvReader::kLongestLine, '\n');
  EXPECT_EQ(RowsOf("a\n" + blank + "1\n" + blank), (Rows{{"a"}, {"1"}}));
  EXPECT_EQ(ErrorOf("a\n" + blank + " \n1\n"),
            "fleet.csv:1048578: blank lines of more than 1048576 bytes in a row");
  EXPECT_EQ(ErrorOf(blank + "\na\n"),
            "fleet.csv:1048577: blank lines of more than 1048576 bytes in a row");
}

// The lines have many lengths, so that the end of the buffer falls on every part of a line.
TEST_F(CsvTest, ReadsManyBuffersful) {
  std::string text = "number,filling,quoted\r\n";
  const int count = 40000;
  const auto filling = [](int i) { return std::string(static_cast<std::size_t>(i % 211), 'x'); };
  for (int i = 0; i < count; ++i) {
    text += std::to_string(i) + "," + filling(i) + ",\"\"\"" + std::to_string(i) + "\"\r\n";
  }
  ASSERT_GT(text.size(), 4 * CsvReader::kLongestLine);
  Write(text);
  Result<CsvReader> reader = CsvReader::Open(path_);
  ASSERT_TRUE(reader.ok());
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(*reader->Next());
    const std::string number = std::to_string(i);
    ASSERT_EQ(Row(reader->fields().begin(), reader->fields().end()),
              (Row{number, filling(i), "\"" + number}));
    ASSERT_EQ(reader->Where(), path_ + ":" + std::to_string(i + 2));
  }
  EXPECT_FALSE(*reader->Next());
  EXPECT_FALSE(*reader->Next());
}

TEST_F(CsvTest, TellsHowFarItGot) {
  Write("id,x_m\r\na,1\r\n\nb,2");
  Result<CsvReader> reader = CsvReader::Open(path_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->file_size(), 17U);
  EXPECT_EQ(reader->bytes_read(), 8U);
  EXPECT_EQ(reader->Where(), path_ + ":1");
  ASSERT_TRUE(*reader->Next());
  EXPECT_EQ(reader->bytes_read(), 13U);
  EXPECT_EQ(reader->Where(), path_ + ":2");
  ASSERT_TRUE(*reader->Next());
  EXPECT_EQ(reader->bytes_read(), 17U);
  EXPECT_EQ(reader->Where(), path_ + ":4");
}

TEST_F(CsvTest, CanBeMoved) {
  Write("id,x_m\na,1\nb,2\n");
  Result<CsvReader> first = CsvReader::Open(path_);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(*first->Next());
  CsvReader second = *std::move(first);
  EXPECT_EQ(second.fields()[0], "a");
  ASSERT_TRUE(*second.Next());
  EXPECT_EQ(second.fields()[0], "b");
}

TEST_F(CsvTest, ReadsAPipeThatDeliversBitByBit) {
  Pipe pipe;
  const std::string text = "\xEF\xBB\xBFid,x_m\r\na,\"1\"\"\"\r\nb,2";
  std::jthread writer([&] {
    for (const char c : text) {
      pipe.Send(std::string(1, c));
      ::usleep(100);
    }
    pipe.EndSending();
  });
  Result<CsvReader> reader = CsvReader::Open(pipe.path());
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->file_size(), 0U);
  EXPECT_EQ(reader->header()[0], "id");
  EXPECT_TRUE(*reader->Next());
  EXPECT_EQ(reader->fields()[1], "1\"");
  EXPECT_TRUE(*reader->Next());
  EXPECT_EQ(reader->fields()[1], "2");
  EXPECT_FALSE(*reader->Next());
  EXPECT_EQ(reader->bytes_read(), text.size());
}

// Nobody writes to the pipe, and the device never ends.
TEST_F(CsvTest, RefusesPipesByNameAndDevices) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(WithoutFolder(ReadRows(path_).error), "fleet.csv: is not a regular file");
  EXPECT_EQ(ReadRows("/dev/zero").error, "/dev/zero: is not a regular file");
}

TEST_F(CsvTest, ReportsAFailedFirstRead) {
  // The first page of a process is not mapped, so reading it fails.
  EXPECT_EQ(ReadRows("/proc/self/mem").error, "/proc/self/mem: cannot read: Input/output error");
}

TEST_F(CsvTest, ReportsAFailedLaterRead) {
  std::string text = "id\n";
  while (text.size() < 2 * CsvReader::kLongestLine) text += "some more text\n";
  Write(text);
  const int descriptor = LowestFreeDescriptor();
  Result<CsvReader> reader = CsvReader::Open(path_);
  ASSERT_TRUE(reader.ok());
  // A descriptor that is only for writing takes the place of the reader's.
  const int write_only = ::open("/dev/null", O_WRONLY);
  ASSERT_EQ(::dup2(write_only, descriptor), descriptor);
  ::close(write_only);

  Result<bool> more = true;
  std::size_t rows = 0;
  for (; (more = reader->Next()).ok() && *more; ++rows) EXPECT_EQ(reader->fields()[0].size(), 14U);
  EXPECT_GT(rows, 0U);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(WithoutFolder(more.error().message), "fleet.csv: cannot read: Bad file descriptor");
}

TEST_F(CsvTest, ReadsBackWhatIsAppended) {
  const Row row = {"plain", "a,b", "say \"hi\"", " space", "tab\t", "\"", "", "a b"};
  std::string text = "1,2,3,4,5,6,7,8\n";
  for (const std::string& field : row) {
    AppendCsvField(text, field);
    text += ',';
  }
  text.back() = '\n';
  EXPECT_EQ(RowsOf(text).at(1), row);
}

TEST(AppendCsvField, QuotesOnlyWhereNeeded) {
  std::string text;
  AppendCsvField(text, "a b");
  EXPECT_EQ(text, "a b");
}

}  // namespace
}  // namespace airlot::base
