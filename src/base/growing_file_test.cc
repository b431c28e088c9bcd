#include "base/growing_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/atomic_file.h"
#include "base/input_file.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

class GrowingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/airlot_growing_" + std::to_string(getpid());
    fs::create_directories(folder_);
    path_ = folder_ + "/log";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Text() const { return *ReadWhole(path_, 1000); }

  std::string folder_, path_;
};

TEST_F(GrowingFileTest, TextComesBehindWhatIsThereAndTheRestIsCutOff) {
  ASSERT_TRUE(AppendAfter(0, "one\n", path_).ok());
  ASSERT_TRUE(AppendAfter(4, "two\n", path_).ok());
  EXPECT_EQ(Text(), "one\ntwo\n");
  ASSERT_TRUE(AppendAfter(4, "2\n", path_).ok());
  EXPECT_EQ(Text(), "one\n2\n");
  ASSERT_TRUE(AppendAfter(6, "", path_).ok());
  EXPECT_EQ(Text(), "one\n2\n");
  ASSERT_TRUE(AppendAfter(0, "new", path_).ok());
  EXPECT_EQ(Text(), "new");
}

TEST_F(GrowingFileTest, SaysWhatIsInTheWay) {
  ASSERT_TRUE(WriteWhole(path_, "abc").ok());
  EXPECT_EQ(AppendAfter(4, "d", path_).error().message,
            path_ + ": has 3 bytes, and 4 were written: it was changed");
  EXPECT_EQ(Text(), "abc");
  EXPECT_EQ(AppendAfter(0, "d", folder_).error().message,
            folder_ + ": cannot write: Is a directory");
  const std::string link = folder_ + "/link";
  fs::create_symlink(path_, link);
  EXPECT_FALSE(AppendAfter(0, "d", link).ok());
  EXPECT_EQ(Text(), "abc");
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(AppendAfter(0, "d", pipe).ok());
  EXPECT_EQ(AppendAfter(0, "d", folder_ + "/no/log").error().message,
            folder_ + "/no/log: cannot write: No such file or directory");
}

}  // namespace
}  // namespace airlot::base
