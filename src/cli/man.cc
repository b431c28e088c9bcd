// `airlot man` writes manual pages, from the same descriptions as --help.
#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "airlot/scenario.h"
#include "airlot/version.h"
#include "base/atomic_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// A ManCommand is a command with its words, such as {"bench", "planning"}.
struct ManCommand {
  CLI::App* app;
  std::vector<std::string> words;
};

// Returns "airlot-bench-planning", the name of a command's page.
std::string PageName(const ManCommand& command) {
  return fmt::format("airlot{}{}", command.words.empty() ? "" : "-", fmt::join(command.words, "-"));
}

// Makes text fit for roff: nothing of it is taken for an escape, a hyphen or a request.
std::string Roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

// An argument of a request stands in quotes.
std::string Argument(std::string_view text) {
  std::string out = "\"";
  for (const char c : Roff(text)) out += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return out + "\"";
}

// --- Parts of a page -----------------------------------------------------------------------------

// Returns what stands in front of an option's description: "-o, --output FILE".
std::string TagOf(const CLI::Option& option) {
  if (option.get_positional()) return Italic(option.get_name(true));
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(Bold("-" + name));
  for (const std::string& name : option.get_lnames()) names.push_back(Bold("--" + name));
  std::string tag = fmt::format("{}", fmt::join(names, ", "));
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) tag += " " + Italic(type == "TEXT" ? "VALUE" : type);
  return tag;
}

void AppendOption(CLI::Option& option, std::string& page) {
  page += fmt::format(".TP\n{}\n{}.\n", TagOf(option), Roff(option.get_description()));
  const std::string standard = option.get_default_str();
  if (!standard.empty()) page += fmt::format("By default {}.\n", Roff(standard));
  const OfferedWords offered = OfferedBy(option);
  if (offered.words.empty() || !offered.are_all) return;
  page += fmt::format("One of {}.\n", Roff(fmt::format("{}", fmt::join(offered.words, ", "))));
}

void AppendOptions(CLI::App& app, std::string& page) {
  page += ".SH OPTIONS\n";
  for (const bool is_positional : {true, false}) {
    for (CLI::Option* option : app.get_options()) {
      if (option->get_positional() == is_positional) AppendOption(*option, page);
    }
  }
}

void AppendSynopsis(const ManCommand& command, std::string& page) {
  page += fmt::format(".SH SYNOPSIS\n\\fBairlot{}{}\\fR [\\fIOPTIONS\\fR]",
                      command.words.empty() ? "" : " ", fmt::join(command.words, " "));
  for (const CLI::Option* option : command.app->get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = Italic(option->get_name(true));
    const std::string more = option->get_expected_max() > 1 ? "..." : "";
    const bool is_required = option->get_required();
    page += fmt::format(" {}{}{}{}", is_required ? "" : "[", name, more, is_required ? "" : "]");
  }
  if (!command.app->get_subcommands({}).empty()) page += " \\fICOMMAND\\fR ...";
  page += "\n";
}

void AppendCommands(const ManCommand& command, std::string& page) {
  const auto commands = command.app->get_subcommands({});
  if (commands.empty()) return;
  page += ".SH COMMANDS\n";
  for (const CLI::App* one : commands) {
    page += fmt::format(".TP\n.BR {} (1)\n{}.\n", Roff(PageName(command) + "-" + one->get_name()),
                        Roff(one->get_description()));
  }
}

// The examples of a command stand in its footer, each in a line.
void AppendExamples(CLI::App& app, std::string& page) {
  constexpr std::string_view kHead = "Example:\n";
  std::string footer = app.get_footer();
  if (!footer.starts_with(kHead)) return;
  page += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", Roff(footer.substr(kHead.size())));
}

// The page of `airlot scenario` has every key.
void AppendKeys(std::string& page) {
  page +=
      ".SH KEYS\nThese are the keys of a scenario, each with the value that it has unless set.\n";
  for (const ScenarioKey& key : ScenarioKeys()) {
    page += fmt::format(".TP\n{}{}\n{}\n", Bold(key.name),
                        key.default_value.empty() ? "" : " = " + Roff(key.default_value),
                        Roff(key.summary));
    if (key.words.empty() || key.takes_path || key.takes_other_words) continue;
    page += fmt::format("One of {}.\n", Roff(fmt::format("{}", fmt::join(key.words, ", "))));
  }
}

