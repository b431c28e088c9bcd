// Powers and rates that a radio has, and tables of modulation and coding schemes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "airlot/radio.h"

namespace airlot {
namespace {

std::vector<double> LevelsOf(const RadioSteps& steps, double max_power_w) {
  std::vector<double> levels_w;
  VisitLevels(steps, max_power_w, [&](double level_w) {
    levels_w.push_back(level_w);
    return true;
  });
  return levels_w;
}

TEST(RadioSteps, LevelsOfADevice) {
  const RadioSteps list{.power_levels_w = {1, 2, 4}};
  EXPECT_EQ(LevelsOf(list, 4), (std::vector<double>{4, 2, 1}));
  EXPECT_EQ(LevelsOf(list, 3), (std::vector<double>{2, 1}));
  EXPECT_EQ(LevelsOf(list, 2 * (1 - 1e-15)), (std::vector<double>{2 * (1 - 1e-15), 1}));
  EXPECT_EQ(TopPower(list, 3), 2);
  EXPECT_EQ(TopPower(list, 0.5), 0);
  const RadioSteps steps{.min_power_w = 1, .power_step = 2};
  EXPECT_EQ(LevelsOf(steps, 8), (std::vector<double>{8, 4, 2, 1}));
  EXPECT_EQ(LevelsOf(steps, 6), (std::vector<double>{6, 3, 1.5}));
  EXPECT_EQ(TopPower(steps, 6), 6);
  EXPECT_TRUE(LevelsOf({.min_power_w = 1}, 8).empty());
}

// 23 dBm down to -40 dBm in steps of 1 dB are 64 levels, the last of which is met but for rounding.
TEST(RadioSteps, DecibelsEndAtTheLeastPower) {
  Radio radio;
  radio.power = {.min_power_w = 1e-7, .step_db = 1};
  const auto levels_w = LevelsOf(StepsOf(radio), FromDecibel(-7));
  ASSERT_EQ(levels_w.size(), 64u);
  EXPECT_EQ(levels_w.back(), 1e-7);
  for (std::size_t k = 0; k < levels_w.size(); ++k) {
    EXPECT_NEAR(ToDecibel(levels_w[k]), -7 - double(k), 1e-11);
  }
}

TEST(RadioSteps, PowerFromGoesUp) {
  const RadioSteps list{.power_levels_w = {1, 2, 4}};
  EXPECT_EQ(PowerFrom(list, 4, 0.1), 1);
  EXPECT_EQ(PowerFrom(list, 4, 1), 1);
  EXPECT_EQ(PowerFrom(list, 4, 1.1), 2);
  EXPECT_EQ(PowerFrom(list, 3, 2.1), 2);  // its largest
  const RadioSteps steps{.min_power_w = 1, .power_step = 2};
  EXPECT_EQ(PowerFrom(steps, 6, 2), 3);
  EXPECT_EQ(PowerFrom(steps, 6, 7), 6);
  const RadioSteps least{.min_power_w = 1};
  EXPECT_EQ(PowerFrom(least, 6, 0.5), 1);
  EXPECT_EQ(PowerFrom(least, 6, 2.5), 2.5);
}

TEST(RadioSteps, RowsOfAnSnr) {
  const RadioSteps steps{.rates = {{1, 0.5}, {4, 1}}};
  EXPECT_EQ(RowOfSnr(steps.rates, 0.99), std::nullopt);
  EXPECT_EQ(RowOfSnr(steps.rates, 1), 0u);
  EXPECT_EQ(RowOfSnr(steps.rates, 1 - 1e-15), 0u);  // but for rounding
  EXPECT_EQ(RowOfSnr(steps.rates, 3.99), 0u);
  EXPECT_EQ(RowOfSnr(steps.rates, 4), 1u);
  EXPECT_EQ(RowOfSnr(steps.rates, 1e9), 1u);
  EXPECT_EQ(NatsOfSnr(steps, 0.5, INFINITY), 0);
  EXPECT_EQ(NatsOfSnr(steps, 5, INFINITY), std::numbers::ln2);
  EXPECT_EQ(NatsOfSnr({}, 3, INFINITY), std::log1p(3));
  EXPECT_EQ(NatsOfSnr({}, 3, 1), 1);
}

// No modem is better than Shannon's formula.
TEST(McsTable, BuiltInTablesAreSound) {
  for (const McsTableEntry& entry : McsTables()) {
    SCOPED_TRACE(entry.name);
    const McsTable table{.rows = {entry.rows.begin(), entry.rows.end()}};
    EXPECT_TRUE(Validate(table));
    for (const auto& [snr_db, rate] : table.rows) {
      EXPECT_LT(rate, std::log2(1 + FromDecibel(snr_db))) << snr_db;
    }
  }
  EXPECT_EQ(McsTables()[0].name, "cqi");
  EXPECT_EQ(McsTables()[0].rows.size(), 15u);
}

TEST(McsTable, LinkTakesItsRow) {
  Radio radio;
  radio.noise = FixedNoise{1e-3};
  radio.coding.mcs.rows = {{0, 0.5}, {10, 2}, {20, 4}};
  const LinkSite site{.distance_m = 1};  // a gain of 1
  const auto link = [&](double power_w) { return ComputeLink(radio, site, 100, power_w, 1000); };
  EXPECT_EQ(link(0.05).mcs_row, 1u);  // 17 dB
  EXPECT_EQ(link(0.05).rate_bps, 200);
  EXPECT_EQ(link(0.05).upload_s, 5);
  EXPECT_EQ(link(0.05).energy_j, 0.25);
  EXPECT_EQ(link(0.1).mcs_row, 2u);
  EXPECT_EQ(link(9e-4).mcs_row, std::nullopt);
  EXPECT_EQ(link(9e-4).upload_s, INFINITY);
  radio.coding.snr_gap_db = 10;
  EXPECT_EQ(link(0.05).mcs_row, 0u);
}

// Of Rayleigh gains e^-x are above x, so the mean is 1/2·e^(-1/10) + 3/2·e^-1 at an SNR of 10 dB.
TEST(McsTable, MeanOverFading) {
  LinkCoding coding;
  coding.mcs.rows = {{0, 0.5}, {10, 2}};
  const double mean = ErgodicEfficiency({.kind = Fading::kRayleigh}, coding, 0, 10);
  EXPECT_NEAR(mean, 0.5 * std::exp(-0.1) + 1.5 * std::exp(-1), 1e-14);
  EXPECT_EQ(ErgodicEfficiency({}, coding, 0, 10), 2);
}

class McsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "mcs_" + std::to_string(::getpid()) + ".csv";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  // Returns the message without the path.
  std::string MessageOf(const std::string& text) {
    std::ofstream(path_) << text;
    const auto rows = ReadMcsRows(path_);
    return rows.ok() ? "" : rows.error().message.substr(path_.size());
  }
  std::string path_;
};

TEST_F(McsFile, IsRead) {
  EXPECT_EQ(MessageOf("snr_db,bit_per_s_per_hz\n-5,0.25\n3.5,1\n"), "");
  EXPECT_EQ(*ReadMcsRows(path_), (std::vector<McsRow>{{-5, 0.25}, {3.5, 1}}));
}

TEST_F(McsFile, Errors) {
  const std::string header = "snr_db,bit_per_s_per_hz\n";
  EXPECT_EQ(MessageOf("snr,rate\n1,1\n"),
            ":1: columns snr,rate: an MCS table has snr_db,bit_per_s_per_hz");
  EXPECT_EQ(MessageOf(header), ": has a header but no rows");
  EXPECT_EQ(MessageOf(header + "1,x\n"), ":2: bit_per_s_per_hz = \"x\": must be a number");
  EXPECT_EQ(MessageOf(header + "1,0\n"), ":2: bit_per_s_per_hz = \"0\": must be > 0 and <= 100");
  EXPECT_EQ(MessageOf(header + "101,1\n"), ":2: snr_db = \"101\": must be -100 to 100");
  EXPECT_EQ(MessageOf(header + "1,1\n0.5,2\n"),
            ":3: snr_db = \"0.5\": must be more than 1 of the row before: both columns rise");
  EXPECT_EQ(
      MessageOf(header + "1,1\n2,1\n"),
      ":3: bit_per_s_per_hz = \"1\": must be more than 1 of the row before: both columns rise");
}

TEST(RadioStepsErrors, OfARadio) {
  const auto message = [](const auto& change) {
    Radio radio;
    change(radio);
    const Status status = Validate(radio);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(message([](Radio& radio) {
              radio.coding.mcs.rows = {{1, 1}, {0, 2}};
            }),
            "radio.mcs = [0, 2]: row 2: SNR and rate must rise, and row 1 is [1, 1]");
  EXPECT_EQ(message([](Radio& radio) {
              radio.power.levels_w = {2, 2};
            }),
            "radio.power_levels_w = 2: levels must rise, and the one before is 2");
  EXPECT_EQ(message([](Radio& radio) {
              radio.coding.mcs.rows = {{1, 1}};
              radio.coding.spectral_efficiency_cap = 2;
            }),
            "radio.spectral_efficiency_cap = 2: cannot stand beside radio.mcs, whose last row is "
            "the cap: leave it out");
  EXPECT_EQ(message([](Radio& radio) {
              radio.power.min_power_w = 1;
              radio.band.after_draw = AfterDraw::kTogether;
            }),
            "radio.after_draw = together: finds bands by Shannon's formula for powers of any size, "
            "which radio.min_power_w rules out: set it to strategy, own, equal or turns");
}

}  // namespace
}  // namespace airlot
