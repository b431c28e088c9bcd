#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario_fleet.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

using Overrides = std::vector<std::string>;

// What is wrong with a scenario, or "" if nothing is.
std::string Message(const Result<Scenario>& scenario) {
  return scenario.ok() ? "" : scenario.error().message;
}

Scenario Read(std::string_view text, const Overrides& overrides = {}) {
  const Result<Scenario> scenario = ParseScenario(text, "x.toml", overrides);
  EXPECT_EQ(Message(scenario), "");
  return scenario ? *scenario : Scenario();
}

// Field by field: a comparison of formatted scenarios could not see a key that is never formatted.
void ExpectSame(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.evaluate_every, b.evaluate_every);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.learning.rate, b.learning.rate);
  EXPECT_EQ(a.learning.batch, b.learning.batch);
  EXPECT_EQ(a.learning.aggregation, b.learning.aggregation);
  EXPECT_EQ(a.learning.least_probability, b.learning.least_probability);
  EXPECT_EQ(a.learning.momentum, b.learning.momentum);
  EXPECT_EQ(a.learning.local_steps, b.learning.local_steps);
  EXPECT_EQ(a.learning.local_epochs, b.learning.local_epochs);
  EXPECT_EQ(a.learning.rule, b.learning.rule);
  EXPECT_EQ(a.learning.server_rate, b.learning.server_rate);
  EXPECT_EQ(a.learning.proximal, b.learning.proximal);
  EXPECT_EQ(a.learning.beta1, b.learning.beta1);
  EXPECT_EQ(a.learning.beta2, b.learning.beta2);
  EXPECT_EQ(a.learning.tau, b.learning.tau);
  EXPECT_EQ(a.learning.bias_correction, b.learning.bias_correction);
  EXPECT_EQ(a.learning.compression.method, b.learning.compression.method);
  EXPECT_EQ(a.learning.compression.keep, b.learning.compression.keep);
  EXPECT_EQ(a.learning.compression.levels, b.learning.compression.levels);
  EXPECT_EQ(a.learning.compression.bucket, b.learning.compression.bucket);
  EXPECT_EQ(a.radio.server_power_w, b.radio.server_power_w);
  EXPECT_EQ(a.radio.propagation.frequency_hz, b.radio.propagation.frequency_hz);
  EXPECT_EQ(a.radio.propagation.base_height_m, b.radio.propagation.base_height_m);
  EXPECT_EQ(a.radio.propagation.device_height_m, b.radio.propagation.device_height_m);
  EXPECT_EQ(a.radio.propagation.building_height_m, b.radio.propagation.building_height_m);
  EXPECT_EQ(a.radio.propagation.street_width_m, b.radio.propagation.street_width_m);
  EXPECT_EQ(a.radio.propagation.open_office, b.radio.propagation.open_office);
  EXPECT_EQ(a.radio.propagation.path_loss_exponent, b.radio.propagation.path_loss_exponent);
  EXPECT_EQ(a.radio.propagation.reference_loss_db, b.radio.propagation.reference_loss_db);
  EXPECT_EQ(a.radio.propagation.shadowing, b.radio.propagation.shadowing);
  EXPECT_EQ(a.idle_shadowing_sd_db, b.idle_shadowing_sd_db);
  EXPECT_EQ(a.radio.fading.kind, b.radio.fading.kind);
  EXPECT_EQ(a.radio.fading.rician_k_db, b.radio.fading.rician_k_db);
  EXPECT_EQ(a.radio.fading.nakagami_m, b.radio.fading.nakagami_m);
  EXPECT_EQ(a.radio.band.sharing, b.radio.band.sharing);
  EXPECT_EQ(a.radio.band.block_hz, b.radio.band.block_hz);
  EXPECT_EQ(a.radio.consumption.amplifier_efficiency, b.radio.consumption.amplifier_efficiency);
  EXPECT_EQ(a.radio.consumption.circuit_power_w, b.radio.consumption.circuit_power_w);
  EXPECT_EQ(a.radio.consumption.receive_power_w, b.radio.consumption.receive_power_w);
  EXPECT_TRUE(a.fleet.battery_j == b.fleet.battery_j);
  EXPECT_TRUE(a.fleet.harvest_w == b.fleet.harvest_w);
  EXPECT_EQ(a.round.time_weight, b.round.time_weight);
  EXPECT_EQ(a.round.empty, b.round.empty);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.data.dataset, b.data.dataset);
  EXPECT_EQ(a.data.partition.method, b.data.partition.method);
  EXPECT_EQ(a.data.partition.beta, b.data.partition.beta);
  EXPECT_EQ(a.data.partition.minimum_samples, b.data.partition.minimum_samples);
  EXPECT_EQ(a.data.partition.shards_per_device, b.data.partition.shards_per_device);
  EXPECT_EQ(a.data.partition.samples_per_device, b.data.partition.samples_per_device);
  EXPECT_EQ(a.data.partition.overlap, b.data.partition.overlap);
  EXPECT_EQ(a.model.name, b.model.name);
  EXPECT_EQ(a.model.parameters, b.model.parameters);
  EXPECT_EQ(a.model.bits_per_parameter, b.model.bits_per_parameter);
  EXPECT_EQ(a.fleet.devices, b.fleet.devices);
  EXPECT_EQ(a.fleet.area_m, b.fleet.area_m);
  EXPECT_TRUE(a.fleet.max_power_w == b.fleet.max_power_w);
  EXPECT_TRUE(a.fleet.kappa == b.fleet.kappa);
  EXPECT_TRUE(a.fleet.energy_budget_j == b.fleet.energy_budget_j);
  EXPECT_TRUE(a.fleet.cycles_per_sample == b.fleet.cycles_per_sample);
  EXPECT_TRUE(a.fleet.cpu_hz == b.fleet.cpu_hz);
  EXPECT_TRUE(a.fleet.samples == b.fleet.samples);
  EXPECT_EQ(a.fleet.file, b.fleet.file);
  EXPECT_EQ(a.radio.propagation.path_loss, b.radio.propagation.path_loss);
  EXPECT_EQ(a.radio.noise, b.radio.noise);
  EXPECT_EQ(a.radio.band.bandwidth_hz, b.radio.band.bandwidth_hz);
  EXPECT_EQ(a.radio.coding.snr_gap_db, b.radio.coding.snr_gap_db);
  EXPECT_EQ(a.radio.coding.spectral_efficiency_cap, b.radio.coding.spectral_efficiency_cap);
  EXPECT_EQ(a.round.time_limit_s, b.round.time_limit_s);
  EXPECT_EQ(a.round.time_rule, b.round.time_rule);
  EXPECT_EQ(a.round.count_compute_time, b.round.count_compute_time);
  EXPECT_EQ(a.round.compute, b.round.compute);
  EXPECT_EQ(a.round.min_probability, b.round.min_probability);
}

