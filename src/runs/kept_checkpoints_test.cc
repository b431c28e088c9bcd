// These tests say what is lost of a run's checkpoints to kills, damage and a full disk.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "airlot/kept_runs.h"
#include "data/sha256.h"
#include "runs/checkpoint.h"
#include "runs/run_directory_for_tests.h"

namespace airlot {
namespace {

TEST_F(RunDirectoryTest, KeepsTheLastTwoCheckpoints) {
  const RunDirectory directory = Open();
  EXPECT_EQ(RoundOf(directory), -1);
  for (const int round : {1, 2, 3}) {
    ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(round)).ok());
    const auto found = *directory.Find("uniform", 1);
    EXPECT_EQ(found.checkpoint->round, std::uint64_t(round));
    EXPECT_EQ(found.checkpoint->parameters, (std::vector<float>{1, 2}));
    EXPECT_EQ(found.kept.stage, RunStage::kBegun);
    EXPECT_TRUE(found.kept.damaged.empty());
  }
  EXPECT_EQ(Tree(path_), (Names{"manifest.json", "uniform/seed-1/checkpoint",
                                "uniform/seed-1/checkpoint.previous"}));
  EXPECT_EQ(RoundOf(directory, 2), -1);
}

// The test makes each state of the files that saving goes through, as a kill would leave it.
TEST_F(RunDirectoryTest, LosesNothingWhereverSavingIsKilled) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  Put(File(".checkpoint.tmp-7-0"), "half");
  EXPECT_EQ(RoundOf(directory), 2);
  fs::rename(File("checkpoint"), File("checkpoint.previous"));
  EXPECT_EQ(RoundOf(directory), 2);
  EXPECT_TRUE(directory.Find("uniform", 1)->kept.damaged.empty());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(3)).ok());
  EXPECT_EQ(RoundOf(directory), 3);
  fs::remove(File("checkpoint"));
  EXPECT_EQ(RoundOf(directory), 2);
}

// These kills are real ones, at moments that fall where they fall.
TEST_F(RunDirectoryTest, LosesNothingToKills) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  int round = 1;
  for (int kill = 0; kill < 20; ++kill) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int next = round + 1;; ++next) {
        if (!directory.SaveCheckpoint("uniform", 1, StateAt(next)).ok()) ::_exit(1);
      }
    }
    ::usleep(useconds_t(2000 + 5317 * kill));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_TRUE(directory.Find("uniform", 1)->kept.damaged.empty());
    ASSERT_GE(RoundOf(directory), round);
    round = RoundOf(directory);
  }
  EXPECT_GT(round, 1);
}

TEST_F(RunDirectoryTest, GoesOnFromThePreviousWhereTheLastIsDamaged) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  const std::string whole = Text(File("checkpoint"));
  Put(File("checkpoint"), whole.substr(0, whole.size() - 1));
  EXPECT_EQ(RoundOf(directory), 1);
  const auto damaged = directory.Find("uniform", 1)->kept.damaged;
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_EQ(damaged[0].file, File("checkpoint"));
  EXPECT_EQ(damaged[0].damage, "its checksum does not match");

  // A damaged checkpoint does not take the place of the previous one.
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  EXPECT_EQ(RoundOf(directory), 2);
  fs::remove(File("checkpoint"));
  EXPECT_EQ(RoundOf(directory), 1);

  Put(File("checkpoint"), "");
  Put(File("checkpoint.previous"), "x");
  const auto found = *directory.Find("uniform", 1);
  EXPECT_EQ(found.kept.stage, RunStage::kNotBegun);
  ASSERT_EQ(found.kept.damaged.size(), 2u);
  EXPECT_EQ(found.kept.damaged[0].damage, "it is empty");
  EXPECT_EQ(found.kept.damaged[1].file, File("checkpoint.previous"));
  const auto kept = ReadRuns(path_);
  ASSERT_EQ(kept->unreadable.size(), 1u);
  EXPECT_EQ(kept->unreadable[0].fault, File("checkpoint") + ": it is empty; " +
                                           File("checkpoint.previous") +
                                           ": it is not a checkpoint");
}

