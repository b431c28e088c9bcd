// These tests check what is written to devices.csv, that it reads back, and that nothing else does.
#include "airlot/device_table.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "simulation/state_parts.h"

namespace airlot {
namespace {

using Rounds = std::vector<std::optional<std::uint32_t>>;

constexpr char kHeader[] =
    "id,x_m,y_m,distance_m,samples,probability,power_w,upload_s,energy_j,participations,"
    "energy_spent_j,battery_j,first_empty_round,mean_probability,energy_budget_j,limit,"
    "participation_s,label_counts\n";
constexpr char kFirst[] =
    "\"a,b\",3,-4,5,2,0.5,0.25,3,1.25,2,1.5,0.25,3,0.75,1e-05,energy,3.5,2 0\n";
constexpr char kSecond[] = "c,3,-4,6,1,0,0,0,0,0,0,7,,0.25,2,time,0,0 1\n";

class DeviceTableTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/airlot_devices_" + std::to_string(getpid()) + ".csv";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string Written(const DeviceTable& table) const {
    EXPECT_TRUE(WriteDeviceTable(path_, table).ok());
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<DeviceTable> Read(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadDeviceTable(path_);
  }
  // Replaces the first `old` in the two rows by a text, and returns what reading says, without the
  // path.
  std::string ErrorWith(const std::string& old, const std::string& text) const {
    std::string table = std::string(kHeader) + kFirst + kSecond;
    const auto read = Read(table.replace(table.find(old, sizeof(kHeader) - 1), old.size(), text));
    return read ? "" : read.error().message.substr(path_.size());
  }

  std::string path_;
};

// At P = g the SNR is 1, so the upload takes L / ln 2 = 3 s and costs 0.25 W * 3 s + 0.5 J.
Setting TwoDevices() {
  Setting setting;
  Fleet& fleet = setting.fleet;
  fleet.devices = 2;
  fleet.ids.Append("a,b");
  fleet.ids.Append("c");
  fleet.noise_to_gain_w = 0.25;
  fleet.nat_time_s = 3 * std::log(2.0);
  fleet.max_power_w = 1;
  fleet.energy_budget_j = ColumnValues{0.15625, 2};
  fleet.compute_energy_j = 0.5;
  fleet.time_limit_s = 1;
  setting.plan.probability = {0.125, 0};
  setting.plan.power_w = {0.25, 0};
  setting.upload_s = {3, 0};
  setting.partition = {.samples = {0, 1, 2}, .begin = {0, 2, 3}};
  Dataset dataset;
  dataset.train.classes = 3;
  dataset.train.labels = {2, 2, 0};
  setting.dataset = std::make_shared<const Dataset>(std::move(dataset));
  return setting;
}

TEST_F(DeviceTableTest, IsThatOfTheSetting) {
  Setting setting = TwoDevices();
  const RunState state{.participations = {2, 0}, .energy_spent_j = {2.5, 0}};
  EXPECT_EQ(Written(DeviceTableOf(setting, state)),
            std::string(kHeader) +
                "\"a,b\",,,,2,0.125,0.25,3,1.25,2,2.5,,,,0.15625,energy,3,0 0 2\n"
                "c,,,,1,0,0,0,0,0,0,,,,2,time,0,1 0 0\n");
  setting.fleet.distance_m = ColumnValues{5, 6};
  setting.fleet.places = {.x_m = 3, .y_m = -4};
  EXPECT_NE(Written(DeviceTableOf(setting, state)).find("\nc,3,-4,6,1,0,"), std::string::npos);
}

TEST_F(DeviceTableTest, HasBatteriesAndMeanProbabilities) {
  RunState state{.round = 4, .participations = {2, 0}, .energy_spent_j = {2.5, 0}};
  auto& batteries = state.parts.Get<simulation::Batteries>(std::vector<double>{0.5, 7});
  batteries.first_empty_round = {3, std::nullopt};
  state.parts.Get<simulation::PlannedProbabilities>(2u).sum = {0.5, 0};
  DeviceTable table = DeviceTableOf(TwoDevices(), state);
  const std::string text = Written(table);
  EXPECT_NE(text.find(",2,2.5,0.5,3,0.125,"), std::string::npos) << text;
  EXPECT_NE(text.find(",0,0,7,,0,"), std::string::npos) << text;
  // Before the first round there is no mean.
  state.round = 0;
  SetSpending(state, table);
  EXPECT_FALSE(table.mean_probability);
}

// Columns of parts that this library does not know follow all others, and are passed over.
TEST_F(DeviceTableTest, HasColumnsOfPartsFromOutside) {
  class Moods : public StatePart {
   public:
    std::string_view name() const override { return "moods"; }
    void Save(ByteWriter&) const override {}
    void Load(ByteReader&) override {}
    Status Check(const RunSizes&) const override { return {}; }
    std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override {
      return {{"mood", {double(rounds), std::nullopt}}};
    }
  };
  RunState state{.round = 4, .participations = {2, 0}, .energy_spent_j = {2.5, 0}};
  state.parts.Get<Moods>();
  const std::string text = Written(DeviceTableOf(TwoDevices(), state));
  EXPECT_NE(text.find("label_counts,mood\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",0 0 2,4\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",1 0 0,\n"), std::string::npos) << text;
  const auto table = Read(text);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->participations, (std::vector<std::uint32_t>{2, 0}));
}

