#include "base/subprocess.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/shards.h"
#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

class SubprocessTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(output_); }
  std::string Printed() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::string output_ =
      testing::TempDir() + "airlot_subprocess_" + std::to_string(::getpid());
};

TEST_F(SubprocessTest, ReturnsTheExitCodeAndKeepsBothStreams) {
  const auto code = RunProgram({"sh", "-c", "echo out; echo err >&2; exit 7"}, output_);
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(Printed(), "out\nerr\n");
}

TEST_F(SubprocessTest, PassesArgumentsWithoutAShell) {
  ASSERT_EQ(*RunProgram({"printf", "%s|", "a b", "$HOME", "*"}, output_), 0);
  EXPECT_EQ(Printed(), "a b|$HOME|*|");
}

TEST_F(SubprocessTest, StandardInputIsEmpty) {
  ASSERT_EQ(*RunProgram({"cat"}, output_), 0);
  EXPECT_EQ(Printed(), "");
}

TEST_F(SubprocessTest, SignalsAndMissingPrograms) {
  EXPECT_EQ(*RunProgram({"sh", "-c", "kill -9 $$"}, output_), 128 + 9);
  EXPECT_EQ(*RunProgram({"airlot-no-such-program"}, output_), kNoSuchProgram);
}

TEST_F(SubprocessTest, AnOutputThatCannotBeWritten) {
  const auto code = RunProgram({"true"}, "/no-such-folder/output");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message, "true: cannot start: No such file or directory");
}

TEST_F(SubprocessTest, FilesGrowToTheLimit) {
  const std::vector<std::string> endless = {"sh", "-c", "trap '' XFSZ; exec cat /dev/zero"};
  EXPECT_EQ(*RunProgram(endless, output_, 100000), 1);
  EXPECT_EQ(std::filesystem::file_size(output_), 100000u);
  EXPECT_EQ(*RunProgram({"cat", "/dev/zero"}, output_, 100000), 128 + SIGXFSZ);
  EXPECT_EQ(*RunProgram({"head", "-c", "100000", "/dev/zero"}, output_, 100000), 0);
}

TEST_F(SubprocessTest, LimitsNeitherUsNorAnythingByDefault) {
  rlimit before, after;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ(*RunProgram({"sh", "-c", "ulimit -f"}, output_), 0);
  if (before.rlim_cur == RLIM_INFINITY) {
    EXPECT_EQ(Printed(), "unlimited\n");
  }
  ASSERT_EQ(*RunProgram({"true"}, output_, 1000), 0);
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_cur);
}

// Interrupts wait only until the program is known.
TEST_F(SubprocessTest, InterruptsReachUsAndTheProgram) {
  ASSERT_EQ(*RunProgram({"grep", "SigBlk", "/proc/self/status"}, output_), 0);
  EXPECT_EQ(Printed(), "SigBlk:\t0000000000000000\n");
  sigset_t waiting;
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &waiting), 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    EXPECT_EQ(sigismember(&waiting, signal), 0) << signal;
  }
}

// Each program waits for the other, which one after another would never come.
TEST_F(SubprocessTest, SeveralRunAtATime) {
  const std::string script =
      "touch \"$0\"; for i in $(seq 6000); do [ -e \"$1\" ] && exit 0; sleep 0.01; done; exit 1";
  const std::vector<std::string> files{output_ + "_a", output_ + "_b"};
  std::vector<int> codes(2, -1);
  ForEachTask(2, 2, [&](std::size_t task, std::size_t) {
    codes[task] = *RunProgram({"sh", "-c", script, files[task], files[1 - task]}, "/dev/null");
  });
  EXPECT_EQ(codes, std::vector<int>({0, 0}));
  for (const std::string& file : files) std::filesystem::remove(file);
}

// Whoever ignores the ends of children has them reaped by the kernel.
TEST_F(SubprocessTest, AnEndThatNobodyKnowsIsNoSuccess) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto code = RunProgram({"sh", "-c", "exit 7"}, output_);
  std::signal(SIGCHLD, before);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message, "sh: its end is not known: No child processes");
}

// Counts the files whose names begin with "started".
std::ptrdiff_t CountStarted(const std::filesystem::path& folder) {
  return std::ranges::count_if(std::filesystem::directory_iterator(folder), [](const auto& entry) {
    return entry.path().filename().string().starts_with("started");
  });
}

// The folder has so many files that removing them takes longer than it takes the threads to go on
// from the end of their programs. They would start others, which write into the folder.
TEST_F(SubprocessTest, AfterAnInterruptNothingGoesOn) {
  const std::filesystem::path folder = output_ + "_folder";
  std::filesystem::create_directory(folder);
  for (int i = 0; i < 5000; ++i) std::ofstream(folder / std::to_string(i));
  const std::string script = "touch \"$0/started-$$\"; exec sleep 600";
  EXPECT_EXIT(
      {
        RemoveUnfinishedFilesOnInterrupt();
        AddUnfinishedFile(folder.string());
        const auto work = [&](std::size_t task, std::size_t) {
          if (task == 0) {
            while (CountStarted(folder) < 3) ::usleep(1000);
            std::raise(SIGTERM);
            return;
          }
          const InterruptsHeld held;
          while (RunProgram({"sh", "-c", script, folder.string()}, folder / "out")) {
            std::fputs("went on", stderr);
          }
          std::fputs("ended", stderr);
        };
        ForEachTask(4, 4, work);
      },
      testing::KilledBySignal(SIGTERM), "^$");
  EXPECT_FALSE(std::filesystem::exists(folder));
  std::filesystem::remove_all(folder);
}

TEST_F(SubprocessTest, InterruptsThatAreHeldComeAfterwards) {
  EXPECT_EXIT(
      {
        RemoveUnfinishedFilesOnInterrupt();
        {
          const InterruptsHeld held;
          std::raise(SIGTERM);
          std::fputs("went on", stderr);
        }
        std::fputs(" and on", stderr);
      },
      testing::KilledBySignal(SIGTERM), "went on$");
}

}  // namespace
}  // namespace airlot::base