// A folder that is gone after the test.
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

// --- Models and problems -------------------------------------------------------------------------

TEST(ModelTest, BothHaveThePapersNumberOfParameters) {
  ASSERT_EQ(Models().size(), 2u);
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
  EXPECT_NEAR(problem.snr_gap, 10, 1e-12);
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

TEST(ScenarioTest, DefaultsAreThePapersFirstScenarioWithoutItsData) {
  const Result<Scenario> scenario = ReadScenario("paper-highly-biased");
  ASSERT_EQ(Message(scenario), "");
  Scenario expected;
  expected.data.dataset = "mnist";
  ExpectSame(*scenario, expected);
  // The file says each of them, so the line above compares them; but for keys of other partitions,
  // and the samples, which follow from the data.
  const std::set<std::string_view> left_out = {"radio.noise_figure_db", "fleet.samples",
                                               "data.shards_per_device", "data.overlap",
                                               "data.samples_per_device"};
  std::string text(BuiltInScenarios()[0].text);
  for (const ScenarioKey& key : ScenarioKeys()) {
    const std::string name(key.name.substr(key.name.rfind('.') + 1));
    if (scenario::FindKey(key.name)->is_brief) continue;
    const bool optional =
        (key.default_value.empty() && key.name != "data.dataset") || left_out.contains(key.name);
    EXPECT_EQ(text.find("\n" + name + " = ") == std::string::npos, optional) << key.name;
  }
}

TEST(ScenarioTest, SecondScenarioDiffersInNameRoundsBetaLimitAndTargets) {
  const Result<Scenario> scenario = ReadScenario("paper-mildly-biased");
  ASSERT_EQ(Message(scenario), "");
  Scenario expected;
  expected.name = "paper-mildly-biased";
  expected.rounds = 1000;
  expected.data.dataset = "mnist";
  expected.data.partition.beta = 0.3;
  expected.round.time_limit_s = 0.5;
  expected.targets = {0.70, 0.86};
  ExpectSame(*scenario, expected);
}

TEST(ScenarioTest, BuiltInsAreTheFilesAndParse) {
  ASSERT_EQ(BuiltInScenarios().size(), 3u);
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

// --- Values, overrides, round trip ---------------------------------------------------------------

TEST(ScenarioTest, ReadsEveryFormOfAValue) {
  const Scenario scenario = Read(R"(
    round.count_compute_time = true
    [fleet.cpu_hz]
    uniform = [1, 2.5]
    [fleet]
    devices = 1e3
    area_m = 5
    kappa = -0.0
    energy_budget_j = { log_uniform = [0.5, 2] }
    samples = { uniform = [0, 0] }
    [radio]
    noise_w = 1_0.5)");
  EXPECT_EQ(scenario.fleet.devices, 1000u);
  EXPECT_TRUE(scenario.fleet.cpu_hz == Spread::Uniform(1, 2.5));
  EXPECT_EQ(scenario.fleet.area_m, 5);
  EXPECT_TRUE(scenario.fleet.kappa == Spread::Constant(0));
  EXPECT_FALSE(std::signbit(scenario.fleet.kappa.low));
  EXPECT_TRUE(scenario.fleet.energy_budget_j == Spread::LogUniform(0.5, 2));
  EXPECT_TRUE(scenario.fleet.samples == Spread::Uniform(0, 0));
  EXPECT_EQ(scenario.radio.noise, Noise(FixedNoise{10.5}));
  EXPECT_TRUE(scenario.round.count_compute_time);
}

TEST(ScenarioTest, AcceptsByteOrderMarkCarriageReturnsAndForeignLettersInTextAndComments) {
  const Scenario scenario =
      Read("\xEF\xBB\xBFname = \"r\u00e9seau\" # \u00e0 nous\r\n[fleet]\r\ndevices = 3\r\n");
  EXPECT_EQ(scenario.name, "r\u00e9seau");
  EXPECT_EQ(scenario.fleet.devices, 3u);
}

// A value other than the default for every key there is.
Overrides AnotherValueOfEveryKey() {
  Overrides overrides{"name=\"a \\\"b\\\" \\\\ c\"",
                      "rounds=7",
                      "evaluate_every=3",
                      "targets=[0.5, 1]",
                      "data.dataset=digits",
                      "data.partition=client-dirichlet",
                      "data.beta=1e-9",
                      "data.minimum_samples=0",
                      "data.shards_per_device=7",
                      "data.samples_per_device=123456789",
                      "data.overlap=true",
                      "model.name=mlp",
                      "model.parameters=12345678901234567890.0",
                      "model.bits_per_parameter=0.1",
                      "learning.rate=0.25",
                      "learning.batch=0",
                      "learning.aggregation=unbiased",
                      "learning.least_probability=0.01",
                      "learning.rule=fedyogi",
                      "learning.server_rate=0.5",
                      "learning.momentum=0.9",
                      "learning.proximal=0.01",
                      "learning.beta1=0.8",
                      "learning.beta2=0.95",
                      "learning.tau=1e-3",
                      "learning.bias_correction=true",
                      "learning.local_steps=5",
                      "learning.local_epochs=2",
                      "learning.compression=qsgd",
                      "learning.keep=0.5",
                      "learning.levels=3",
                      "learning.bucket=64",
                      "fleet.devices=1000000000",
                      "fleet.area_m=1e22",
                      "fleet.max_power_w={ uniform = [0.1, 0.3] }",
                      "fleet.kappa=3e-29",
                      "fleet.energy_budget_j=0",
                      "fleet.cycles_per_sample={log_uniform=[1,9007199254740993]}",
                      "fleet.cpu_hz=0.3",
                      "fleet.samples=7",
                      "fleet.battery_j={ uniform = [5, 50] }",
                      "fleet.harvest_w=0.25",
                      "fleet.file=some/fleet.csv",
                      "radio.path_loss=\"log-distance\"",
                      "radio.frequency_hz=2e9",
                      "radio.base_height_m=30",
                      "radio.device_height_m=2",
                      "radio.building_height_m=10",
                      "radio.street_width_m=15",
                      "radio.open_office=true",
                      "radio.path_loss_exponent=3.5",
                      "radio.reference_loss_db=38.5",
                      "radio.shadowing=true",
                      "radio.shadowing_sd_db=7",
                      "radio.fading=nakagami",
                      "radio.rician_k_db=6",
                      "radio.nakagami_m=2",
                      "radio.noise_w=2e-12",
                      "radio.noise_dbm_per_hz=-174",
                      "radio.noise_figure_db=5.5",
                      "radio.bandwidth_hz=123456.789",
                      "radio.sharing=blocks",
                      "radio.block_hz=360e3",
                      "radio.snr_gap_db=3",
                      "radio.spectral_efficiency_cap=4.8",
                      "radio.server_power_w=40",
                      "radio.amplifier_efficiency=0.5",
                      "radio.circuit_power_w=0.125",
                      "radio.receive_power_w=0.25",
                      "round.time_limit_s=1e-40",
                      "round.time_rule=deadline",
                      "round.count_compute_time=true",
                      "round.compute=always",
                      "round.min_probability=0.05",
                      "round.time_weight=0.5",
                      "round.empty=wait"};
  for (const StrategyEntry& entry : Strategies()) {
    for (const StrategyOption& option : entry.options) {
      const double other = option.value == option.low ? option.high : option.low;
      overrides.push_back(fmt::format("strategy.{}.{}={}", entry.name, option.name, other));
    }
  }
  return overrides;
}

TEST(ScenarioTest, EveryKeyCanBeSetAndRoundTrips) {
  const Overrides overrides = AnotherValueOfEveryKey();
  ASSERT_EQ(overrides.size(), ScenarioKeys().size());
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const std::string_view key = ScenarioKeys()[i].name;
    EXPECT_TRUE(overrides[i].starts_with(std::string(key) + "=")) << key;
    Overrides some;  // what the key needs
    if (key == "fleet.harvest_w") some.emplace_back("fleet.battery_j=5");
    if (key == "radio.shadowing") some.emplace_back("radio.shadowing_sd_db=8");
    if (key == "radio.fading") some.emplace_back("radio.nakagami_m=2");
    if (key == "radio.noise_figure_db") some.emplace_back("radio.noise_dbm_per_hz=-100");
    if (key.starts_with("data.") && key != "data.dataset") some.emplace_back("data.dataset=mnist");
    if (key == "learning.keep" || key == "learning.levels" || key == "learning.bucket") {
      some.emplace_back("learning.compression=top-k");
    }
    const std::string before = FormatScenario(Read("", some));
    some.push_back(overrides[i]);
    const Scenario scenario = Read("", some);
    ExpectSame(Read(FormatScenario(scenario)), scenario);
    EXPECT_NE(FormatScenario(scenario), before) << key;
  }
  const Scenario all = Read("", overrides);
  EXPECT_EQ(all.name, "a \"b\" \\ c");
  EXPECT_EQ(all.model.parameters, 12345678901234567890.0);
  EXPECT_EQ(all.fleet.devices, 1000000000u);
  EXPECT_TRUE(all.fleet.cycles_per_sample == Spread::LogUniform(1, 9007199254740992));
  EXPECT_EQ(all.fleet.file, "some/fleet.csv");
  EXPECT_EQ(all.round.compute, ComputeRule::kAlways);
  ExpectSame(Read(FormatScenario(all)), all);
}

TEST(ScenarioTest, FormatsAsSectionsAndLeavesOutWhatIsNotSet) {
  EXPECT_EQ(FormatScenario(Scenario()), R"(name = "paper-highly-biased"
rounds = 3000
evaluate_every = 20
targets = [0.59, 0.8]

[model]
name = "cnn"
bits_per_parameter = 32

[learning]
rate = 0.1
batch = 32
aggregation = "average"
least_probability = 0
local_steps = 1
local_epochs = 0

[fleet]
devices = 100
area_m = 1000
max_power_w = 0.2
kappa = 1e-28
energy_budget_j = { log_uniform = [0.001, 100] }
cycles_per_sample = { uniform = [2e+06, 8e+06] }
cpu_hz = { uniform = [1e+09, 3e+09] }
samples = 600

[radio]
path_loss = "inverse-square"
noise_w = 1e-12
bandwidth_hz = 1e+07
snr_gap_db = 0

[round]
time_limit_s = 0.08
time_rule = "expected"
count_compute_time = false
compute = "participants"
min_probability = 0
empty = "skip"
)");
}

TEST(ScenarioTest, LaterOverridesWinOverEarlierOnesAndTheFile) {
  const std::string file = "[fleet]\ndevices = 5\narea_m = 6\n";
  const Scenario scenario = Read(file, {"fleet.devices=7", " fleet.devices = 8 ", "name=2024"});
  EXPECT_EQ(scenario.fleet.devices, 8u);
  EXPECT_EQ(scenario.fleet.area_m, 6);
  EXPECT_EQ(scenario.name, "2024");
}

TEST(ScenarioTest, OverridingOneNoiseReplacesTheOther) {
  const Scenario density = Read("[radio]\nnoise_w = 3", {"radio.noise_dbm_per_hz=-174"});
  EXPECT_EQ(density.radio.noise, Noise(NoiseDensity{.dbm_per_hz = -174}));
  const Scenario power =
      Read("[radio]\nnoise_dbm_per_hz = -174\nnoise_figure_db = 5", {"radio.noise_w=3"});
  EXPECT_EQ(power.radio.noise, Noise(FixedNoise{3}));
}

TEST(ScenarioTest, KeysSayTheirDefaults) {
  std::map<std::string_view, std::string> defaults;
  for (const ScenarioKey& key : ScenarioKeys()) {
    EXPECT_TRUE(key.summary.ends_with('.')) << key.name;
    EXPECT_TRUE(defaults.emplace(key.name, key.default_value).second) << key.name;
  }
  EXPECT_EQ(defaults.at("fleet.area_m"), "1000");
  EXPECT_EQ(defaults.at("fleet.energy_budget_j"), "{ log_uniform = [0.001, 100] }");
  EXPECT_EQ(defaults.at("round.time_rule"), "\"expected\"");
  EXPECT_EQ(defaults.at("radio.noise_dbm_per_hz"), "");
  EXPECT_EQ(defaults.at("model.parameters"), "");
}

// --- Files ---------------------------------------------------------------------------------------

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
            "('airlot list scenarios' shows all; a file needs a '/' or ends in .toml)");
  EXPECT_EQ(Message(ReadScenario("xyz")),
            "unknown scenario \"xyz\" "
            "('airlot list scenarios' shows all; a file needs a '/' or ends in .toml)");
}

}  // namespace
}  // namespace airlot
