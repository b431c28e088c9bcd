// These tests are of the keys of a scenario: every form of a value, overrides, and the way back to
// text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario_fleet.h"
#include "base/mutations_for_tests.h"
#include "scenario/keys.h"
#include "scenario/scenario_for_tests.h"
#include "scenario/text.h"

namespace airlot {
namespace {

using scenario::ExpectSame;
using scenario::Message;
using scenario::Overrides;
using scenario::Read;

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

// Returns a value other than the default for every key there is.
Overrides AnotherValueOfEveryKey() {
  Overrides overrides{"name=\"a \\\"b\\\" \\\\ c\"",
                      "rounds=7",
                      "evaluate_every=3",
                      "targets=[0.5, 1]",
                      "stop_at_targets=true",
                      "data.dataset=digits",
                      "data.standardise=true",
                      "data.partition=client-dirichlet",
                      "data.beta=1e-9",
                      "data.minimum_samples=0",
                      "data.shards_per_device=7",
                      "data.samples_per_device=123456789",
                      "data.overlap=true",
                      "data.partition_file=who.csv",
                      "model.name=mine",
                      "model.layers=[{ kind = \"dense\", units = 7 }]",
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
                      "fleet.ignore_unknown=true",
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
                      "radio.after_draw=turns",
                      "radio.snr_gap_db=3",
                      "radio.spectral_efficiency_cap=4.8",
                      "radio.mcs=[[-5, 0.25], [3.5, 1]]",
                      "radio.min_power_w=1e-7",
                      "radio.power_step_db=0.5",
                      "radio.power_levels_w=[0.01, 0.1]",
                      "radio.channel_error_db=3",
                      "radio.channel_correlation=0.9",
                      "radio.margin_db=2",
                      "radio.packet_error_rate=0.1",
                      "radio.packet_bits=8000",
                      "radio.retransmissions=7",
                      "radio.server_power_w=40",
                      "radio.amplifier_efficiency=0.5",
                      "radio.circuit_power_w=0.125",
                      "radio.receive_power_w=0.25",
                      "round.time_limit_s=1e-40",
                      "round.time_rule=deadline",
                      "round.count_compute_time=true",
                      "round.compute=always",
                      "round.period_s=900",
                      "round.min_probability=0.05",
                      "round.time_weight=0.5",
                      "round.airtime=true",
                      "round.empty=wait",
                      "books.upload_time=false",
                      "books.compute_time=true",
                      "books.download_time=true",
                      "planning.solver=literal",
                      "planning.start_probability=0.5",
                      "planning.inner_tolerance_j=1e-3",
                      "planning.outer_tolerance=0.25",
                      "strategy.first=random",
                      "strategy.budget=strict"};
  for (const StrategyEntry& entry : Strategies()) {
    for (const StrategyOption& option : entry.options) {
      const double other = option.value == option.low ? option.high : option.low;
      const bool takes_word = !option.words.empty() && option.words.back().value != option.value;
      overrides.push_back(
          fmt::format("strategy.{}.{}={}", entry.name, option.name,
                      takes_word ? option.words.back().name : fmt::format("{}", other)));
    }
  }
  return overrides;
}

// Returns the overrides without those that a later one excludes, and what needs them. The
// correlation of amplitudes needs another fading, and no other error of the channel beside it.
Overrides WithoutRivals(const Overrides& overrides) {
  const auto key_of = [](const std::string& text) {
    return scenario::FindKey(text.substr(0, text.find('=')));
  };
  Overrides kept;
  for (const std::string& text : overrides) {
    if (text == "radio.channel_correlation=0.9") continue;
    const scenario::Key* key = key_of(text);
    const auto is_rival = [&](const scenario::Key* other) {
      return other->beside.excludes == key->name || key->beside.excludes == other->name;
    };
    std::erase_if(kept, [&](const std::string& other) {
      const scenario::Key* needed = scenario::FindKey(key_of(other)->beside.needs);
      return is_rival(key_of(other)) || (needed != nullptr && is_rival(needed));
    });
    kept.push_back(text);
  }
  return kept;
}

TEST(ScenarioTest, EveryKeyCanBeSetAndRoundTrips) {
  const Overrides overrides = AnotherValueOfEveryKey();
  ASSERT_EQ(overrides.size(), ScenarioKeys().size());
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const std::string_view key = ScenarioKeys()[i].name;
    EXPECT_TRUE(overrides[i].starts_with(std::string(key) + "=")) << key;
    Overrides some;  // other keys that this key needs
    if (key == "model.name") some.emplace_back("model.layers=[]");
    if (key == "fleet.harvest_w") some.emplace_back("fleet.battery_j=5");
    if (key == "radio.shadowing") some.emplace_back("radio.shadowing_sd_db=8");
    if (key == "radio.channel_correlation") some.emplace_back("radio.fading=rayleigh");
    if (key == "radio.fading") some.emplace_back("radio.nakagami_m=2");
    if (key == "radio.power_step_db") some.emplace_back("radio.min_power_w=1e-6");
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
  const Scenario all = Read("", WithoutRivals(overrides));
  EXPECT_EQ(all.name, "a \"b\" \\ c");
  EXPECT_EQ(all.model.parameters, 12345678901234567890.0);
  EXPECT_EQ(all.fleet.devices, 1000000000u);
  EXPECT_TRUE(all.fleet.cycles_per_sample == Spread::LogUniform(1, 9007199254740992));
  EXPECT_EQ(all.fleet.file, "some/fleet.csv");
  EXPECT_EQ(all.round.compute, ComputeRule::kAlways);
  ExpectSame(Read(FormatScenario(all)), all);
}

// A text with every key and errors of all kinds gives a scenario that comes back from its text, or
// an error that names the file.
TEST(ScenarioTest, MutationsAreReadOrRefused) {
  const std::string text = FormatScenario(Read("", WithoutRivals(AnotherValueOfEveryKey())));
  std::size_t read = 0, refused = 0;
  base::ForEachMutation(text, 1500, [&](const std::string& mutated) {
    scenario::CountCharacters(mutated);
    scenario::KeyValuesOf(mutated);
    const auto parsed = ParseScenario(mutated, "x.toml");
    if (!parsed) {
      ++refused;
      ASSERT_TRUE(parsed.error().message.starts_with("x.toml")) << parsed.error().message;
      return;
    }
    ++read;
    const std::string formatted = FormatScenario(*parsed);
    ASSERT_EQ(FormatScenario(Read(formatted)), formatted);
  });
  EXPECT_GT(read, 50U);
  EXPECT_GT(refused, 100U);
}

TEST(ScenarioTest, FormatsAsSectionsAndLeavesOutWhatIsNotSet) {
  EXPECT_EQ(FormatScenario(Scenario()), R"(name = "float32-cell"
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

[books]
upload_time = true
compute_time = false
download_time = false
)");
}

TEST(ScenarioTest, BooksBudgetsAndLosses) {
  const Scenario scenario = Read(R"(
    [radio]
    after_draw = "least-energy"
    channel_error_db = 3
    margin_db = 2
    packet_error_rate = 0.1
    packet_bits = 8000
    retransmissions = 5
    [books]
    compute_time = true
    [strategy]
    budget = "strict"
    [strategy.uniform]
    devices = 7
  )");
  EXPECT_EQ(scenario.radio.band.after_draw, AfterDraw::kLeastEnergy);
  EXPECT_EQ(scenario.radio.knowledge,
            (ChannelKnowledge{.error_sd_db = 3, .correlation = 1, .margin_db = 2}));
  EXPECT_EQ(scenario.radio.packets,
            (PacketLoss{.error_rate = 0.1, .packet_bits = 8000, .retransmissions = 5}));
  EXPECT_EQ(scenario.books, (Books{.compute_time = true}));
  EXPECT_EQ(scenario.budget, BudgetRule::kStrict);
  EXPECT_EQ(scenario.strategy.At("uniform", "devices"), 7);
  EXPECT_EQ(Read(FormatScenario(scenario)), scenario);
  EXPECT_EQ(Message(ParseScenario("[strategy]\nbudget = \"none\"", "x.toml")),
            "x.toml:2: strategy.budget = \"none\": must be one of mean, strict");
  EXPECT_EQ(
      Message(ParseScenario("[radio]\nafter_draw = \"queue\"", "x.toml")),
      "x.toml:2: radio.after_draw = \"queue\": must be one of strategy, own, equal, together, "
      "least-energy, turns");
  EXPECT_EQ(Message(ParseScenario("[radio]\nchannel_correlation = 0.5", "x.toml")),
            "x.toml: radio.channel_correlation = 0.5: only the amplitudes of rayleigh fading are "
            "estimated: set radio.fading to it");
}

TEST(ScenarioTest, SaysWhatIsBooked) {
  EXPECT_EQ(BookedTimes({}), "uploads");
  EXPECT_EQ(BookedTimes({.compute_time = true}), "uploads and computation");
  EXPECT_EQ(BookedTimes({.compute_time = true, .download_time = true}),
            "uploads, computation and downloads");
  EXPECT_EQ(BookedTimes({.upload_time = false, .compute_time = true}), "computation");
}

// An option of a strategy may have words for some of its values, and is written with them.
TEST(ScenarioTest, WordsOfOptions) {
  const Scenario words = Read("[strategy.uniform]\ndevices = \"expected\"\npower = \"largest\"");
  EXPECT_EQ(words.strategy.At("uniform", "devices"), 0);
  EXPECT_EQ(words.strategy.At("uniform", "power"), 1);
  const std::string text = FormatScenario(words);
  EXPECT_NE(text.find("[strategy.uniform]\ndevices = \"expected\"\npower = \"largest\"\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(Read("", {"strategy.uniform.devices=expected"}).strategy.At("uniform", "devices"), 0);
  EXPECT_EQ(Read("", {"strategy.uniform.devices=7"}).strategy.At("uniform", "devices"), 7);
  const auto message = [](std::string_view value) {
    return Message(ParseScenario(fmt::format("[strategy.uniform]\n{}", value), "x.toml"));
  };
  EXPECT_EQ(
      message("devices = \"many\""),
      "x.toml:2: strategy.uniform.devices = \"many\": must be one of expected, or a whole number");
  EXPECT_EQ(message("devices = 0"), "x.toml:2: strategy.uniform.devices = 0: must be 1 to 1e+09");
  EXPECT_EQ(message("devices = 1.5"),
            "x.toml:2: strategy.uniform.devices = 1.5: must be a whole number");
  EXPECT_EQ(message("power = 1"),
            "x.toml:2: strategy.uniform.power = 1: must be one of planned, largest");
}

TEST(ScenarioTest, SolverOfThePlan) {
  EXPECT_EQ(Read("").planning.solver, Solver::kExact);
  const Scenario literal = Read("[planning]\nsolver = \"literal\"\nouter_tolerance = 1e-3");
  EXPECT_EQ(literal.planning.solver, Solver::kLiteral);
  EXPECT_EQ(literal.planning.outer_tolerance, 1e-3);
  EXPECT_NE(FormatScenario(literal).find("[planning]\nsolver = \"literal\"\nouter_tolerance = "),
            std::string::npos);
  EXPECT_EQ(Message(ParseScenario("[planning]\nsolver = \"greedy\"", "x.toml")),
            "x.toml:2: planning.solver = \"greedy\": must be one of exact, bisection, alternating, "
            "literal");
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

}  // namespace
}  // namespace airlot
