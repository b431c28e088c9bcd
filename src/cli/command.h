// This header holds what the sub-commands share.
#ifndef AIRLOT_CLI_COMMAND_H_
#define AIRLOT_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/scenario.h"

namespace airlot::cli {

// docs/formats.md lists the exit codes.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;

// The type is ordered, so that JSON reads in the order in which it was written.
using Json = nlohmann::ordered_json;

// Every command with a scenario has these options.
struct ScenarioOptions {
  std::string scenario = Scenario{}.name;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
  std::optional<ScenarioSource> source = {};  // set where the scenario has been read already
};
void AddScenario(CLI::App& command, std::string& scenario);
void AddOverrides(CLI::App& command, std::vector<std::string>& overrides);
void AddScenarioOptions(CLI::App& command, ScenarioOptions& options);
// Reads a scenario; messages on overrides name the option that they come from.
Result<Scenario> LoadScenario(const std::string& name_or_path,
                              std::span<const std::string> overrides);
Result<Scenario> LoadScenario(const ScenarioSource& source, std::span<const std::string> overrides);
Result<Scenario> LoadScenario(const ScenarioOptions& options);
// Takes a scenario from text, as a manifest has it; `origin` names it in messages.
Result<Scenario> LoadScenarioText(std::string_view text, const std::string& origin,
                                  std::span<const std::string> overrides);

struct OutputOptions {
  bool json = false;
  bool quiet = false;
};
void AddOutputOptions(CLI::App& command, OutputOptions& options);

// Validators check the text of an option.
extern const CLI::Validator kNotEmpty;
extern const CLI::Validator kSeed;  // It takes 0 to 2^64 - 1.
// This validator takes spaces around the text away.
extern const CLI::Validator kTrimmed;
// The text must be one of these words.
CLI::Validator OneOf(std::vector<std::string> words);
// The text may be one of these words; completion and manual pages name them.
CLI::Validator Offers(const std::vector<std::string>& words);
// OfferedWords are the words of OneOf or Offers.
struct OfferedWords {
  std::vector<std::string> words;
  bool are_all = false;  // The option takes no others.
};
OfferedWords OfferedBy(CLI::Option& option);
std::vector<std::string> ScenarioNames();
// The text must be a whole number of this range, in digits.
CLI::Validator WholeNumberIn(double low, double high);
// The text must be a number of this range; NaN never is.
CLI::Validator NumberIn(double low, double high);

// Adds an example to the command's help.
void AddExample(CLI::App& command, const std::string& example);

// Prints the error and returns the exit code.
int Report(const Error& error);

// Returns JSON as it is printed, indented by so many spaces or, with -1, in one line. All control
// characters are escaped, those that JSON would allow as well.
std::string TextOf(const Json& json, int indent = 2);

// Returns a number for JSON, which has no infinity; that becomes null.
Json Finite(double value);

// Returns a text, or null where there is none.
Json OrNull(const std::optional<std::string>& text);

// Counts devices by limit.
Json LimitsToJson(const Expectations& expectations);

// Each of these functions adds its command to `app` and sets `exit_code` when it runs.
void AddPlan(CLI::App& app, int& exit_code);
void AddDraw(CLI::App& app, int& exit_code);
void AddLink(CLI::App& app, int& exit_code);
void AddDevice(CLI::App& app, int& exit_code);
void AddTrain(CLI::App& app, int& exit_code);
void AddCompare(CLI::App& app, int& exit_code);
void AddSweep(CLI::App& app, int& exit_code);
void AddReproduce(CLI::App& app, int& exit_code);
void AddEvaluate(CLI::App& app, int& exit_code);
void AddReport(CLI::App& app, int& exit_code);
void AddBench(CLI::App& app, int& exit_code);
void AddData(CLI::App& app, int& exit_code);
void AddList(CLI::App& app, int& exit_code);
void AddScenarioCommand(CLI::App& app, int& exit_code);
void AddCompletion(CLI::App& app, int& exit_code);
void AddMan(CLI::App& app, int& exit_code);

// RunProgramWith is RunProgram (airlot/program.h) with commands that need more libraries.
using AddCommand = void (*)(CLI::App& app, int& exit_code);
int RunProgramWith(int argc, char** argv, std::span<const AddCommand> others);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_COMMAND_H_
