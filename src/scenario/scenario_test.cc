// These tests are of scenarios and their files: what they say of models and problems, defaults, and
// the built-in ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario_fleet.h"
#include "scenario/keys.h"
#include "scenario/scenario_for_tests.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

using scenario::ExpectSame;
using scenario::Message;
using scenario::Overrides;
using scenario::Read;

// --- Models and problems -------------------------------------------------------------------------

TEST(ModelTest, BothHaveThePapersNumberOfParameters) {
  ASSERT_GE(Models().size(), 2u);
  EXPECT_EQ(Models()[0].name, "cnn");
  EXPECT_EQ(ParameterCount(Models()[0]), 199210u);
  EXPECT_EQ(Models()[1].name, "mlp");
  EXPECT_EQ(ParameterCount(Models()[1]), 199210u);
}

TEST(ModelTest, UpdateBits) {
  EXPECT_EQ(*ModelBits(ModelChoice()), 6374720);
  EXPECT_EQ(*ModelBits({.name = "mlp", .bits_per_parameter = 8}), 1593680);
  EXPECT_EQ(*ModelBits({.name = "mlp", .parameters = 10, .bits_per_parameter = 1.5}), 15);
}

TEST(ScenarioTest, DefaultsOfPassesOnWhatAFleetNeeds) {
  const Scenario scenario =
      Read("[fleet]\ndevices = 7\n[radio]\nbandwidth_hz = 5\n[round]\ntime_limit_s = 3");
  const FleetDefaults defaults = DefaultsOf(scenario, {.update = 6374720, .model = 7}, 42);
  EXPECT_EQ(defaults.model.devices, 7u);
  EXPECT_EQ(defaults.radio.band.bandwidth_hz, 5);
  EXPECT_EQ(defaults.update_bits, 6374720);
  EXPECT_EQ(defaults.model_bits, 7);
  EXPECT_EQ(defaults.time_limit_s, 3);
  EXPECT_EQ(defaults.seed, 42u);
}

TEST(ScenarioTest, ProblemOfViewsTheFleet) {
  Fleet fleet;
  fleet.devices = 2;
  fleet.noise_to_gain_w = ColumnValues{1, 2};
  fleet.nat_time_s = 3.0;
  fleet.max_power_w = 4.0;
  fleet.energy_budget_j = ColumnValues{5, 6};
  fleet.compute_energy_j = 7.0;
  fleet.time_limit_s = 8.0;
  Radio radio;
  radio.coding.snr_gap_db = 10;
  radio.coding.spectral_efficiency_cap = 4.8;
  const RoundRules round = {.time_rule = TimeRule::kDeadline, .compute = ComputeRule::kAlways};
  const Result<PlanningProblem> result = ProblemOf(fleet, radio, round);
  ASSERT_TRUE(result.ok());
  const PlanningProblem& problem = *result;
  EXPECT_EQ(problem.devices, 2u);
  EXPECT_EQ(problem.noise_to_gain_w.values().data(),
            ColumnView(fleet.noise_to_gain_w).values().data());
  EXPECT_EQ(problem.nat_time_s[1], 3);
  EXPECT_EQ(problem.max_power_w[1], 4);
  EXPECT_EQ(problem.energy_budget_j[1], 6);
  EXPECT_EQ(problem.compute_energy_j[1], 7);
  EXPECT_EQ(problem.time_limit_s[1], 8);
  EXPECT_DOUBLE_EQ(problem.snr_gap, 10);
  EXPECT_EQ(problem.spectral_efficiency_cap, 4.8);
  EXPECT_EQ(problem.time_rule, TimeRule::kDeadline);
  EXPECT_EQ(problem.compute_rule, ComputeRule::kAlways);
}

TEST(ScenarioTest, ComputeTimeCountsOnlyWhereAskedFor) {
  Fleet fleet;
  fleet.devices = 1;
  fleet.compute_time_s = 9.0;
  EXPECT_EQ(ProblemOf(fleet, {}, {.count_compute_time = true})->compute_time_s[0], 9);
  EXPECT_EQ(ProblemOf(fleet, {}, {.count_compute_time = false})->compute_time_s[0], 0);
}

