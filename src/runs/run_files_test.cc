// The two tables of a run, which must not contradict each other.
#include "runs/run_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runs/round_table.h"

namespace airlot::runs {
namespace {

class RunFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/airlot_run_files_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    devices_.id = {"a", "b"};
    devices_.samples = {1, 1};
    devices_.probability = devices_.power_w = devices_.upload_s = devices_.energy_j = {0, 0};
    devices_.participations = {2, 1};
    devices_.energy_spent_j = {1.5, 0.5};
    devices_.first_empty_round = {0, 0};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What reading the two says, without the folder.
  std::string Error() const {
    const std::string rounds = folder_ + "/rounds.csv", devices = folder_ + "/devices.csv";
    EXPECT_TRUE(WriteRounds(rounds, records_).ok());
    EXPECT_TRUE(WriteDeviceTable(devices, devices_).ok());
    const auto tables = ReadRunTables(rounds, devices);
    if (tables) return "";
    std::string message = tables.error().message;
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

TEST_F(RunFilesTest, AgreeOnTheParticipations) {
  EXPECT_EQ(Error(), "");
  records_.pop_back();
  devices_.participations = {1, 0};
  EXPECT_EQ(Error(), "rounds.csv: counts 2 participations, but devices.csv counts 1");
}

TEST_F(RunFilesTest, AgreeOnTheNumberOfRounds) {
  devices_.participations = {3, 0};
  EXPECT_EQ(Error(),
            "devices.csv: device \"a\": participations = 3: must be at most 2, the number of "
            "rounds");
  devices_.participations = {2, 1};
  devices_.first_empty_round = {0, 3};
  EXPECT_EQ(Error(),
            "devices.csv: device \"b\": first_empty_round = 3: must be at most 2, the number of "
            "rounds");
}

}  // namespace
}  // namespace airlot::runs
