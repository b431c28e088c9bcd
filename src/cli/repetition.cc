#include "cli/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "scenario/differences.h"

namespace airlot::cli {
namespace {

using base::ShellQuoted;
using scenario::KeyDifference;

constexpr std::string_view kNext = " \\\n  ";  // The command goes on in the next line.

// Returns the built-in scenario of the same name, or else that of the defaults, from which every
// scenario can be reached.
std::string BaseOf(const Scenario& scenario) {
  const auto built_ins = BuiltInScenarios();
  const auto found = std::ranges::find(built_ins, scenario.name, &BuiltInScenario::name);
  return found == built_ins.end() ? Scenario().name : std::string(found->name);
}

// Returns the default of a key as TOML; empty if it has none.
std::string DefaultOf(std::string_view key) {
  const auto keys = ScenarioKeys();
  const auto found = std::ranges::find(keys, key, &ScenarioKey::name);
  return found == keys.end() ? "" : found->default_value;
}

// Returns the overrides that lead from one scenario to another. A key that only the first one sets
// is at its default in the other, or is of no meaning there: `sets_defaults` says which.
std::vector<std::string> OverridesBetween(const Scenario& start, const Scenario& scenario,
                                          bool sets_defaults) {
  std::vector<std::string> overrides;
  for (const KeyDifference& one :
       scenario::DifferencesBetween(FormatScenario(scenario), FormatScenario(start))) {
    const std::string value = one.here ? *one.here : DefaultOf(one.key);
    if (one.here || (sets_defaults && !value.empty())) {
      overrides.push_back(fmt::format("{}={}", one.key, value));
    }
  }
  return overrides;
}

// Returns the --set options that lead from a built-in scenario or a file to this scenario, or
// nothing where they are not enough.
std::optional<std::string> SettingsOf(const Scenario& scenario, const std::string& base) {
  const auto start = ReadScenario(base);
  if (!start) return std::nullopt;
  for (const bool sets_defaults : {false, true}) {
    const auto overrides = OverridesBetween(*start, scenario, sets_defaults);
    const auto again = ReadScenario(base, overrides);
    if (!again || FormatScenario(*again) != FormatScenario(scenario)) continue;
    std::string text;
    for (const std::string& one : overrides) {
      text += fmt::format("{}--set {}", kNext, ShellQuoted(one));
    }
    return text;
  }
  return std::nullopt;
}

// A Start is the scenario that a command names, as a word of a shell, and what it sets beside it.
struct Start {
  std::string scenario, settings;
  std::optional<std::string> note = {};
};

// What came through a pipe is not there a second time.
bool IsLasting(const std::string& file) {
  return !file.starts_with("/dev/") && !file.starts_with("/proc/");
}

Start FromFile(const std::string& file, const std::vector<std::string>& overrides) {
  Start start{.scenario = ShellQuoted(file)};
  for (const std::string& text : overrides) {
    start.settings += fmt::format("{}--set {}", kNext, ShellQuoted(text));
  }
  start.note = fmt::format(
      "The scenario stood in {}. Should that file have changed since, save the keys below to a "
      "file, and name it without the --set.",
      file);
  return start;
}

// Starts at a built-in scenario or, where no options lead from there to this one, at a file that
// has yet to be written.
Start FromBuiltIn(const Scenario& scenario) {
  std::string base = BaseOf(scenario);
  if (auto settings = SettingsOf(scenario, base)) return {std::move(base), std::move(*settings)};
  return {"scenario.toml", "",
          "First save the keys below as scenario.toml: no options lead from a built-in scenario to "
          "this one."};
}

Start StartOf(const Scenario& scenario, const std::optional<std::string>& file,
              const std::optional<std::vector<std::string>>& overrides) {
  if (file && overrides && IsLasting(*file)) return FromFile(*file, *overrides);
  return FromBuiltIn(scenario);
}

bool AreInARow(const std::vector<std::uint64_t>& seeds) {
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    if (seeds[i] != seeds[i - 1] + 1) return false;
  }
  return !seeds.empty();
}

Repetition NotInARow(const std::vector<std::uint64_t>& seeds) {
  return {.why_not = fmt::format("No one command repeats it: the seeds {} are not in a row.",
                                 fmt::join(seeds, ", "))};
}

}  // namespace

Repetition RunsRepetition(const Comparison& comparison) {
  if (!AreInARow(comparison.seeds)) return NotInARow(comparison.seeds);
  const Start start = StartOf(comparison.scenario, comparison.scenario_file, comparison.overrides);
  const bool is_one = comparison.strategies.size() == 1 && comparison.seeds.size() == 1;
  std::string command =
      fmt::format("airlot {} {}{}", is_one ? "train" : "compare", start.scenario, kNext);
  if (is_one) {
    command += "--strategy " + ShellQuoted(comparison.strategies[0]);
  } else {
    command += fmt::format("--strategies {}{}--seeds {}",
                           ShellQuoted(fmt::format("{}", fmt::join(comparison.strategies, ","))),
                           kNext, comparison.seeds.size());
  }
  if (comparison.seeds[0] != 1) command += fmt::format("{}--seed {}", kNext, comparison.seeds[0]);
  return {.command = command + start.settings, .note = start.note};
}

std::string GridText(const Grid& grid) {
  std::string text;
  for (const GridAxis& axis : grid.axes) {
    for (const GridKey& key : axis.keys) {
      const bool is_first = &key == &axis.keys.front();
      text += fmt::format("{}{} {}", kNext, is_first ? "--vary" : "--with",
                          ShellQuoted(fmt::format("{}={}", key.name, fmt::join(key.values, ","))));
    }
  }
  return text;
}

Repetition SweepRepetition(const Sweep& sweep) {
  const auto scenario = ParseScenario(sweep.scenario, "sweep.json");
  if (!scenario) return {.why_not = "No command repeats it: " + scenario.error().message};
  if (!AreInARow(sweep.seeds)) return NotInARow(sweep.seeds);
  const Start start = StartOf(*scenario, sweep.scenario_file, sweep.overrides);
  std::string command = fmt::format(
      "airlot sweep {}{}{}--strategies {}{}--seeds {}", start.scenario, GridText(sweep.grid), kNext,
      ShellQuoted(fmt::format("{}", fmt::join(sweep.strategies, ","))), kNext, sweep.seeds.size());
  if (sweep.seeds[0] != 1) command += fmt::format("{}--seed {}", kNext, sweep.seeds[0]);
  return {.command = command + start.settings, .note = start.note};
}

Repetition PlanRepetition(const Scenario& scenario, const std::optional<std::string>& file,
                          const PlanOrigin& origin) {
  if (scenario.fleet.file == "/dev/stdin") {
    return {.why_not = "No command repeats it: the fleet came through standard input."};
  }
  std::string command;
  const auto add = [&](std::string_view option, const std::string& value) {
    command += fmt::format("{}{} {}", kNext, option, ShellQuoted(value));
  };
  if (origin.seed != 1) add("--seed", fmt::format("{}", origin.seed));
  if (origin.round) add("--round", fmt::format("{}", *origin.round));
  const auto beside_file =
      file && IsLasting(*file) ? SettingsOf(scenario, *file) : std::optional<std::string>();
  if (beside_file) {
    return {.command = "airlot plan " + ShellQuoted(*file) + command + *beside_file};
  }
  if (scenario.fleet.file) add("--fleet", *scenario.fleet.file);
  Scenario without_file = scenario;
  without_file.fleet.file.reset();
  const Start start = FromBuiltIn(without_file);
  return {.command = "airlot plan " + start.scenario + command + start.settings,
          .note = start.note};
}

}  // namespace airlot::cli
