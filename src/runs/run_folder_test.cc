// The two tables of a complete run must not contradict each other.
#include "runs/run_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>

#include "airlot/device_table.h"
#include "runs/round_table.h"

namespace airlot::runs {
namespace {

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/airlot_run_folder_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    devices_.id = {"a", "b"};
    devices_.samples = {1, 1};
    devices_.probability = devices_.power_w = devices_.upload_s = devices_.energy_j = {0, 0};
    devices_.participations = {2, 1};
    devices_.energy_spent_j = {1.5, 0.5};
    devices_.first_empty_round = {std::nullopt, std::nullopt};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Returns what reading the run says, without the folder.
  std::string Error(std::uint64_t rounds = 2, bool stop_at_targets = false) const {
    EXPECT_TRUE(WriteRounds(folder_ + "/rounds.csv", records_).ok());
    EXPECT_TRUE(WriteDeviceTable(folder_ + "/devices.csv", devices_).ok());
    Scenario scenario;
    scenario.rounds = rounds;
    scenario.targets = {0.7, 0.5};
    scenario.stop_at_targets = stop_at_targets;
    const auto found = FindRun(folder_, "", scenario);
    if (found) return found->kept.stage == RunStage::kComplete ? "" : "not complete";
    std::string message = found.error().message;
    for (std::size_t at; (at = message.find(folder_ + "/")) != std::string::npos;) {
      message.erase(at, folder_.size() + 1);
    }
    return message;
  }

  std::string folder_;
  std::vector<RoundRecord> records_ = {
      {.round = 0}, {.round = 1, .participants = 2}, {.round = 2, .participants = 1}};
  DeviceTable devices_;
};

TEST_F(RunFolderTest, TablesAgreeOnTheParticipations) {
  EXPECT_EQ(Error(), "");
  records_[2].participants = 0;
  EXPECT_EQ(Error(), "rounds.csv: counts 2 participations, but devices.csv counts 3");
}

TEST_F(RunFolderTest, ARunThatStopsAtItsTargetsMayHaveFewerRounds) {
  records_[2].accuracy = 0.7;
  EXPECT_EQ(Error(9, true), "");
  EXPECT_EQ(Error(9), "rounds.csv: has 3 rows, but 9 rounds and the start make 10");
  records_[2].accuracy = 0.69;
  EXPECT_EQ(Error(9, true),
            "rounds.csv: has 3 rows, but 9 rounds and the start make 10, unless the targets are "
            "reached");
}

TEST_F(RunFolderTest, TablesAgreeOnTheNumberOfRounds) {
  EXPECT_EQ(Error(3), "rounds.csv: has 3 rows, but 3 rounds and the start make 4");
  devices_.participations = {3, 0};
  EXPECT_EQ(Error(),
            "devices.csv: device \"a\": participations = 3: must be at most 2, the number of "
            "rounds");
  devices_.participations = {2, 1};
  devices_.first_empty_round = {std::nullopt, 3};
  EXPECT_EQ(Error(),
            "devices.csv: device \"b\": first_empty_round = 3: must be at most 2, the number of "
            "rounds");
}

TEST(SeedOf, IsThatOfFoldersThatWeName) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{17}, most}) {
    EXPECT_EQ(SeedOf(RunFolder("runs", "uniform", seed).filename().string()), seed);
  }
  for (const char* name : {"", "17", "seed-", "seed-x", "seed-1x", "seed--1", "seed-+1", "seed-01",
                           "seed-18446744073709551616", "Seed-1"}) {
    EXPECT_EQ(SeedOf(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace airlot::runs
