#include "runs/run_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "simulation/state_parts.h"

namespace airlot::runs {
namespace {

using simulation::Batteries;
using simulation::PlannedProbabilities;

constexpr std::nullopt_t kNone = std::nullopt;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr char kRoundsText[] =
    "round,time_s,energy_j,participants,loss,accuracy,test_loss,mean_participation_s,"
    "empty_batteries\n"
    "0,0,0,0,,0.1,2.3,,0\n"
    "1,0.1,0.30000000000000004,2,2.25,,,0.0625,1\n"
    "2,0.1,0.30000000000000004,0,,,,,\n"
    "3,1e+21,2,1,inf,0.5,1.5,1e+21,2\n";
constexpr char kDevicesText[] =
    "id,x_m,y_m,distance_m,samples,probability,power_w,upload_s,energy_j,participations,"
    "energy_spent_j,battery_j,first_empty_round,mean_probability\n"
    "\"a,b\",3,-4,5,2,0.5,0,0,0,2,1.5,0.25,3,0.5\n"
    "c,3,-4,5,1,0,0,0,0,1,0.5,7,,0.25\n";

class RunFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/airlot_run_files_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void Put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string Text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string Rounds() const { return folder_ + "/rounds.csv"; }
  std::string Devices() const { return folder_ + "/devices.csv"; }

  // Of reading the two files back, without the folder.
  std::string ErrorOf(const std::string& rounds, const std::string& devices = kDevicesText) const {
    Put(Rounds(), rounds);
    Put(Devices(), devices);
    const auto state = ReadRun(Rounds(), Devices());
    if (state) return "";
    std::string message = state.error().message;
    for (std::size_t at; (at = message.find(folder_ + "/")) != std::string::npos;) {
      message.erase(at, folder_.size() + 1);
    }
    return message;
  }

  // kRoundsText with a text in place of the first `old`.
  static std::string With(std::string old, const std::string& text,
                          std::string table = kRoundsText) {
    return table.replace(table.find(old), old.size(), text);
  }

