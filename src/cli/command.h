// What the sub-commands share.
#ifndef AIRLOT_CLI_COMMAND_H_
#define AIRLOT_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/scenario.h"

namespace airlot::cli {

// Exit codes (docs/formats.md).
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;

// Ordered, so that JSON reads in the order in which it was written.
using Json = nlohmann::ordered_json;

// Options that every command with a scenario has.
struct ScenarioOptions {
  std::string scenario = Scenario{}.name;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
};
void AddOverrides(CLI::App& command, std::vector<std::string>& overrides);
void AddScenarioOptions(CLI::App& command, ScenarioOptions& options);
// Reads a scenario; messages on overrides name the option that they come from.
Result<Scenario> LoadScenario(const std::string& name_or_path,
                              std::span<const std::string> overrides);
Result<Scenario> LoadScenario(const ScenarioOptions& options);

struct OutputOptions {
  bool json = false;
  bool quiet = false;
};
void AddOutputOptions(CLI::App& command, OutputOptions& options);

// Checks of an option's text.
extern const CLI::Validator kNotEmpty;
extern const CLI::Validator kSeed;  // 0 to 2^64 - 1
// Takes spaces around the text away.
extern const CLI::Validator kTrimmed;
// One of these words.
CLI::Validator OneOf(std::vector<std::string> words);
// A whole number of this range, in digits.
CLI::Validator WholeNumberIn(double low, double high);
// A number of this range; never NaN.
CLI::Validator NumberIn(double low, double high);

// Adds an example to the command's help.
void AddExample(CLI::App& command, const std::string& example);

// Prints the error and returns the exit code.
int Report(const Error& error);

// JSON as it is printed. All control characters are escaped, those that JSON would allow as well.
std::string TextOf(const Json& json);

// A number for JSON, which has no infinity: null then.
Json Finite(double value);

// Devices by limit.
Json LimitsToJson(const Expectations& expectations);

// Each adds its command to `app` and sets `exit_code` when it runs.
void AddPlan(CLI::App& app, int& exit_code);
void AddLink(CLI::App& app, int& exit_code);
void AddTrain(CLI::App& app, int& exit_code);
void AddCompare(CLI::App& app, int& exit_code);
void AddReproduce(CLI::App& app, int& exit_code);
void AddReport(CLI::App& app, int& exit_code);
void AddBench(CLI::App& app, int& exit_code);
void AddData(CLI::App& app, int& exit_code);
void AddList(CLI::App& app, int& exit_code);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_COMMAND_H_
