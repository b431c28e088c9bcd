// These tests pin every message that a wrong scenario can give by its full text.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario.h"

namespace airlot {
namespace {

std::string MessageOf(std::string_view text, const std::vector<std::string>& overrides = {}) {
  const Result<Scenario> scenario = ParseScenario(text, "x.toml", overrides, "--set");
  return scenario.ok() ? "" : scenario.error().message;
}

std::string MessageOfSet(const std::string& override_text) {
  return MessageOf("", {override_text});
}

const std::string kPathLossNames =
    "inverse-square, log-distance, macro-2ghz, rma, rma-los, rma-nlos, uma, uma-los, uma-nlos, "
    "umi, umi-los, umi-nlos, inh, inh-los, inh-nlos";

TEST(ScenarioErrorTest, OutOfBounds) {
  EXPECT_EQ(MessageOf("\n[round]\ntime_limit_s = 0"),
            "x.toml:3: round.time_limit_s = 0: must be > 0");
  EXPECT_EQ(MessageOf("[round]\ntime_limit_s = -1e-3 # s"),
            "x.toml:2: round.time_limit_s = -1e-3: must be > 0");
  EXPECT_EQ(MessageOf("[round]\ntime_limit_s = 1e-41"),
            "x.toml:2: round.time_limit_s = 1e-41: must be >= 1e-40");
  EXPECT_EQ(MessageOf("[radio]\nbandwidth_hz = 2e40"),
            "x.toml:2: radio.bandwidth_hz = 2e40: must be <= 1e+40");
  EXPECT_EQ(MessageOf("[fleet]\nenergy_budget_j = -3"),
            "x.toml:2: fleet.energy_budget_j = -3: must be >= 0");
  EXPECT_EQ(MessageOf("[fleet]\nkappa = 1e-41"),
            "x.toml:2: fleet.kappa = 1e-41: must be 0 or >= 1e-40");
  EXPECT_EQ(MessageOf("[fleet]\ncpu_hz = 0"), "x.toml:2: fleet.cpu_hz = 0: must be > 0");
  EXPECT_EQ(MessageOf("[fleet]\ndevices = 0"), "x.toml:2: fleet.devices = 0: must be 1 to 1e+09");
  EXPECT_EQ(MessageOf("[fleet]\ndevices = 1_000_000_001"),
            "x.toml:2: fleet.devices = 1_000_000_001: must be 1 to 1e+09");
  EXPECT_EQ(MessageOf("[radio]\nnoise_dbm_per_hz = -301"),
            "x.toml:2: radio.noise_dbm_per_hz = -301: must be -300 to 100");
  EXPECT_EQ(MessageOf("[model]\nbits_per_parameter = 65"),
            "x.toml:2: model.bits_per_parameter = 65: must be <= 64");
  EXPECT_EQ(MessageOf("[model]\nparameters = 0"), "x.toml:2: model.parameters = 0: must be >= 1");
  EXPECT_EQ(MessageOf("[round]\nmin_probability = 1.1"),
            "x.toml:2: round.min_probability = 1.1: must be <= 1");
}

TEST(ScenarioErrorTest, NotFinite) {
  EXPECT_EQ(MessageOf("[fleet]\narea_m = nan"),
            "x.toml:2: fleet.area_m = nan: must be a finite number");
  EXPECT_EQ(MessageOf("[radio]\nspectral_efficiency_cap = inf"),
            "x.toml:2: radio.spectral_efficiency_cap = inf: must be a finite number");
  EXPECT_EQ(MessageOf("[fleet]\ndevices = -inf"),
            "x.toml:2: fleet.devices = -inf: must be a finite number");
  EXPECT_EQ(MessageOf("[fleet]\ndevices = nan"),
            "x.toml:2: fleet.devices = nan: must be a whole number");
}

TEST(ScenarioErrorTest, WrongKind) {
  EXPECT_EQ(MessageOf("[fleet]\ndevices = \"many\""),
            "x.toml:2: fleet.devices = \"many\": must be a whole number");
  EXPECT_EQ(MessageOf("[fleet]\ndevices = 2.5"),
            "x.toml:2: fleet.devices = 2.5: must be a whole number");
  EXPECT_EQ(MessageOf("[fleet]\narea_m = [1,\n 2]"),
            "x.toml:2: fleet.area_m = [1,? 2]: must be a number");
  EXPECT_EQ(MessageOf("[fleet]\narea_m = { uniform = [1, 2] }"),
            "x.toml:2: fleet.area_m = { uniform = [1, 2] }: must be a number");
  EXPECT_EQ(MessageOf("[round]\ncount_compute_time = 1"),
            "x.toml:2: round.count_compute_time = 1: must be true or false");
  EXPECT_EQ(MessageOf("name = 2024-01-01"), "x.toml:1: name = 2024-01-01: must be text in quotes");
  EXPECT_EQ(MessageOf("[name]"), "x.toml:1: name = a section: must be text in quotes");
  EXPECT_EQ(MessageOf("fleet = 3"), "x.toml:1: fleet = 3: must be a section, [fleet]");
}

TEST(ScenarioErrorTest, Text) {
  EXPECT_EQ(MessageOf("name = \"\""), "x.toml:1: name = \"\": must have 1 to 100 characters");
  EXPECT_EQ(MessageOf("name = '" + std::string(100, 'a') + "'"), "");
  EXPECT_EQ(MessageOf("name = '" + std::string(101, 'a') + "'"),
            "x.toml:1: name = '" + std::string(56, 'a') + "...: must have 1 to 100 characters");
  EXPECT_EQ(MessageOf("name = \"a\\u001B\""),
            "x.toml:1: name = \"a\\u001B\": must not contain control characters");
}

TEST(ScenarioErrorTest, Choice) {
  EXPECT_EQ(MessageOf("[radio]\npath_loss = \"umo\""),
            "x.toml:2: radio.path_loss = \"umo\": must be one of " + kPathLossNames);
  EXPECT_EQ(
      MessageOf("[model]\nname = \"rnn\""),
      "x.toml:2: model.name = \"rnn\": must be one of cnn, mlp, logistic, lenet5, cnn-mcmahan, "
      "resnet8, or a name for the layers in model.layers");
  EXPECT_EQ(MessageOf("[round]\ntime_rule = true"),
            "x.toml:2: round.time_rule = true: must be one of expected, deadline");
  EXPECT_EQ(MessageOf("[round]\ncompute = \"Always\""),
            "x.toml:2: round.compute = \"Always\": must be one of participants, always");
}

TEST(ScenarioErrorTest, Spread) {
  const std::string forms =
      ": must be a number, { uniform = [low, high] } or { log_uniform = [low, high] }";
  for (const std::string wrong :
       {"true", "\"1\"", "[1, 2]", "{}", "{ unifrom = [1, 2] }", "{ uniform = [1] }",
        "{ uniform = 1 }", "{ uniform = [1, \"2\"] }", "{ uniform = [1, 2], x = 1 }"}) {
    EXPECT_EQ(MessageOf("[fleet]\ncpu_hz = " + wrong),
              std::string("x.toml:2: fleet.cpu_hz = ").append(wrong).append(forms));
  }
  EXPECT_EQ(MessageOf("[fleet]\nkappa = { uniform = [3, 1] }"),
            "x.toml:2: fleet.kappa = { uniform = [3, 1] }: low must be <= high");
  EXPECT_EQ(MessageOf("[fleet]\nkappa = { log_uniform = [0, 1] }"),
            "x.toml:2: fleet.kappa = { log_uniform = [0, 1] }: low must be > 0");
  EXPECT_EQ(MessageOf("[fleet]\ncpu_hz = { uniform = [0, 1] }"),
            "x.toml:2: fleet.cpu_hz = { uniform = [0, 1] }: low must be > 0");
  EXPECT_EQ(MessageOf("[fleet]\nkappa = { uniform = [0, inf] }"),
            "x.toml:2: fleet.kappa = { uniform = [0, inf] }: high must be a finite number");
}

const std::string kSectionNames =
    "the sections are data, model, learning, fleet, radio, round, books, planning, strategy";

TEST(ScenarioErrorTest, UnknownKey) {
  EXPECT_EQ(MessageOf("[fleet]\n\ndevies = 3"),
            "x.toml:3: unknown key fleet.devies: did you mean fleet.devices?");
  EXPECT_EQ(MessageOf("[fleet]\npath_loss = 3"),
            "x.toml:2: unknown key fleet.path_loss: did you mean radio.path_loss?");
  EXPECT_EQ(MessageOf("devices = 3"), "x.toml:1: unknown key devices: did you mean fleet.devices?");
  EXPECT_EQ(
      MessageOf("[fleet]\nzebra_crossing = 3"),
      "x.toml:2: unknown key fleet.zebra_crossing: fleet has devices, area_m, max_power_w, kappa, "
      "energy_budget_j, cycles_per_sample, cpu_hz, samples, battery_j, harvest_w, file, "
      "ignore_unknown");
  EXPECT_EQ(MessageOf("\"fleet.devices\" = 3"),
            "x.toml:1: unknown key \"fleet.devices\": did you mean fleet.devices?");
  EXPECT_EQ(MessageOf("\"\\u001b[31m\\u00e9\" = 3"),
            "x.toml:1: unknown key ?[31m\u00e9: " + kSectionNames);
}

TEST(ScenarioErrorTest, UnknownSection) {
  EXPECT_EQ(MessageOf("\n[flet]\ndevices = 3"),
            "x.toml:2: unknown section flet: did you mean fleet?");
  EXPECT_EQ(MessageOf("[zebra]"), "x.toml:1: unknown section zebra: " + kSectionNames);
}

TEST(ScenarioErrorTest, TheFirstMistakeOfTheFileIsReported) {
  EXPECT_EQ(MessageOf("[round]\ntime_limit_s = 0\n[fleet]\narea_m = 0"),
            "x.toml:2: round.time_limit_s = 0: must be > 0");
}

TEST(ScenarioErrorTest, NoiseGivenTwiceOrInPart) {
  EXPECT_EQ(MessageOf("[radio]\nnoise_dbm_per_hz = -174\nnoise_w = 1e-12"),
            "x.toml:3: radio.noise_w = 1e-12: cannot stand beside radio.noise_dbm_per_hz: "
            "remove one of the two");
  EXPECT_EQ(MessageOf("[radio]\nnoise_figure_db = 5"),
            "x.toml:2: radio.noise_figure_db = 5: needs radio.noise_dbm_per_hz");
  EXPECT_EQ(MessageOfSet("radio.noise_figure_db=5"),
            "--set radio.noise_figure_db=5: needs radio.noise_dbm_per_hz");
}

TEST(ScenarioErrorTest, Data) {
  EXPECT_EQ(MessageOf("[data]\nbeta = 0.1"), "x.toml:2: data.beta = 0.1: needs data.dataset");
  EXPECT_EQ(MessageOfSet("data.overlap=true"), "--set data.overlap=true: needs data.dataset");
  EXPECT_EQ(MessageOf("[data]\ndataset = 'digits'\n[fleet]\nsamples = 5"),
            "x.toml:4: fleet.samples = 5: cannot stand beside data.dataset: remove one of the two");
  EXPECT_EQ(MessageOf("[data]\ndataset = ''\n[fleet]\nsamples = 5"), "");
  EXPECT_EQ(MessageOf("[data]\npartition = \"idd\""),
            "x.toml:2: data.partition = \"idd\": must be one of dirichlet, client-dirichlet, "
            "shards, iid, file");
  EXPECT_EQ(MessageOf("[data]\nbeta = 0"), "x.toml:2: data.beta = 0: must be 1e-09 to 1e+06");
  EXPECT_EQ(MessageOf("[data]\nbeta = 1e7"), "x.toml:2: data.beta = 1e7: must be 1e-09 to 1e+06");
  EXPECT_EQ(MessageOf("[data]\nshards_per_device = 0"),
            "x.toml:2: data.shards_per_device = 0: must be 1 to 1e+09");
  EXPECT_EQ(MessageOf("[data]\nminimum_samples = -1"),
            "x.toml:2: data.minimum_samples = -1: must be >= 0");
}

TEST(ScenarioErrorTest, Syntax) {
  EXPECT_EQ(MessageOf("[fleet]\ndevices 3"),
            "x.toml:2:9: Error while parsing key-value pair: expected '=', saw '3'");
  EXPECT_EQ(MessageOf("[!]"),
            "x.toml:1:2: Error while parsing key: expected bare key starting character or string "
            "delimiter, saw '!'");
  EXPECT_EQ(MessageOf("[fleet]\ndevices = 1\ndevices = 2"),
            "x.toml:3:11: Error while parsing key-value pair: cannot redefine existing integer "
            "'devices'");
}

TEST(ScenarioErrorTest, SyntaxMessagesDoNotRepeatControlCharacters) {
  EXPECT_EQ(MessageOf("name = n\x7f"),
            "x.toml:1:9: Error while parsing floating-point: expected 'nan', saw 'n?'");
}

TEST(ScenarioErrorTest, Encoding) {
  EXPECT_EQ(MessageOf("# fine\nname = \"a\xff\""), "x.toml:2: the text is not valid UTF-8");
  for (const std::string invalid : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                                    "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_EQ(MessageOf("#" + invalid), "x.toml:1: the text is not valid UTF-8");
  }
  const std::string outside =
      "x.toml:2: only strings and comments may hold characters beyond ASCII";
  EXPECT_EQ(MessageOf("\n\u00e9 = 1"), outside);
  EXPECT_EQ(MessageOf("\nname = \u201cx\u201d"), outside);
  EXPECT_EQ(MessageOf("name = \"a#'\\\"\"\n\u00e9"), outside);
  EXPECT_EQ(MessageOf("name = 'a\\'\n\u00e9"), outside);
  EXPECT_EQ(MessageOf("name = \"\"\"a\"\"\"\"\"\n\u00e9"), outside);
  EXPECT_EQ(MessageOf("name = \n\"\"\"a\"\"\"\" \u00e9"), outside);
  EXPECT_EQ(MessageOf("name = \"\"\"a\n\"\" b\"\"\" \u00e9"), outside);
  for (const std::string fine :
       {"'\u00e9'", "\"\u00e9\"", "\"\"\"\u00e9\"\"\"", "'''\u00e9'''", "\"\\\"\u20ac\"",
        "'\"\U0001F600' # \u00e9", "\"\"\"a\"\u00e9\"\"\"\"\" # it's \u00e9"}) {
    EXPECT_EQ(MessageOf("name = " + fine), "") << fine;
  }
}

TEST(ScenarioErrorTest, AStringThatIsNotClosedEndsWithItsLine) {
  EXPECT_EQ(MessageOf("name = \"a\n\" \u00e9"),
            "x.toml:1:10: Error while parsing string: unescaped control characters other than TAB "
            "(U+0009) are explicitly prohibited");
}

TEST(ScenarioErrorTest, Overrides) {
  const std::vector<std::string> overrides{"fleet.devices=abc"};
  EXPECT_EQ(ParseScenario("", "x.toml", overrides).error().message,
            "override fleet.devices=abc: must be a whole number");
  EXPECT_EQ(ParseScenario("", "x.toml", overrides, "here:").error().message,
            "here: fleet.devices=abc: must be a whole number");
  EXPECT_EQ(MessageOfSet("fleet.devices=abc"), "--set fleet.devices=abc: must be a whole number");
  EXPECT_EQ(MessageOfSet("fleet.devices="), "--set fleet.devices=: must be a whole number");
  EXPECT_EQ(MessageOfSet("fleet.devices=1\nx=2"),
            "--set fleet.devices=1?x=2: must be a whole number");
  EXPECT_EQ(MessageOfSet("fleet.area_m=-1"), "--set fleet.area_m=-1: must be > 0");
  EXPECT_EQ(MessageOfSet("radio.path_loss=umo"),
            "--set radio.path_loss=umo: must be one of " + kPathLossNames);
  EXPECT_EQ(MessageOfSet("name="), "--set name=: must have 1 to 100 characters");
  EXPECT_EQ(MessageOfSet("name=\"\""), "--set name=\"\": must have 1 to 100 characters");
  EXPECT_EQ(MessageOfSet("name=\xff"), "--set name=?: must be valid UTF-8");
  EXPECT_EQ(MessageOfSet("fleet.devices"), "--set fleet.devices: must be section.key=value");
  EXPECT_EQ(MessageOfSet("fleet.devies=3"),
            "--set fleet.devies=3: unknown key fleet.devies: did you mean fleet.devices?");
  EXPECT_EQ(MessageOfSet("a.b.c=3"), "--set a.b.c=3: unknown key a.b.c: " + kSectionNames);
  EXPECT_EQ(MessageOfSet("radio.fleet.devices=3"),
            "--set radio.fleet.devices=3: unknown key radio.fleet.devices: "
            "did you mean fleet.devices?");
}

TEST(ScenarioErrorTest, AnOverrideDoesNotHideAMistakeOfTheFile) {
  EXPECT_EQ(MessageOf("[fleet]\ndevices = 0", {"fleet.devices=3"}),
            "x.toml:2: fleet.devices = 0: must be 1 to 1e+09");
}

}  // namespace
}  // namespace airlot
