#include "base/atomic_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

class AtomicFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("airlot_atomic_folder_" + std::to_string(getpid()));
    fs::create_directory(folder_);
    target_ = folder_ / "set";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void Write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string Text(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Counts everything in the folder but the target.
  std::size_t Others() const {
    std::size_t others = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) others += entry.path() != target_;
    return others;
  }

  fs::path folder_;
  fs::path target_;
};

TEST_F(AtomicFolderTest, AppearsOnCommit) {
  auto folder = AtomicFolder::Create(target_);
  ASSERT_TRUE(folder);
  Write(folder->path() + "/file", "new");
  EXPECT_FALSE(fs::exists(target_));
  EXPECT_TRUE(folder->Commit().ok());
  EXPECT_EQ(Text(target_ / "file"), "new");
  EXPECT_EQ(Others(), 0u);
}

TEST_F(AtomicFolderTest, ReplacesAFolderWithAllThatIsInIt) {
  fs::create_directories(target_ / "deep");
  Write(target_ / "deep" / "old", "old");
  auto folder = AtomicFolder::Create(target_);
  Write(folder->path() + "/file", "new");
  EXPECT_TRUE(folder->Commit().ok());
  EXPECT_EQ(Text(target_ / "file"), "new");
  EXPECT_FALSE(fs::exists(target_ / "deep"));
  EXPECT_EQ(Others(), 0u);
}

TEST_F(AtomicFolderTest, ReplacesAFile) {
  Write(target_, "old");
  auto folder = AtomicFolder::Create(target_);
  EXPECT_TRUE(folder->Commit().ok());
  EXPECT_TRUE(fs::is_directory(target_));
  EXPECT_EQ(Others(), 0u);
}

TEST_F(AtomicFolderTest, AbandonedItLeavesTheTargetAsItWas) {
  fs::create_directory(target_);
  Write(target_ / "file", "old");
  {
    auto folder = AtomicFolder::Create(target_);
    Write(folder->path() + "/file", "new");
    const AtomicFolder moved = std::move(*folder);
  }
  EXPECT_EQ(Text(target_ / "file"), "old");
  EXPECT_EQ(Others(), 0u);
}

TEST_F(AtomicFolderTest, SaysWhyItCannot) {
  const auto folder = AtomicFolder::Create("/no-such-folder/set");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "/no-such-folder: cannot write: No such file or directory");
}

TEST_F(AtomicFolderTest, AnInterruptRemovesIt) {
  EXPECT_EXIT(
      {
        RemoveUnfinishedFilesOnInterrupt();
        const auto folder = AtomicFolder::Create(target_);
        for (int i = 0; i < 500; ++i) Write(folder->path() + "/" + std::to_string(i), "x");
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(Others(), 0u);
}

TEST_F(AtomicFolderTest, CleanUpRemovesWhatWasLeftAndNothingElse) {
  fs::create_directory(target_);
  for (const char* name : {".set.tmp-12-0", ".set.tmp-12-3-old"}) {
    fs::create_directories(folder_ / name / "deep");
  }
  const auto own = AtomicFolder::Create(target_);
  AtomicFolder::CleanUp(target_);
  EXPECT_EQ(Others(), 0u);

  const std::vector<std::string> foreign = {".set.tmp-12",      ".set.tmp-12-",
                                            ".set.tmp-x-0",     ".set.tmp-12-0x",
                                            ".set.tmp-12-0-1",  ".set.tmp-12-0-no",
                                            ".set.tmp--0",      "set.tmp-12-0",
                                            ".other.tmp-12-0",  ".set.tmp-",
                                            ".my.set.tmp-12-0", ".set.tmp-12-0-old-old",
                                            ".set.tmp-+12-0",   ".set",
                                            ".tmp-12-0"};
  for (const std::string& name : foreign) fs::create_directory(folder_ / name);
  Write(folder_ / ".set.tmp-12-1", "a file");
  fs::create_directory_symlink(target_, folder_ / ".set.tmp-12-2");
  AtomicFolder::CleanUp(target_);
  for (const std::string& name : foreign) EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  EXPECT_EQ(Others(), foreign.size() + 2);
}

TEST_F(AtomicFolderTest, CleanUpPutsBackWhatACommitThatWasCutOffMovedAway) {
  fs::create_directories(folder_ / ".set.tmp-12-0");
  fs::create_directories(folder_ / ".set.tmp-12-0-old");
  Write(folder_ / ".set.tmp-12-0-old" / "file", "old");
  AtomicFolder::CleanUp(target_);
  EXPECT_EQ(Text(target_ / "file"), "old");
  EXPECT_EQ(Others(), 0u);
}

}  // namespace
}  // namespace airlot::base
