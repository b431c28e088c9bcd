// `airlot report` makes the report of a run directory.
#include "airlot/report.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/repetition.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct ReportArguments {
  std::string directory;
  std::optional<std::string> file;
  std::optional<std::string> figures;
  OutputOptions output;
};

int RunReport(const ReportArguments& options) {
  if (options.file == "-") return Report({"-o -: the report goes to a file; name one"});
  std::optional<std::string> file = options.file;
  if (!file && !options.figures) file = ReportFileOf(options.directory);
  std::optional<Progress> progress;
  progress.emplace("writing the report", options.output.quiet);
  const auto left_out = WriteReport(
      options.directory, {.file = file, .figures = options.figures, .repetition = RunsRepetition});
  progress.reset();
  if (!left_out) return Report(left_out.error());
  for (const std::string& run : *left_out) Warn("airlot: {}\n", run);
  if (options.output.json) {
    Json json;
    json["report"] = OrNull(file);
    json["figures"] = OrNull(options.figures);
    Print("{}", TextOf(json));
    return kDone;
  }
  if (file) Print("The report is in {}.\n", *file);
  if (options.figures) Print("The figures are in {}.\n", *options.figures);
  return kDone;
}

}  // namespace

void AddReport(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportArguments>();
  CLI::App& command = *app.add_subcommand("report", "Make the report of a run directory");
  command.add_option("DIR", options->directory, "What train, compare or reproduce wrote")
      ->required()
      ->check(kNotEmpty);
  command.add_option("-o,--output", options->file, "Write it here (DIR/report.html)")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--figures", options->figures,
                  "Each figure (SVG) and its data (CSV) into a folder")
      ->check(kNotEmpty)
      ->type_name("FOLDER");
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot report runs/paper-highly-biased --figures figures -o report.html");
  command.callback([options, &exit_code] { exit_code = RunReport(*options); });
}

}  // namespace airlot::cli