constexpr std::string_view kEnd = R"(.SH EXIT STATUS
.TP
.B 0
All went well.
.TP
.B 1
The command failed, or found what it was to check for.
.TP
.B 2
The command line, a file or a value is wrong; a line on standard error says where.
.TP
.B 128 + N
Signal N interrupted it.
.SH ENVIRONMENT
.TP
.B NO_COLOR
Messages have no colours.
.TP
.B AIRLOT_DATA_DIR
Data sets are kept there; by default in the folder airlot of the user's cache.
)";

std::string PageOf(const ManCommand& command) {
  const std::string name = PageName(command);
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  const std::string description = command.app->get_description();
  std::string page =
      fmt::format(".TH {} 1 \"\" \"airlot {}\" \"airlot\"\n", Argument(upper), kVersion);
  // The description of the whole program is a sentence, and its name stands in it.
  const std::string_view summary = command.words.empty()
                                       ? "federated learning over wireless networks"
                                       : std::string_view(description);
  page += fmt::format(".SH NAME\n{} \\- {}\n", Roff(name), Roff(summary));
  AppendSynopsis(command, page);
  page += fmt::format(".SH DESCRIPTION\n{}{}\n", Roff(description),
                      description.ends_with('.') ? "" : ".");
  AppendCommands(command, page);
  AppendOptions(*command.app, page);
  if (name == "airlot-scenario") AppendKeys(page);
  AppendExamples(*command.app, page);
  page += kEnd;
  page += ".SH SEE ALSO\n";
  page += command.words.empty() ? ".BR airlot\\-plan (1),\n.BR airlot\\-scenario (1)\n"
                                : ".BR airlot (1)\n";
  return page;
}

// --- The command ---------------------------------------------------------------------------------

void Collect(ManCommand command, std::vector<ManCommand>& all) {
  all.push_back(command);
  for (CLI::App* one : command.app->get_subcommands({})) {
    ManCommand below{one, command.words};
    below.words.push_back(one->get_name());
    Collect(std::move(below), all);
  }
}

struct ManOptions {
  std::vector<std::string> words;
  std::optional<std::string> folder;
};

Status WritePages(const std::vector<ManCommand>& all, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{fmt::format("{}: cannot be made: {}", folder, error.message())};
  for (const ManCommand& command : all) {
    const auto path = std::filesystem::path(folder) / (PageName(command) + ".1");
    if (auto status = base::WriteWhole(path.string(), PageOf(command)); !status) return status;
  }
  return {};
}

int RunMan(CLI::App& app, const ManOptions& options) {
  std::vector<ManCommand> all;
  Collect({&app, {}}, all);
  if (options.folder) {
    const auto status = WritePages(all, *options.folder);
    return status ? kDone : Report(status.error());
  }
  for (const ManCommand& command : all) {
    if (command.words != options.words) continue;
    PrintFile(PageOf(command));
    return kDone;
  }
  return Report({fmt::format("there is no command {}: airlot --help has those that there are",
                             base::Quoted(fmt::format("{}", fmt::join(options.words, " "))))});
}

}  // namespace

void AddMan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ManOptions>();
  CLI::App& command = *app.add_subcommand("man", "Print a manual page, for man -l -");
  auto* words = command.add_option("COMMAND", options->words, "Whose page; by default airlot's");
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands({})) names.push_back(one->get_name());
  words->check(Offers(names))->type_name("NAME");
  command.add_option("--folder", options->folder, "Write all pages into this folder")
      ->check(kNotEmpty)
      ->excludes(words)
      ->type_name("FOLDER");
  AddExample(command, "airlot man plan");
  command.callback([&app, options, &exit_code] { exit_code = RunMan(app, *options); });
}

}  // namespace airlot::cli