TEST(ScenarioTest, ComputeTimeThatCountsMustBeKnown) {
  Fleet fleet;
  fleet.devices = 1;
  EXPECT_TRUE(ProblemOf(fleet, {}, {.count_compute_time = false}).ok());
  const std::string message =
      "count_compute_time = true: the fleet gives compute_energy_j but no computation time; add a "
      "column compute_time_s";
  EXPECT_EQ(ProblemOf(fleet, {}, {.count_compute_time = true}).error().message, message);
  Scenario scenario;
  scenario.round.count_compute_time = true;
  EXPECT_EQ(ProblemOf(fleet, scenario).error().message, "round." + message);
}

// --- Defaults and built-in scenarios -------------------------------------------------------------

TEST(ScenarioTest, EmptyTextIsTheDefaultsUnderTheFilesName) {
  Scenario expected;
  expected.name = "x";
  ExpectSame(Read(""), expected);
  EXPECT_EQ(ParseScenario("", "some/where/mine.toml")->name, "mine");
  EXPECT_EQ(ParseScenario("", "some/where/\x1b.toml")->name, "unnamed");
}

// Scenarios choose how airtime is divided where they know what is learned.
void SetAirtime(double fairness, double energy_price, double participants, double data_exponent,
                Scenario& scenario) {
  scenario.strategy.At("airtime", "fairness") = fairness;
  scenario.strategy.At("airtime", "energy_price") = energy_price;
  scenario.strategy.At("airtime", "participants") = participants;
  scenario.strategy.At("airtime", "data_exponent") = data_exponent;
}

TEST(ScenarioTest, DefaultsAreTheFloat32CellWithoutItsData) {
  const Result<Scenario> scenario = ReadScenario("float32-cell");
  ASSERT_EQ(Message(scenario), "");
  Scenario expected;
  expected.data.dataset = "mnist";
  SetAirtime(0.7, 0.1, 1, 0, expected);
  ExpectSame(*scenario, expected);
  // The file says every key, so that ExpectSame compares it, but for keys of other partitions, and
  // the samples, which follow from the data.
  const std::set<std::string_view> left_out = {"radio.noise_figure_db", "fleet.samples",
                                               "data.shards_per_device", "data.overlap",
                                               "data.samples_per_device"};
  const auto built_in =
      std::ranges::find(BuiltInScenarios(), "float32-cell", &BuiltInScenario::name);
  ASSERT_NE(built_in, BuiltInScenarios().end());
  const std::string text(built_in->text);
  for (const ScenarioKey& key : ScenarioKeys()) {
    const std::string name(key.name.substr(key.name.rfind('.') + 1));
    if (scenario::FindKey(key.name)->is_brief) continue;
    const bool optional =
        (key.default_value.empty() && key.name != "data.dataset") || left_out.contains(key.name);
    EXPECT_EQ(text.find("\n" + name + " = ") == std::string::npos, optional) << key.name;
  }
}

// docs/reproduction.md has the reasons for this reading of what the paper leaves open.
TEST(ScenarioTest, PapersScenariosAreOneReading) {
  const Overrides uniform = {"strategy.uniform.devices=expected", "strategy.uniform.power=largest"};
  Scenario expected;
  expected.name = "paper-highly-biased";
  expected.rounds = 700;
  expected.evaluate_every = 20;
  expected.targets = {0.59, 0.80};
  expected.data.dataset = "mnist";
  expected.data.partition.beta = 0.1;
  expected.model.bits_per_parameter = 1;
  expected.learning.aggregation = Aggregation::kSum;
  expected.learning.rate = 0.5;
  expected.learning.batch = 0;  // a device computes on what it is charged for
  expected.fleet.max_power_w = Spread::Constant(0.01);
  expected.fleet.cycles_per_sample = Spread::Uniform(1e6, 4e6);
  expected.radio.noise = NoiseDensity{.dbm_per_hz = -90};
  expected.round.time_limit_s = 0.08;
  expected.strategy = ReadScenario("float32-cell", uniform)->strategy;
  SetAirtime(0.5, 100, 30, 1, expected);
  const Result<Scenario> first = ReadScenario("paper-highly-biased");
  ASSERT_EQ(Message(first), "");
  ExpectSame(*first, expected);
  expected.name = "paper-mildly-biased";
  expected.rounds = 160;
  expected.evaluate_every = 5;
  expected.data.partition.beta = 0.3;
  expected.round.time_limit_s = 0.5;
  expected.targets = {0.70, 0.86};
  const Result<Scenario> second = ReadScenario("paper-mildly-biased");
  ASSERT_EQ(Message(second), "");
  ExpectSame(*second, expected);
}

