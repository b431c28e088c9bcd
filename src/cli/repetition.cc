#include "cli/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/differences.h"

namespace airlot::cli {
namespace {

using scenario::KeyDifference;

constexpr std::string_view kNext = " \\\n  ";  // The command goes on in the next line.

// Quotes a text for a POSIX shell.
std::string ShellQuoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// A Start is the scenario that a command names, and the --set options that lead from it to the
// wanted one.
struct Start {
  std::string scenario;
  std::string settings;
};

std::string SettingText(const std::string& override_text) {
  return fmt::format("{}--set {}", kNext, ShellQuoted(override_text));
}

// Returns the user's own file and options; the paths that options name are those of the scenario,
// which are absolute.
Start StartOfFile(const std::string& file, const std::vector<std::string>& overrides,
                  const Scenario& scenario) {
  Start start{ShellQuoted(file), ""};
  for (std::string text : overrides) {
    const std::string key = text.substr(0, text.find('='));
    if (key == "fleet.file" && scenario.fleet.file) text = key + "=" + *scenario.fleet.file;
    if (key == "data.dataset" && scenario.data.dataset) {
      text = key + "=" + *scenario.data.dataset;
    }
    start.settings += SettingText(text);
  }
  return start;
}

// Returns the built-in scenario of the same name, or else the first.
std::string BaseOf(const Scenario& scenario) {
  const auto built_ins = BuiltInScenarios();
  const auto found = std::ranges::find(built_ins, scenario.name, &BuiltInScenario::name);
  return std::string(found == built_ins.end() ? built_ins[0].name : found->name);
}

// Returns the --set options that lead from a scenario that is built in or a file to this one, or
// nothing where they are not enough.
std::optional<std::string> SettingsOf(const Scenario& scenario, const std::string& base) {
  const auto start = ReadScenario(base);
  if (!start) return std::nullopt;
  std::vector<std::string> overrides;
  std::string text;
  for (const KeyDifference& one :
       scenario::DifferencesBetween(FormatScenario(scenario), FormatScenario(*start))) {
    if (!one.here) continue;
    overrides.push_back(fmt::format("{}={}", one.key, *one.here));
    text += SettingText(overrides.back());
  }
  const auto again = ReadScenario(base, overrides);
  if (!again || FormatScenario(*again) != FormatScenario(scenario)) return std::nullopt;
  return text;
}

// Returns the file that the scenario was read from with what was set in addition, or else a
// built-in scenario with what differs from it; nothing where that is not enough.
std::optional<Start> StartOf(const Scenario& scenario, const std::optional<std::string>& file,
                             const std::optional<std::vector<std::string>>& overrides) {
  if (file && overrides) return StartOfFile(*file, *overrides, scenario);
  const std::string base = BaseOf(scenario);
  auto settings = SettingsOf(scenario, base);
  if (!settings) return std::nullopt;
  return Start{base, std::move(*settings)};
}

bool AreInARow(const std::vector<std::uint64_t>& seeds) {
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    if (seeds[i] != seeds[i - 1] + 1) return false;
  }
  return !seeds.empty();
}

constexpr std::string_view kNoSettings =
    "No command gives this very scenario. Save its keys, below, to a file and "
    "name that file instead of a scenario.";

}  // namespace

Repetition RunsRepetition(const Comparison& comparison) {
  const auto start = StartOf(comparison.scenario, comparison.scenario_file, comparison.overrides);
  if (!start) return {.why_not = std::string(kNoSettings)};
  if (!AreInARow(comparison.seeds)) {
    return {.why_not = fmt::format("No one command repeats it: the seeds {} are not in a row.",
                                   fmt::join(comparison.seeds, ", "))};
  }
  const bool is_one = comparison.strategies.size() == 1 && comparison.seeds.size() == 1;
  std::string command =
      fmt::format("airlot {} {}{}", is_one ? "train" : "compare", start->scenario, kNext);
  if (is_one) {
    command += "--strategy " + ShellQuoted(comparison.strategies[0]);
  } else {
    command += fmt::format("--strategies {}{}--seeds {}",
                           ShellQuoted(fmt::format("{}", fmt::join(comparison.strategies, ","))),
                           kNext, comparison.seeds.size());
  }
  if (comparison.seeds[0] != 1) command += fmt::format("{}--seed {}", kNext, comparison.seeds[0]);
  return {.command = command + start->settings};
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
  if (!scenario) return {.why_not = std::string(kNoSettings)};
  const auto start = StartOf(*scenario, sweep.scenario_file, sweep.overrides);
  if (!start) return {.why_not = std::string(kNoSettings)};
  if (!AreInARow(sweep.seeds)) {
    return {.why_not = fmt::format("No one command repeats it: the seeds {} are not in a row.",
                                   fmt::join(sweep.seeds, ", "))};
  }
  std::string command = fmt::format(
      "airlot sweep {}{}{}--strategies {}{}--seeds {}", start->scenario, GridText(sweep.grid),
      kNext, ShellQuoted(fmt::format("{}", fmt::join(sweep.strategies, ","))), kNext,
      sweep.seeds.size());
  if (sweep.seeds[0] != 1) command += fmt::format("{}--seed {}", kNext, sweep.seeds[0]);
  return {.command = command + start->settings};
}

Repetition PlanRepetition(const Scenario& scenario, const PlanOrigin& origin,
                          const std::optional<std::string>& scenario_file) {
  if (scenario.fleet.file == "/dev/stdin") {
    return {.why_not = "No command repeats it: the fleet came through standard input."};
  }
  const std::string base = scenario_file.value_or(BaseOf(scenario));
  const auto start = ReadScenario(base);
  if (!start) return {.why_not = std::string(kNoSettings)};
  // A fleet file that the scenario does not name has an option of its own.
  const bool has_own_fleet = scenario.fleet.file && scenario.fleet.file != start->fleet.file;
  Scenario wanted = scenario;
  if (has_own_fleet) wanted.fleet.file = start->fleet.file;
  const auto settings = SettingsOf(wanted, base);
  if (!settings) return {.why_not = std::string(kNoSettings)};
  std::string command = "airlot plan " + ShellQuoted(base);
  const auto add = [&](std::string_view option, const std::string& value) {
    command += fmt::format("{}{} {}", kNext, option, ShellQuoted(value));
  };
  if (has_own_fleet) add("--fleet", *scenario.fleet.file);
  if (origin.seed != 1) add("--seed", fmt::format("{}", origin.seed));
  if (origin.round) add("--round", fmt::format("{}", *origin.round));
  return {.command = command + *settings};
}

}  // namespace airlot::cli
