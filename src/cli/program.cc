// This is the program: each sub-command is parse -> validate -> one library call -> write.
#include "airlot/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "airlot/version.h"
#include "base/text.h"
#include "base/unfinished_files.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/ranks.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// Returns the option or command that a stray word was probably meant to be.
std::string Suggestion(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  const CLI::App* used = &app;
  while (!used->get_subcommands().empty()) used = used->get_subcommands().back();
  for (const CLI::Option* option : used->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* command : used->get_subcommands({})) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = base::NearestName(word.substr(0, word.find('=')), views);
  return nearest ? fmt::format(": did you mean {}?", *nearest) : "";
}

// Says in one line what is wrong with the command line.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  if (!app.remaining(true).empty()) {
    const std::string word = app.remaining(true).front();
    message = fmt::format("{} was not expected{}", base::Quoted(word), Suggestion(app, word));
  }
  std::string command = app.get_name();
  for (const CLI::App* used = &app; !used->get_subcommands().empty();) {
    used = used->get_subcommands().back();
    command += " " + used->get_name();
  }
  return Report({fmt::format("{} (see {} --help)", message, command)});
}

// Every command has --version.
void AddVersion(CLI::App& app) {
  app.set_version_flag("--version", fmt::format("airlot {}", kVersion),
                       "Print the version and exit");
  for (CLI::App* command : app.get_subcommands({})) AddVersion(*command);
}

// `airlot help plan` is `airlot plan --help`.
void AcceptHelp(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "help") return;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
}

int Run(std::vector<std::string> arguments, std::span<const AddCommand> others) {
  CLI::App app(
      "airlot decides who takes part in a round of federated learning over a\n"
      "wireless network, and at what transmit power.");
  app.name("airlot");
  app.require_subcommand(1);
  app.get_formatter()->column_width(27);
  app.get_formatter()->label("TEXT", "");
  AddExample(app, "airlot plan paper-highly-biased -o plan.csv");
  int exit_code = kDone;
  AddPlan(app, exit_code);
  AddDraw(app, exit_code);
  AddLink(app, exit_code);
  AddTrain(app, exit_code);
  AddCompare(app, exit_code);
  AddSweep(app, exit_code);
  AddReproduce(app, exit_code);
  AddEvaluate(app, exit_code);
  AddReport(app, exit_code);
  for (const AddCommand add : others) add(app, exit_code);
  AddBench(app, exit_code);
  AddData(app, exit_code);
  AddList(app, exit_code);
  AddScenarioCommand(app, exit_code);
  AddCompletion(app, exit_code);
  AddMan(app, exit_code);
  AddVersion(app);
  try {
    if (!arguments.empty() && arguments.front() == kCompleteCommand) {
      exit_code = Complete(app, {arguments.begin() + 1, arguments.end()});
    } else {
      AcceptHelp(arguments);
      std::reverse(arguments.begin(), arguments.end());  // CLI11 wants them in this order.
      app.parse(arguments);
    }
  } catch (const CLI::Success& done) {  // This is --help or --version.
    std::ostringstream text;
    exit_code = app.exit(done, text, text);
    Print("{}", text.str());
  } catch (const CLI::ParseError& error) {
    exit_code = ReportUsage(app, error);
  }
  const auto written = FinishOutput();
  return written ? exit_code : Report(written.error());
}

}  // namespace

int RunProgramWith(int argc, char** argv, std::span<const AddCommand> others) {
  base::RemoveUnfinishedFilesOnInterrupt();
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (const auto exit_code = EnterRanks(arguments)) return *exit_code;
    return LeaveRanks(Run(arguments, others));
  } catch (const std::bad_alloc&) {
    if (JoinedRanks() != nullptr) JoinedRanks()->Abort("out of memory");
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    if (JoinedRanks() != nullptr) JoinedRanks()->Abort(error.what());
    Report({error.what()});
  }
  return kFailed;
}

}  // namespace airlot::cli

int airlot::RunProgram(int argc, char** argv) {
  return airlot::cli::RunProgramWith(argc, argv, {});
}
