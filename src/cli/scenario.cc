// `airlot scenario` prints a scenario as TOML.
#include "airlot/scenario.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/input_file.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct ScenarioArguments {
  std::string scenario = Scenario{}.name;
  std::vector<std::string> overrides;
  bool is_resolved = false;
};

constexpr std::uint64_t kLargestText = std::uint64_t{1} << 20;  // as for scenarios

// Prints a scenario as it was written, comments and all, if it is one.
int PrintAsWritten(const std::string& name_or_path) {
  const auto built_ins = BuiltInScenarios();
  const auto found = std::ranges::find(built_ins, name_or_path, &BuiltInScenario::name);
  if (found != built_ins.end()) {
    PrintFile(found->text);
    return kDone;
  }
  std::error_code unknown;
  if (!std::filesystem::exists(name_or_path, unknown)) {
    return Report(LoadScenario(name_or_path, {}).error());
  }
  const auto text = base::ReadWhole(name_or_path, kLargestText);
  if (!text) return Report(text.error());
  if (const auto read = LoadScenarioText(*text, name_or_path, {}); !read) {
    return Report(read.error());
  }
  PrintFile(*text);
  return kDone;
}

int RunScenario(const ScenarioArguments& options) {
  if (!options.is_resolved) return PrintAsWritten(options.scenario);
  const auto scenario = LoadScenario(options.scenario, options.overrides);
  if (!scenario) return Report(scenario.error());
  PrintExactly(FormatEveryKey(WithAbsolutePaths(*scenario)));
  return kDone;
}

}  // namespace

void AddScenarioCommand(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ScenarioArguments>();
  CLI::App& command =
      *app.add_subcommand("scenario", "Print a scenario as TOML, to begin your own with");
  AddScenario(command, options->scenario);
  auto* resolved = command.add_flag("--resolved", options->is_resolved,
                                    "Every key with its value; paths are absolute");
  AddOverrides(command, options->overrides);
  command.get_option("--set")->needs(resolved);
  AddExample(command,
             "airlot scenario urban-cell > mine.toml\n"
             "  airlot scenario float32-cell --resolved --set round.time_limit_s=0.5");
  command.callback([options, &exit_code] { exit_code = RunScenario(*options); });
}

}  // namespace airlot::cli