  std::string folder_;
};

TEST_F(RunFilesTest, WritesRounds) {
  const RoundRecord records[] = {{0, 0, 0, 0, kNone, 0.1, 2.3, kNone, 0.0},
                                 {1, 0.1, 0.1 + 0.2, 2, 2.25, kNone, kNone, 0.0625, 1.0},
                                 {2, 0.1, 0.1 + 0.2, 0, kNone, kNone, kNone, kNone, kNone},
                                 {3, 1e21, 2, 1, kInfinity, 0.5, 1.5, 1e21, 2.0}};
  ASSERT_TRUE(WriteRounds(Rounds(), records).ok());
  EXPECT_EQ(Text(Rounds()), kRoundsText);
}

// At P = g the SNR is 1, so the upload takes L / ln 2 = 3 s.
Setting TwoDevices() {
  Setting setting;
  Fleet& fleet = setting.fleet;
  fleet.devices = 2;
  fleet.ids.Append("a,b");
  fleet.ids.Append("c");
  fleet.noise_to_gain_w = 0.25;
  fleet.nat_time_s = 3 * std::log(2.0);
  fleet.max_power_w = 1;
  fleet.energy_budget_j = 1;
  fleet.compute_energy_j = 0.5;
  fleet.time_limit_s = 1;
  setting.plan.probability = {0.125, 0};
  setting.plan.power_w = {0.25, 0};
  setting.partition = {.samples = {0, 1, 2}, .begin = {0, 2, 3}};
  return setting;
}

TEST_F(RunFilesTest, WritesDevices) {
  Setting setting = TwoDevices();
  const RunState state{.participations = {2, 0}, .energy_spent_j = {2.5, 0}};
  ASSERT_TRUE(WriteDevices(Devices(), setting, state).ok());
  const std::string header = std::string(kDevicesText).substr(0, Text(Devices()).find('\n') + 1);
  EXPECT_EQ(Text(Devices()), header +
                                 "\"a,b\",,,,2,0.125,0.25,3,1.25,2,2.5,,,\n"
                                 "c,,,,1,0,0,0,0,0,0,,,\n");
  setting.fleet.has_distance = true;
  setting.fleet.distance_m = Values{5, 6};
  ASSERT_TRUE(WriteDevices(Devices(), setting, state).ok());
  EXPECT_NE(Text(Devices()).find("\"a,b\",,,5,2,"), std::string::npos);
  setting.fleet.has_place = true;
  setting.fleet.x_m = 3;
  setting.fleet.y_m = -4;
  ASSERT_TRUE(WriteDevices(Devices(), setting, state).ok());
  EXPECT_NE(Text(Devices()).find("\nc,3,-4,6,1,0,"), std::string::npos);
}

TEST_F(RunFilesTest, WritesBatteriesAndMeanProbabilities) {
  RunState state{.round = 4, .participations = {2, 0}, .energy_spent_j = {2.5, 0}};
  state.parts.Get<Batteries>(std::vector<double>{0.5, 7}).first_empty_round = {3, 0};
  state.parts.Get<PlannedProbabilities>().sum = {0.5, 0};
  ASSERT_TRUE(WriteDevices(Devices(), TwoDevices(), state).ok());
  EXPECT_NE(Text(Devices()).find(",2,2.5,0.5,3,0.125\n"), std::string::npos);
  EXPECT_NE(Text(Devices()).find(",0,0,7,,0\n"), std::string::npos);
}

TEST_F(RunFilesTest, ReadsBackWhatItWrote) {
  ASSERT_EQ(ErrorOf(kRoundsText), "");
  const RunState state = *ReadRun(Rounds(), Devices());
  EXPECT_EQ(state.round, 3u);
  EXPECT_EQ(state.time_s, 1e21);
  EXPECT_EQ(state.energy_j, 2);
  EXPECT_TRUE(state.parameters.empty());
  EXPECT_EQ(state.participations, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(state.energy_spent_j, (std::vector<double>{1.5, 0.5}));
  ASSERT_EQ(state.records.size(), 4u);
  EXPECT_EQ(state.records[0].accuracy, 0.1);
  EXPECT_EQ(state.records[0].test_loss, 2.3);
  EXPECT_FALSE(state.records[0].loss.has_value());
  EXPECT_EQ(state.records[1].energy_j, 0.1 + 0.2);
  EXPECT_EQ(state.records[1].participants, 2u);
  EXPECT_FALSE(state.records[1].accuracy.has_value());
  EXPECT_FALSE(state.records[1].test_loss.has_value());
  EXPECT_EQ(state.records[3].loss, kInfinity);
  EXPECT_EQ(state.records[1].mean_participation_s, 0.0625);
  EXPECT_FALSE(state.records[2].mean_participation_s.has_value());
  EXPECT_EQ(state.records[1].empty_batteries, 1);
  EXPECT_FALSE(state.records[2].empty_batteries.has_value());
  const auto* batteries = state.parts.Find<Batteries>();
  ASSERT_NE(batteries, nullptr);
  EXPECT_EQ(batteries->charge_j, (std::vector<double>{0.25, 7}));
  EXPECT_EQ(batteries->first_empty_round, (std::vector<std::uint32_t>{3, 0}));
  ASSERT_NE(state.parts.Find<PlannedProbabilities>(), nullptr);
  EXPECT_EQ(state.parts.Find<PlannedProbabilities>()->sum, (std::vector<double>{1.5, 0.75}));
  ASSERT_TRUE(WriteRounds(Rounds(), state.records).ok());
  EXPECT_EQ(Text(Rounds()), kRoundsText);
}

TEST_F(RunFilesTest, ReadsRunsOfEarlierVersions) {
  ASSERT_EQ(ErrorOf("round,time_s,energy_j,participants,loss,accuracy,test_loss\n"
                    "0,0,0,0,,0.1,2.3\n"
                    "1,0.1,0.3,3,2.25,,\n",
                    "id,x_m,y_m,distance_m,samples,probability,power_w,upload_s,energy_j,"
                    "participations,energy_spent_j\n"
                    "1,3,-4,5,2,0.5,0,0,0,2,1.5\n2,3,-4,5,2,0.5,0,0,0,1,1.5\n"),
            "");
  const RunState state = *ReadRun(Rounds(), Devices());
  EXPECT_EQ(state.records[0].test_loss, 2.3);
  EXPECT_FALSE(state.records[1].mean_participation_s.has_value());
  EXPECT_FALSE(state.records[1].empty_batteries.has_value());
  EXPECT_TRUE(state.parts.all().empty());
}

TEST_F(RunFilesTest, ReadsARunWithoutRounds) {
  const std::string table = kRoundsText;
  const std::string header = table.substr(0, table.find('\n') + 1);
  const std::string none = With("0,2,1.5", "0,0,0", With("0,1,0.5", "0,0,0", kDevicesText));
  EXPECT_EQ(ErrorOf(header, none), "");
}

TEST_F(RunFilesTest, NamesTheLineThatIsDamaged) {
  EXPECT_EQ(ErrorOf(With("\n1,0.1", "\n7,0.1")), "rounds.csv:3: round = \"7\": must be 1");
  EXPECT_EQ(ErrorOf(With("1,0.1", "1,x")), "rounds.csv:3: time_s = \"x\": must be a number >= 0");
  EXPECT_EQ(ErrorOf(With("2,0.1", "2,0.05")),
            "rounds.csv:4: time_s = \"0.05\": must be a number >= 0.1");
  EXPECT_EQ(ErrorOf(With("4,2,2.25", "4,-2,2.25")),
            "rounds.csv:3: participants = \"-2\": must be a whole number from 0 to 4294967295");
  EXPECT_EQ(ErrorOf(With("2.25", "nan")),
            "rounds.csv:3: loss = \"nan\": must be a number or empty");
  EXPECT_EQ(ErrorOf(With("2.25,,", "2.25,")), "rounds.csv:3: 8 fields, but the header has 9");
  EXPECT_EQ(ErrorOf(With("loss", "cost")),
            "rounds.csv:1: the header must be "
            "round,time_s,energy_j,participants,loss,accuracy,test_loss,mean_participation_s,"
            "empty_batteries");
  EXPECT_EQ(ErrorOf(kRoundsText, With("0,2,1.5", "0,2.5,1.5", kDevicesText)),
            "devices.csv:2: participations = \"2.5\": must be a whole number from 0 to 4");
  EXPECT_EQ(ErrorOf(kRoundsText, With("1.5", "", kDevicesText)),
            "devices.csv:2: energy_spent_j = \"\": must be a number >= 0");
}

TEST_F(RunFilesTest, NoticesWhatIsCutOff) {
  const std::string table = kRoundsText;
  EXPECT_EQ(ErrorOf(table.substr(0, table.size() - 2)), "rounds.csv: the last line is cut off");
  EXPECT_EQ(ErrorOf(table.substr(0, table.find("3,1e"))),
            "rounds.csv: counts 2 participations, but devices.csv counts 3");
  EXPECT_EQ(ErrorOf(""), "rounds.csv: is empty: a header line is needed");
}

TEST_F(RunFilesTest, SaysWhyItCannotWrite) {
  const std::string nowhere = folder_ + "/none/rounds.csv";
  EXPECT_EQ(WriteRounds(nowhere, {}).error().message,
            nowhere + ": cannot write: No such file or directory");
  EXPECT_EQ(WriteDevices(nowhere, TwoDevices(), {}).error().message,
            nowhere + ": cannot write: No such file or directory");
}

}  // namespace
}  // namespace airlot::runs
