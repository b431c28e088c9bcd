#include "cli/command.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "cli/terminal.h"

namespace airlot::cli {

void AddScenarioOptions(CLI::App& command, ScenarioOptions& options) {
  command
      .add_option("SCENARIO", options.scenario,
                  "A TOML file or a built-in name (airlot list scenarios)")
      ->capture_default_str();
  command.add_option("--set", options.overrides, "Override a scenario key; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Seed of everything that is drawn")
      ->capture_default_str();
}

void AddOutputOptions(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print JSON instead of text");
  command.add_flag("--quiet", options.quiet, "No progress on standard error");
}

void AddExample(CLI::App& command, const std::string& example) {
  command.footer("Example:\n  " + example);
}

int Report(const Error& error) {
  const bool colour = MayColour();
  fmt::print(stderr, "{}error:{} {}\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "",
             error.message);
  return kBadInput;
}

Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json LimitsToJson(const Expectations& expectations) {
  Json json;
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    const auto limit = static_cast<Limit>(i);
    json[std::string(Name(limit))] = expectations.limited_by(limit);
  }
  return json;
}

}  // namespace airlot::cli
