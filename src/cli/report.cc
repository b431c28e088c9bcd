// `airlot report` makes the report of a run directory.
#include "airlot/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/repetition.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "report/effects.h"

namespace airlot::cli {
namespace {

struct ReportArguments {
  std::string directory;
  std::optional<std::string> file;
  std::optional<std::string> figures;
  bool has_heat_maps = false;
  bool effects = false;
  std::vector<std::string> formats;  // names; none: those of ReportOptions
  std::string columns = "one";
  std::string fonts = "latex";
  bool has_no_titles = false;
  OutputOptions output;
};

Json NumberOrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json ToJson(const report::Effect& effect) {
  const bool is_known = effect.at_least && effect.at_most;
  return {{"metric", report::MetricName(effect.metric)},
          {"target", report::IsRatio(effect.metric) ? Json(effect.target) : Json()},
          {"first", effect.first},
          {"second", effect.second},
          {"estimate", is_known ? Json(*effect.at_least) : Json()},
          {"at_least", NumberOrNull(effect.at_least)},
          {"at_most", NumberOrNull(effect.at_most)},
          {"low", NumberOrNull(effect.low)},
          {"high", NumberOrNull(effect.high)},
          {"p", NumberOrNull(effect.p)},
          {"p_holm", NumberOrNull(effect.adjusted_p)},
          {"pairs", effect.pairs},
          {"missed", effect.missed}};
}

Json ToJson(const std::vector<report::ScenarioEffects>& scenarios) {
  Json json = Json::array();
  for (const report::ScenarioEffects& scenario : scenarios) {
    Json effects = Json::array();
    for (const report::EffectTable& table : scenario.tables) {
      for (const report::Effect& effect : table.effects) effects.push_back(ToJson(effect));
    }
    json.push_back({{"scenario", scenario.scenario}, {"effects", std::move(effects)}});
  }
  return json;
}

void PrintEffects(const report::ScenarioEffects& scenario) {
  Print("{}\n", scenario.scenario);
  if (scenario.tables.empty()) {
    Print("{}\n", Wrapped("No effects: they need two strategies with two complete runs of the same "
                          "seeds."));
  }
  // Tables of which the same is said share what is said.
  for (std::size_t i = 0; i < scenario.tables.size(); ++i) {
    Print("{}",
          DrawTable(report::EffectRows(scenario.tables[i], StyleOfTables()), StyleOfTables()));
    const std::string note = NoteOf(scenario.tables[i]);
    if (i + 1 < scenario.tables.size() && NoteOf(scenario.tables[i + 1]) == note) continue;
    Print("{}\n",
          Wrapped(fmt::format(
              "{}: {}.", report::IsRatio(scenario.tables[i].metric) ? "ratio" : "points", note)));
  }
}

std::vector<std::string> AllFormats() {
  std::vector<std::string> names;
  for (const PaperFormatName& known : PaperFormats()) names.emplace_back(known.name);
  return names;
}

// The options of figures mean nothing without figures.
std::optional<Error> UselessOption(const CLI::App& command) {
  for (const char* name : {"--formats", "--columns", "--fonts", "--no-titles"}) {
    if (command.count(name) > 0) {
      return Error{fmt::format("{}: is for figures; add --figures FOLDER", name)};
    }
  }
  return std::nullopt;
}

ReportOptions OptionsOf(const ReportArguments& arguments, Progress& progress) {
  ReportOptions options{.figures = arguments.figures,
                        .repetition = RunsRepetition,
                        .sweep_repetition = SweepRepetition,
                        .has_heat_maps = arguments.has_heat_maps};
  if (!arguments.formats.empty()) options.formats.clear();
  for (const PaperFormatName& known : PaperFormats()) {
    if (std::ranges::find(arguments.formats, known.name) == arguments.formats.end()) continue;
    options.formats.push_back(known.format);
  }
  using Columns = PaperStyle::Columns;
  using Fonts = PaperStyle::Fonts;
  options.paper = {.columns = arguments.columns == "two" ? Columns::kTwo : Columns::kOne,
                   .fonts = arguments.fonts == "sans" ? Fonts::kSans : Fonts::kLatex,
                   .has_titles = !arguments.has_no_titles};
  options.typeset = [&progress](std::size_t done, std::size_t all) {
    progress.Say(fmt::format("typesetting figure {} of {}", std::min(done + 1, all), all));
    progress(double(done) / double(all));
  };
  return options;
}

int RunReport(const CLI::App& command, const ReportArguments& options) {
  if (options.file == "-") return Report({"-o -: the report goes to a file; name one"});
  if (!options.figures) {
    if (const auto error = UselessOption(command)) return Report(*error);
  }
  std::optional<std::string> file = options.file;
  std::vector<report::ScenarioEffects> effects;
  if (options.effects) {
    auto read = report::ReadEffects(options.directory);
    if (!read) return Report(read.error());
    effects = std::move(*read);
    for (const report::ScenarioEffects& scenario : effects) {
      for (const std::string& run : scenario.left_out) Warn("airlot: {}\n", run);
      if (!options.output.json) PrintEffects(scenario);
    }
    if (!file && !options.figures) {
      if (options.output.json) PrintExactly(TextOf({{"scenarios", ToJson(effects)}}));
      return kDone;
    }
  }
  if (!file && !options.figures) file = ReportFileOf(options.directory);
  std::optional<Progress> progress;
  progress.emplace("writing the report", options.output.quiet);
  ReportOptions wanted = OptionsOf(options, *progress);
  wanted.file = file;
  const auto left_out = WriteReport(options.directory, wanted);
  progress.reset();
  if (!left_out) return Report(left_out.error());
  for (const std::string& run : *left_out) Warn("airlot: {}\n", run);
  if (options.output.json) {
    Json json;
    json["report"] = OrNull(file);
    json["figures"] = OrNull(options.figures);
    if (options.effects) json["scenarios"] = ToJson(effects);
    PrintExactly(TextOf(json));
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
  command.add_option("DIR", options->directory, "What train, compare, sweep or reproduce wrote")
      ->required()
      ->check(kNotEmpty);
  command.add_option("-o,--output", options->file, "Write it here (DIR/report.html)")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--figures", options->figures,
                  "Each figure, its data and each table into a folder")
      ->check(kNotEmpty)
      ->type_name("FOLDER");
  command.add_flag("--heat-maps", options->has_heat_maps,
                   "Draw heat maps, too (sweeps of two keys)");
  command.add_flag("--effects", options->effects,
                   "Print effects between strategies, make no report");
  command
      .add_option("--formats", options->formats,
                  fmt::format("Some of {}", fmt::join(AllFormats(), ",")))
      ->delimiter(',')
      ->transform(kTrimmed)
      ->check(OneOf(AllFormats()))
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command.add_option("--columns", options->columns, "Figures as wide as this many columns")
      ->check(OneOf({"one", "two"}))
      ->capture_default_str();
  command.add_option("--fonts", options->fonts, "The paper's own font, or its sans serif")
      ->check(OneOf({"latex", "sans"}))
      ->capture_default_str();
  command.add_flag("--no-titles", options->has_no_titles, "No titles in pgfplots and PDF figures");
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot report runs/paper-highly-biased --figures figures -o report.html");
  command.callback([options, &command, &exit_code] { exit_code = RunReport(command, *options); });
}

}  // namespace airlot::cli