TEST_F(DeviceTableTest, ReadsBackWhatItWrote) {
  const std::string text = std::string(kHeader) + kFirst + kSecond;
  const auto table = Read(text);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->devices(), 2u);
  EXPECT_EQ(table->id[0], "a,b");
  EXPECT_EQ(table->places->x_m, (std::vector<double>{3, 3}));
  EXPECT_EQ(table->samples, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(table->participations, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(*table->battery_j, (std::vector<double>{0.25, 7}));
  EXPECT_EQ(table->first_empty_round, (Rounds{3, std::nullopt}));
  EXPECT_EQ(*table->mean_probability, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(*table->energy_budget_j, (std::vector<double>{1e-5, 2}));
  EXPECT_EQ(*table->limit, (std::vector<Limit>{Limit::kEnergy, Limit::kTime}));
  EXPECT_EQ(*table->participation_s, (std::vector<double>{3.5, 0}));
  EXPECT_EQ(table->label_counts->at(1), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(Written(*table), text);
}

TEST_F(DeviceTableTest, ReadsFilesOfEarlierVersions) {
  const std::string header = kHeader;
  const auto table = Read(header.substr(0, header.find(",battery_j")) +
                          "\n1,3,-4,5,2,0.5,0,0,0,2,1.5\n2,3,-4,5,2,0.5,0,0,0,1,1.5\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->participations, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(table->first_empty_round, (Rounds{std::nullopt, std::nullopt}));
  EXPECT_FALSE(table->battery_j || table->mean_probability || table->limit || table->label_counts);
  EXPECT_FALSE(Read(header.substr(0, header.find(",energy_spent_j")) + "\n").ok());
}

TEST_F(DeviceTableTest, NamesLineColumnValueAndBound) {
  EXPECT_EQ(ErrorWith("1.25,2", "1.25,2.5"),
            ":2: participations = \"2.5\": must be a whole number from 0 to 4294967295");
  EXPECT_EQ(ErrorWith("0.25,3,0.75", "0.25,1e20,0.75"),
            ":2: first_empty_round = \"1e20\": must be a whole number from 1 to 4294967295, or "
            "empty");
  EXPECT_EQ(ErrorWith("0.25,3,0.75", "0.25,0,0.75").substr(0, 26), ":2: first_empty_round = \"0");
  EXPECT_EQ(ErrorWith(",0.5,", ",1.5,"), ":2: probability = \"1.5\": must be a number from 0 to 1");
  EXPECT_EQ(ErrorWith(",0.5,", ",nan,"), ":2: probability = \"nan\": must be a number from 0 to 1");
  EXPECT_EQ(ErrorWith("c,3,-4", "c,3,inf"),
            ":3: y_m = \"inf\": must be a finite number, or empty in every row");
  EXPECT_EQ(ErrorWith("1.5,0.25", "inf,0.25"),
            ":2: energy_spent_j = \"inf\": must be a finite number >= 0");
  EXPECT_EQ(ErrorWith("1.5,0.25", ",0.25"),
            ":2: energy_spent_j = \"\": must be a finite number >= 0");
  EXPECT_EQ(ErrorWith("energy", "luck").find(":2: limit = \"luck\": must be one of full, energy"),
            0u);
}

// A column that only some rows have would be shorter than the others.
TEST_F(DeviceTableTest, RefusesColumnsThatOnlySomeRowsHave) {
  EXPECT_EQ(ErrorWith("7,,0.25", "7,,"),
            ":3: mean_probability = \"\": must be a number from 0 to 1, or empty in every row");
  EXPECT_EQ(ErrorWith("3,0.75", "3,"),
            ":3: mean_probability = \"0.25\": must be a number from 0 to 1, or empty in every row");
  EXPECT_EQ(ErrorWith("0,7,", "0,,").substr(0, 15), ":3: battery_j =");
  EXPECT_EQ(ErrorWith("c,3,-4", "c,3,").substr(0, 9), ":3: y_m =");
  EXPECT_EQ(ErrorWith("\"a,b\",3,", "\"a,b\",,").substr(0, 9), ":2: y_m =");
  for (const char* counts : {"0 1 1", "1", "0  1", "0 x", "-1 2"}) {
    EXPECT_EQ(ErrorWith("0 1\n", std::string(counts) + "\n"),
              ":3: label_counts = \"" + std::string(counts) +
                  "\": must be whole numbers with single spaces between them, as many as in the "
                  "first row, or empty in every row");
  }
}

TEST_F(DeviceTableTest, DoesNotWaitForAPipe) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(ReadDeviceTable(path_).error().message, path_ + ": is not a regular file");
}

TEST_F(DeviceTableTest, SaysWhyItCannotBeWritten) {
  const std::string nowhere = path_ + "/devices.csv";
  EXPECT_EQ(WriteDeviceTable(nowhere, {}).error().message,
            nowhere + ": cannot write: No such file or directory");
}

}  // namespace
}  // namespace airlot
