#include "cli/grid_options.h"

#include <fmt/format.h>

#include <utility>

namespace airlot::cli {
namespace {

constexpr const char* kVaryOption = "--vary";
constexpr const char* kWithOption = "--with";

}  // namespace

void AddGridOptions(CLI::App& command, GridOptions& options) {
  command
      .add_option(kVaryOption, options.vary, "KEY=1,2,3 or KEY=low:high:count[:log]; repeatable")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  command.add_option(kWithOption, options.with, "Vary this key in step with the --vary before it")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
}

void SortTexts(const CLI::App& command, GridOptions& options) {
  options.texts.clear();
  std::size_t varied = 0, in_step = 0;
  for (const CLI::Option* option : command.parse_order()) {
    if (option->check_name(kVaryOption) && varied < options.vary.size()) {
      options.texts.push_back({options.vary[varied++], false});
    } else if (option->check_name(kWithOption) && in_step < options.with.size()) {
      options.texts.push_back({options.with[in_step++], true});
    }
  }
}

Result<Grid> GridOf(const GridOptions& options) {
  Grid grid;
  for (const auto& [text, is_in_step] : options.texts) {
    const char* option = is_in_step ? kWithOption : kVaryOption;
    auto key = ParseGridKey(text);
    if (!key) return Error{fmt::format("{} {}", option, key.error().message)};
    if (is_in_step && grid.axes.empty()) {
      return Error{fmt::format("{} {}: must stand behind the {} that it is in step with",
                               kWithOption, text, kVaryOption)};
    }
    if (!is_in_step) grid.axes.emplace_back();
    grid.axes.back().keys.push_back(std::move(*key));
  }
  if (auto status = CheckGrid(grid); !status) return status.error();
  return grid;
}

Result<std::vector<Scenario>> ScenariosOf(const ScenarioSource& source,
                                          std::span<const std::string> overrides,
                                          const Grid& grid) {
  std::vector<Scenario> scenarios;
  for (std::size_t i = 0; i < CellCount(grid); ++i) {
    std::vector<std::string> all(overrides.begin(), overrides.end());
    for (std::string& text : OverridesOf(grid, i)) all.push_back(std::move(text));
    auto scenario = ParseScenario(source, all, kVaryOption);
    if (!scenario) return scenario.error();
    scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

}  // namespace airlot::cli
