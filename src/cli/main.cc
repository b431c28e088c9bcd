// The program: each sub-command is parse -> validate -> one library call -> write.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "airlot/version.h"
#include "base/text.h"
#include "base/unfinished_files.h"
#include "cli/command.h"

namespace airlot::cli {
namespace {

// The option or command that a stray word was probably meant to be.
std::string Suggestion(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  const auto* used = app.get_subcommands().empty() ? &app : app.get_subcommands().back();
  for (const CLI::Option* option : used->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* command : used->get_subcommands({})) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = base::NearestName(word.substr(0, word.find('=')), views);
  return nearest ? fmt::format(": did you mean {}?", *nearest) : "";
}

// What is wrong with the command line, in one line.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  if (!app.remaining(true).empty()) {
    const std::string word = app.remaining(true).front();
    message = fmt::format("{} was not expected{}", base::Quoted(word), Suggestion(app, word));
  }
  std::string command = "airlot";
  for (const CLI::App* used : app.get_subcommands()) command += " " + used->get_name();
  return Report({fmt::format("{} (see {} --help)", message, command)});
}

int Run(int argc, char** argv) {
  CLI::App app(
      "airlot decides who takes part in a round of federated learning over a wireless network, and "
      "at what transmit power.");
  app.name("airlot");
  app.set_version_flag("--version", std::string("airlot ") + kVersion);
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  AddExample(app, "airlot plan paper-highly-biased -o plan.csv");
  int exit_code = kDone;
  AddPlan(app, exit_code);
  AddLink(app, exit_code);
  AddBench(app, exit_code);
  AddList(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help, --version
    exit_code = app.exit(done);
  } catch (const CLI::ParseError& error) {
    exit_code = ReportUsage(app, error);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "error: standard output: cannot write: {}\n", std::strerror(errno));
    return exit_code == kDone ? kFailed : exit_code;
  }
  return exit_code;
}

}  // namespace
}  // namespace airlot::cli

int main(int argc, char** argv) {
  airlot::base::RemoveUnfinishedFilesOnInterrupt();
  try {
    return airlot::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return airlot::cli::kFailed;
}