// The checkpoint may be all that there is of a long run.
TEST_F(RunDirectoryTest, LeavesAWholeCheckpointOfAnotherRunAlone) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("deterministic", 1, StateAt(9)).ok());
  fs::copy_file(path_ + "/deterministic/seed-1/checkpoint", File("checkpoint"),
                fs::copy_options::overwrite_existing);
  const Names before = Tree(path_);
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message,
            File("checkpoint") + ": it is of another scenario, strategy or seed");
  EXPECT_EQ(Tree(path_), before);
  EXPECT_EQ(ReadRuns(path_)->unreadable[0].fault, found.error().message);
}

TEST_F(RunDirectoryTest, LeavesAWholeCheckpointOfAnotherFormatAlone) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  std::string bytes = Text(File("checkpoint"));
  bytes = bytes.substr(0, bytes.size() - 64);
  bytes[sizeof("airlot checkpoint\n") - 1] = 99;  // This is the first byte of the version.
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  bytes += hash.Hex();
  Put(File("checkpoint"), bytes);
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message.find(File("checkpoint") + ": it has format 99"), 0u)
      << found.error().message;
  EXPECT_EQ(Text(File("checkpoint")), bytes);
}

TEST_F(RunDirectoryTest, SaysWhyACheckpointCannotBeReadOrWritten) {
  const RunDirectory directory = Open();
  fs::create_directories(File("checkpoint"));
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, File("checkpoint") + ": is a directory, not a file");
  Put(path_ + "/probabilistic", "x");
  EXPECT_EQ(directory.SaveCheckpoint("probabilistic", 1, StateAt(1)).error().message,
            path_ + "/probabilistic: is in the way and is not a folder: remove it first");
}

TEST_F(RunDirectoryTest, DoesNotWaitForAPipe) {
  const RunDirectory directory = Open();
  fs::create_directories(path_ + "/uniform/seed-1");
  ASSERT_EQ(::mkfifo(File("checkpoint").c_str(), 0600), 0);
  EXPECT_EQ(directory.Find("uniform", 1).error().message,
            File("checkpoint") + ": is not a regular file");
}

TEST_F(RunDirectoryTest, GoesOnWithNothingBehindALink) {
  const RunDirectory directory = Open();
  fs::create_directories(folder_ + "/elsewhere/seed-1");
  fs::create_directory_symlink(folder_ + "/elsewhere", path_ + "/uniform");
  const std::string why = ": is in the way and is not a folder: remove it first";
  EXPECT_EQ(directory.Find("uniform", 1).error().message, path_ + "/uniform" + why);
  EXPECT_EQ(directory.SaveCheckpoint("uniform", 1, StateAt(1)).error().message,
            path_ + "/uniform" + why);
  fs::remove(path_ + "/uniform");
  fs::create_directory(path_ + "/uniform");
  fs::create_directory_symlink(folder_ + "/elsewhere/seed-1", path_ + "/uniform/seed-1");
  EXPECT_EQ(directory.Find("uniform", 1).error().message, path_ + "/uniform/seed-1" + why);
  EXPECT_EQ(directory.SaveCheckpoint("uniform", 1, StateAt(1)).error().message,
            path_ + "/uniform/seed-1" + why);
  EXPECT_TRUE(fs::is_empty(folder_ + "/elsewhere/seed-1"));
}

// A limit on the size of files stands for a full disk.
TEST_F(RunDirectoryTest, KeepsTheLastCheckpointWhereTheDiskIsFull) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto saved = directory.SaveCheckpoint("uniform", 1, StateAt(2));
    ::_exit(!saved.ok() &&
                    saved.error().message == File("checkpoint") + ": cannot write: File too large"
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(RoundOf(directory), 1);
  EXPECT_EQ(Tree(path_), (Names{"manifest.json", "uniform/seed-1/checkpoint.previous"}));
}

}  // namespace
}  // namespace airlot
