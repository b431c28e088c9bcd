#include "base/input_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

class InputFileTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(InputFileTest, ReadsAllBytes) {
  for (const std::size_t size : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 300'000UL}) {
    const std::string text(size, 'x');
    const auto read = ReadWhole(Write("file", text), 300'000);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, text);
  }
}

TEST_F(InputFileTest, ReadsFromAnyPlace) {
  const auto file = InputFile::Open(Write("file", "0123456789"));
  ASSERT_TRUE(file);
  std::string bytes(4, '.');
  EXPECT_TRUE(file->ReadAt(6, bytes));
  EXPECT_EQ(bytes, "6789");
  EXPECT_TRUE(file->ReadAt(0, bytes));
  EXPECT_EQ(bytes, "0123");
  EXPECT_TRUE(file->ReadAt(10, {}));
  EXPECT_FALSE(file->ReadAt(7, bytes));
  EXPECT_FALSE(file->ReadAt(1000, bytes));
}

TEST_F(InputFileTest, RefusesWhatIsTooLarge) {
  const auto read = ReadWhole(Write("file", "12345"), 4);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("file: is larger than 4 bytes"), std::string::npos);
}

// A pipe would be waited for, and a device read, for ever.
TEST_F(InputFileTest, RefusesPipesAndDevices) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    const auto read = ReadWhole(path, 1000);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, path + ": is not a regular file");
    EXPECT_FALSE(ReadWholeIfThere(path, 1000));
  }
}

TEST_F(InputFileTest, RefusesFolders) {
  const auto read = ReadWhole(folder_, 1000);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, folder_.string() + ": is a directory, not a file");
}

TEST_F(InputFileTest, KnowsWhatIsNotThere) {
  const auto read = ReadWholeIfThere(folder_ / "missing", 1000);
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
  EXPECT_FALSE(ReadWhole(folder_ / "missing", 1000));
  EXPECT_EQ(**ReadWholeIfThere(Write("file", "text"), 1000), "text");
  EXPECT_FALSE(*ReadWholeIfThere(folder_ / "file" / "below"));
}

// The shell's <(command) and --fleet - are such streams.
TEST_F(InputFileTest, ReadsStreamsThatAreOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ::close(ends[1]);
  const auto read = ReadWhole("/dev/fd/" + std::to_string(ends[0]), 1000);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, "abc");
  ::close(ends[0]);
}

TEST_F(InputFileTest, RefusesAStreamThatIsTooLarge) {
  const int zeros = ::open("/dev/zero", O_RDONLY);
  ASSERT_GE(zeros, 0);
  const auto read = ReadWhole("/dev/fd/" + std::to_string(zeros), 100'000);
  ::close(zeros);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("is larger than 100000 bytes"), std::string::npos);
}

}  // namespace
}  // namespace airlot::base
