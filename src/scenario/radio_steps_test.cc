// The keys of radios whose powers or rates come in steps.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario.h"

namespace airlot {
namespace {

std::string StepMessageOf(std::string_view radio, const std::vector<std::string>& overrides = {}) {
  const auto scenario =
      ParseScenario("[radio]\n" + std::string(radio), "x.toml", overrides, "--set");
  return scenario.ok() ? "" : scenario.error().message;
}

Scenario StepScenarioOf(std::string_view radio, const std::vector<std::string>& overrides = {}) {
  const auto scenario =
      ParseScenario("[radio]\n" + std::string(radio), "x.toml", overrides, "--set");
  EXPECT_TRUE(scenario.ok()) << scenario.error().message;
  return scenario.ok() ? *scenario : Scenario{};
}

TEST(RadioStepKeys, AreRead) {
  const Radio radio =
      StepScenarioOf("mcs = [[-5, 0.25], [3.5, 1]]\nmin_power_w = 1e-7\npower_step_db = 1").radio;
  EXPECT_EQ(radio.coding.mcs, (McsTable{"", {{-5, 0.25}, {3.5, 1}}}));
  EXPECT_EQ(radio.power, (PowerControl{.min_power_w = 1e-7, .step_db = 1}));
  EXPECT_EQ(StepScenarioOf("mcs = \"cqi\"").radio.coding.mcs.rows.size(), 15u);
  EXPECT_EQ(StepScenarioOf("", {"radio.mcs=cqi"}).radio.coding.mcs.name, "cqi");
  EXPECT_EQ(StepScenarioOf("mcs = \"cqi\"", {"radio.mcs=[[1,2]]"}).radio.coding.mcs.rows.size(),
            1u);
  EXPECT_EQ(StepScenarioOf("mcs = \"cqi\"", {"radio.mcs="}).radio.coding.mcs, McsTable{});
  EXPECT_EQ(StepScenarioOf("power_levels_w = [0.01, 0.1]").radio.power.levels_w,
            (std::vector<double>{0.01, 0.1}));
  // An override takes the place of its rivals.
  EXPECT_EQ(StepScenarioOf("min_power_w = 1e-7\npower_step_db = 1", {"radio.power_levels_w=[0.1]"})
                .radio.power,
            (PowerControl{.levels_w = {0.1}}));
}

// The SNRs of a table are those of real codes, so that a file's gap to Shannon's formula goes with
// the formula. A gap that is given with the table counts.
TEST(RadioStepKeys, ATableTakesThePlaceOfTheGap) {
  const auto gap_db = [](std::string_view radio, const std::vector<std::string>& overrides) {
    return StepScenarioOf(radio, overrides).radio.gap_db();
  };
  EXPECT_EQ(gap_db("snr_gap_db = 3\nspectral_efficiency_cap = 2", {}), 3);
  EXPECT_EQ(gap_db("snr_gap_db = 3\nspectral_efficiency_cap = 2", {"radio.mcs=cqi"}), 0);
  EXPECT_EQ(gap_db("snr_gap_db = 3", {"radio.mcs="}), 3);
  EXPECT_EQ(gap_db("snr_gap_db = 3", {"radio.mcs=cqi", "radio.snr_gap_db=1"}), 1);
  EXPECT_EQ(gap_db("snr_gap_db = 3", {"radio.snr_gap_db=1", "radio.mcs=cqi"}), 1);
  EXPECT_EQ(gap_db("snr_gap_db = 3\nmcs = \"cqi\"", {}), 3);
}

// An override takes the place of what a file says, but not of another override.
TEST(RadioStepKeys, OverridesThatContradictEachOther) {
  EXPECT_EQ(StepMessageOf("", {"radio.mcs=cqi", "radio.spectral_efficiency_cap=3"}),
            "--set radio.mcs=cqi: cannot stand beside radio.spectral_efficiency_cap: remove one of "
            "the two");
  EXPECT_NE(StepMessageOf("", {"radio.min_power_w=1e-3", "radio.power_levels_w=[0.1]"})
                .find("cannot stand beside"),
            std::string::npos);
}

TEST(RadioStepKeys, AreWrittenAsTheyWereRead) {
  for (const std::string_view text :
       {"mcs = \"cqi\"", "mcs = [[-5, 0.25], [3.5, 1]]", "min_power_w = 1e-07\npower_step_db = 1",
        "power_levels_w = [0.01, 0.1]"}) {
    const Scenario scenario = StepScenarioOf(text);
    const std::string written = FormatScenario(scenario);
    EXPECT_NE(written.find(text), std::string::npos) << written;
    const auto again = ParseScenario(written, "x.toml");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->radio, scenario.radio);
  }
  const std::string plain = FormatScenario(Scenario{});
  EXPECT_EQ(plain.find("mcs"), std::string::npos);
  EXPECT_EQ(plain.find("power_levels_w"), std::string::npos);
}

TEST(RadioStepKeys, Errors) {
  EXPECT_EQ(StepMessageOf("mcs = []"),
            "x.toml:2: radio.mcs = []: must be the name of a table (cqi), a file, or a list of at "
            "least one row [snr_db, bit_per_s_per_hz]");
  EXPECT_EQ(StepMessageOf("mcs = [[1, 2, 3]]"),
            "x.toml:2: radio.mcs = [[1, 2, 3]]: each row must be [snr_db, bit_per_s_per_hz]");
  EXPECT_EQ(StepMessageOf("mcs = [[1, 1], [2, 1]]"),
            "x.toml:2: radio.mcs = [[1, 1], [2, 1]]: row 2: SNR and rate must rise, and row 1 is "
            "[1, 1]");
  EXPECT_EQ(StepMessageOf("mcs = [[1, 1], [0, 2]]"),
            "x.toml:2: radio.mcs = [[1, 1], [0, 2]]: row 2: SNR and rate must rise, and row 1 is "
            "[1, 1]");
  EXPECT_EQ(StepMessageOf("mcs = [[1, -1]]"),
            "x.toml:2: radio.mcs = [[1, -1]]: row 1: the rate must be > 0 and <= 100 bit/s/Hz");
  EXPECT_EQ(StepMessageOf("mcs = \"cqui\""), "x.toml:2: radio.mcs = \"cqui\": did you mean cqi?");
  EXPECT_EQ(StepMessageOf("mcs = \"tables/none.csv\""),
            "x.toml:2: radio.mcs = \"tables/none.csv\": there is no such file (built in: cqi)");
  EXPECT_EQ(StepMessageOf("mcs = \"cqi\"\nspectral_efficiency_cap = 4"),
            "x.toml:2: radio.mcs = \"cqi\": cannot stand beside radio.spectral_efficiency_cap: "
            "remove one of the two");
  EXPECT_EQ(StepMessageOf("power_step_db = 1"),
            "x.toml:2: radio.power_step_db = 1: needs radio.min_power_w");
  EXPECT_EQ(StepMessageOf("min_power_w = 1e-7\npower_step_db = -1"),
            "x.toml:3: radio.power_step_db = -1: must be 0.01 to 100");
  EXPECT_EQ(StepMessageOf("min_power_w = -1"), "x.toml:2: radio.min_power_w = -1: must be >= 0");
  EXPECT_EQ(StepMessageOf("power_levels_w = [0.1, 0]"),
            "x.toml:2: radio.power_levels_w = [0.1, 0]: each must be > 0");
  EXPECT_EQ(StepMessageOf("power_levels_w = [0.1, 0.05]"),
            "x.toml: radio.power_levels_w = 0.05: levels must rise, and the one before is 0.1");
  EXPECT_EQ(StepMessageOf("min_power_w = 0.01\npower_levels_w = [0.1]"),
            "x.toml:2: radio.min_power_w = 0.01: cannot stand beside radio.power_levels_w: remove "
            "one of the two");
  EXPECT_EQ(StepMessageOf("mcs = \"cqi\"\nafter_draw = \"least-energy\""),
            "x.toml: radio.after_draw = least-energy: finds bands by Shannon's formula for powers "
            "of any size, which radio.mcs rules out: set it to strategy, own, equal or turns");
}

TEST(RadioStepKeys, AFileIsRelativeToTheScenarioAndBecomesPartOfIt) {
  const std::filesystem::path folder = ::testing::TempDir() + "steps_" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "modem.csv") << "snr_db,bit_per_s_per_hz\n0,0.5\n10,2\n";
  std::ofstream(folder / "s.toml") << "[radio]\nmcs = \"modem.csv\"\n";
  const auto scenario = ReadScenario((folder / "s.toml").string());
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_EQ(scenario->radio.coding.mcs, (McsTable{"", {{0, 0.5}, {10, 2}}}));
  EXPECT_NE(FormatScenario(*scenario).find("mcs = [[0, 0.5], [10, 2]]"), std::string::npos);
  std::ofstream(folder / "modem.csv") << "snr_db,bit_per_s_per_hz\n0,0.5\n10,0.5\n";
  const auto wrong = ReadScenario((folder / "s.toml").string());
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, (folder / "modem.csv").string() +
                                       ":3: bit_per_s_per_hz = \"0.5\": must be more than "
                                       "0.5 of the row before: both columns rise");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace airlot
