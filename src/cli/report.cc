// airlot report: the report of a run directory.
#include "airlot/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/repetition.h"

namespace airlot::cli {
namespace {

struct ReportArguments {
  std::string directory;
  std::string file;
  std::string figures;
  OutputOptions output;
};

// A page over a file of a run would be the end of that run.
Status CheckFile(const std::string& file) {
  if (file == "-") return Error{"-o -: the report goes to a file; name one"};
  constexpr std::array<std::string_view, 5> kOfRuns = {"manifest.json", "rounds.csv", "devices.csv",
                                                       "checkpoint", "checkpoint.previous"};
  const std::string name = std::filesystem::path(file).filename().string();
  if (std::ranges::find(kOfRuns, name) == kOfRuns.end()) return {};
  return Error{file + ": has the name of a file of a run; write the report to another one"};
}

int RunReport(const ReportArguments& options) {
  if (const auto status = CheckFile(options.file); !status) return Report(status.error());
  const bool has_page = options.figures.empty() || !options.file.empty();
  const std::string file = options.file.empty() ? options.directory + "/report.html" : options.file;
  const auto left_out = WriteReport(
      options.directory,
      {.file = has_page ? file : "", .figures = options.figures, .repetition = RunsRepetition});
  if (!left_out) return Report(left_out.error());
  for (const std::string& run : *left_out) fmt::print(stderr, "airlot: {}\n", run);
  if (options.output.json) {
    Json json;
    json["report"] = has_page ? Json(file) : Json(nullptr);
    json["figures"] = options.figures.empty() ? Json(nullptr) : Json(options.figures);
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return kDone;
  }
  if (has_page) fmt::print("The report is in {}.\n", file);
  if (!options.figures.empty()) fmt::print("The figures are in {}.\n", options.figures);
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