TEST(ScenarioTest, BuiltInsAreTheFilesAndParse) {
  ASSERT_EQ(BuiltInScenarios().size(), 6u);
  for (const BuiltInScenario& built_in : BuiltInScenarios()) {
    const std::string name(built_in.name);
    const auto compiled_in = ReadScenario(name);
    const auto file = ReadScenario("scenarios/" + name + ".toml");
    ASSERT_EQ(Message(compiled_in) + Message(file), "") << name;
    ExpectSame(*compiled_in, *file);
    EXPECT_EQ(compiled_in->name, name);
    EXPECT_TRUE(built_in.text.starts_with("# " + std::string(built_in.summary) + "\n"));
  }
  EXPECT_EQ(BuiltInScenarios()[0].summary,
            "The paper's first scenario: highly biased data and a time limit of 0.08 s.");
}

// --- Files ---------------------------------------------------------------------------------------

// These tests have a folder that is gone after the test.
class ScenarioFile : public testing::Test {
 protected:
  ScenarioFile() {
    std::string pattern = (fs::temp_directory_path() / "scenario_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ScenarioFile() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) const {
    std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  fs::path folder_;
};

TEST_F(ScenarioFile, FleetFileIsRelativeToTheScenario) {
  const std::string path = Write("mine.toml", "fleet.file = \"sub/fleet.csv\"");
  EXPECT_EQ(ReadScenario(path)->fleet.file, (folder_ / "sub/fleet.csv").string());
  EXPECT_EQ(ReadScenario(path)->name, "mine");
  const Overrides relative = {"fleet.file=other.csv"};
  EXPECT_EQ(ReadScenario(path, relative)->fleet.file, "other.csv");
  EXPECT_EQ(ReadScenario("paper-highly-biased", relative)->fleet.file, "other.csv");
  const Overrides none = {"fleet.file="};
  EXPECT_EQ(ReadScenario(path, none)->fleet.file, std::nullopt);
  const std::string absolute = Write("absolute.toml", "fleet.file = \"/data/fleet.csv\"");
  EXPECT_EQ(ReadScenario(absolute)->fleet.file, "/data/fleet.csv");
}

TEST_F(ScenarioFile, SizeIsCapped) {
  const std::string largest(std::size_t{1} << 20, '\n');
  EXPECT_EQ(Message(ReadScenario(Write("x.toml", largest))), "");
  const std::string path = Write("y.toml", largest + "\n");
  EXPECT_EQ(Message(ReadScenario(path)), path + ": is larger than 1048576 bytes");
}

TEST_F(ScenarioFile, LinesAreCapped) {
  std::string deep = "a";
  for (int i = 0; i < 50'000; ++i) deep += ".a";
  const std::string path = Write("x.toml", "\n" + deep + " = 1\n");
  EXPECT_EQ(Message(ReadScenario(path)), path + ":2: line is longer than 8192 bytes");
  EXPECT_EQ(Message(ReadScenario(Write("y.toml", "#" + std::string(8191, 'x') + "\n"))), "");
}

TEST_F(ScenarioFile, WhatIsNotThere) {
  EXPECT_EQ(Message(ReadScenario("no-such.toml")),
            "no-such.toml: cannot open: No such file or directory");
  EXPECT_EQ(Message(ReadScenario("./no-such")),
            "./no-such: cannot open: No such file or directory");
  EXPECT_EQ(Message(ReadScenario(folder_.string())),
            folder_.string() + ": is a directory, not a file");
  EXPECT_EQ(Message(ReadScenario("paper-higly-biased")),
            "unknown scenario \"paper-higly-biased\": did you mean paper-highly-biased? "
            "(built in: paper-highly-biased, paper-mildly-biased, float32-cell, equal-rules, "
            "urban-cell, fleet; a "
            "file needs a '/' or ends in .toml)");
  EXPECT_EQ(Message(ReadScenario("xyz")),
            "unknown scenario \"xyz\" "
            "(built in: paper-highly-biased, paper-mildly-biased, float32-cell, equal-rules, "
            "urban-cell, fleet; a "
            "file needs a '/' or ends in .toml)");
}

}  // namespace
}  // namespace airlot
