#include "base/lock_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

class LockFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("airlot_lock_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / ".lock";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(LockFileTest, KeepsOthersOutAndNamesTheProcess) {
  auto first = LockFile::Try(path_);
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_TRUE(first->lock);
  EXPECT_TRUE(first->lock->is_exclusive());
  EXPECT_EQ(Text(), std::to_string(getpid()) + "\n");
  const auto second = LockFile::Try(path_);
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->lock);
  EXPECT_EQ(second->holder, getpid());
  first->lock.reset();
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(LockFile::Try(path_)->lock);
}

TEST_F(LockFileTest, IsFreeWhenItsProcessIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = LockFile::Take(path_);
    const char byte = lock.ok() ? '1' : '0';
    if (::write(ready[1], &byte, 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_EQ(LockFile::Try(path_)->holder, child);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(Text(), std::to_string(child) + "\n");
  const auto lock = LockFile::Try(path_);
  ASSERT_TRUE(lock.ok() && lock->lock);
  EXPECT_EQ(Text(), std::to_string(getpid()) + "\n");
  ::close(ready[0]);
  ::close(ready[1]);
}

// Those who wait find that the file is another one when they get it, and still only one holds it.
TEST_F(LockFileTest, OneHoldsItAtATime) {
  std::atomic<int> inside = 0, most = 0, times = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        const auto lock = LockFile::Take(path_);
        if (!lock) return;
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
        ++times;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(times, 200);
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LockFileTest, SaysWhyItCannotBeMade) {
  const std::string nowhere = folder_ / "none/.lock";
  EXPECT_EQ(LockFile::Take(nowhere).error().message,
            nowhere + ": cannot write: No such file or directory");
  // What a link leads to is not ours to change.
  fs::create_symlink("/dev/null", path_);
  EXPECT_FALSE(LockFile::Try(path_).ok());
}

TEST_F(LockFileTest, IsSharedByManyAndKeepsOutWhoWantsItAlone) {
  auto first = LockFile::TryShared(path_), second = LockFile::TryShared(path_);
  ASSERT_TRUE(first.ok() && first->lock && second.ok() && second->lock);
  EXPECT_FALSE(LockFile::Try(path_)->lock);
  first->lock.reset();
  EXPECT_FALSE(LockFile::Try(path_)->lock);
  EXPECT_TRUE(LockFile::TryShared(path_)->lock);
  second->lock.reset();
  EXPECT_TRUE(fs::is_empty(folder_));
  const auto alone = LockFile::Try(path_);
  ASSERT_TRUE(alone->lock);
  EXPECT_FALSE(LockFile::TryShared(path_)->lock);
}

// One who begins while the last of the others ends gets the lock, too.
TEST_F(LockFileTest, IsSharedByThoseWhoComeAndGo) {
  std::ofstream(path_) << "1\n";  // as one leaves it who held it alone and was killed
  std::atomic<int> times = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        const auto attempt = LockFile::TryShared(path_);
        if (attempt && attempt->lock) ++times;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(times, 6000);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace airlot::base
