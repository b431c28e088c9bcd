// The command that repeats some runs.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/scenario_runs.h"
#include "simulation/scenario_text.h"

namespace airlot::report {
namespace {

// For a POSIX shell.
std::string ShellQuoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// What --set must say to get from a built-in scenario to this one. Nothing where that is not
// enough.
std::optional<std::vector<std::string>> OverridesOf(const Scenario& scenario,
                                                    const std::string& built_in) {
  const auto start = ReadScenario(built_in);
  if (!start) return std::nullopt;
  const auto old = simulation::KeyValuesOf(FormatScenario(*start));
  std::vector<std::string> overrides;
  for (const auto& key : simulation::KeyValuesOf(FormatScenario(scenario))) {
    if (std::ranges::find(old, key) != old.end()) continue;
    overrides.push_back(fmt::format("{}={}", key.first, key.second));
  }
  const auto again = ReadScenario(built_in, overrides);
  if (!again || FormatScenario(*again) != FormatScenario(scenario)) return std::nullopt;
  return overrides;
}

bool AreInARow(const std::vector<std::uint64_t>& seeds) {
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    if (seeds[i] != seeds[i - 1] + 1) return false;
  }
  return !seeds.empty();
}

}  // namespace

std::string CommandOf(const RunPlan& plan) {
  const auto built_ins = BuiltInScenarios();
  const bool is_built_in =
      std::ranges::find(built_ins, plan.scenario.name, &BuiltInScenario::name) != built_ins.end();
  const std::string base = is_built_in ? plan.scenario.name : std::string(built_ins[0].name);
  const auto overrides = OverridesOf(plan.scenario, base);
  if (!overrides || !AreInARow(plan.seeds)) return "";
  constexpr std::string_view kNext = " \\\n  ";  // goes on in the next line
  const bool is_one = plan.strategies.size() == 1 && plan.seeds.size() == 1;
  std::string command = fmt::format("airlot {} {}{}", is_one ? "train" : "compare", base, kNext);
  if (is_one) {
    command += "--strategy " + ShellQuoted(plan.strategies[0]);
  } else {
    command += fmt::format("--strategies {}{}--seeds {}",
                           ShellQuoted(fmt::format("{}", fmt::join(plan.strategies, ","))), kNext,
                           plan.seeds.size());
  }
  if (plan.seeds[0] != 1) command += fmt::format("{}--seed {}", kNext, plan.seeds[0]);
  for (const std::string& setting : *overrides) {
    command += fmt::format("{}--set {}", kNext, ShellQuoted(setting));
  }
  return command;
}

}  // namespace airlot::report
