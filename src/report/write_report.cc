
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "airlot/kept_runs.h"
#include "airlot/report.h"
#include "base/atomic_file.h"
#include "report/numbers.h"
#include "report/page.h"
#include "report/paper_files.h"
#include "report/phrases.h"
#include "report/run_fleet.h"
#include "report/run_folders.h"
#include "report/sweep_table.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/manifest.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;
using report::Page;
using report::PaperClaims;
using report::Section;

// A page of more sections is slow to open in every browser.
constexpr std::size_t kMostSections = 100;
constexpr std::size_t kMostBytes = 64'000'000;

// Returns what the paper says of its scenarios, where all of them are there.
std::vector<PaperClaims> ClaimsOf(const std::vector<Section>& sections) {
  std::vector<PaperClaims> claims;
  for (const PaperScenario& paper : PaperScenarios()) {
    const auto section = std::ranges::find(sections, paper.name, &Section::name);
    if (section == sections.end() || section->summaries.empty()) return {};
    claims.push_back({.scenario = section->name,
                      .claims = CheckClaims(paper, section->summaries),
                      .note = section->paper_note});
  }
  return claims;
}

// Keeps as many run directories as a page has room for.
void KeepAsManyAsFit(const std::string& directory, std::vector<std::string>& folders, Page& page) {
  if (folders.size() <= kMostSections) return;
  page.notes.push_back(
      fmt::format("{}: holds {} run directories; {} of them, from {} on, are left out, because a "
                  "report shows at most {}: make reports of single directories",
                  directory, folders.size(), folders.size() - kMostSections, folders[kMostSections],
                  kMostSections));
  page.left_out.push_back(page.notes.back());
  folders.resize(kMostSections);
}

Result<std::vector<runs::Manifest>> ManifestsIn(const std::vector<std::string>& folders) {
  std::vector<runs::Manifest> manifests;
  for (const std::string& folder : folders) {
    auto manifest = runs::FindManifest(folder);
    if (!manifest) return manifest.error();
    if (!*manifest) return Error{folder + ": holds no runs"};
    manifests.push_back(std::move(**manifest));
  }
  return manifests;
}

// Returns the strategies of all run directories.
std::vector<std::string> StrategiesIn(const std::vector<runs::Manifest>& manifests) {
  std::vector<std::string> strategies;
  for (const runs::Manifest& manifest : manifests) {
    strategies.insert(strategies.end(), manifest.strategies.begin(), manifest.strategies.end());
  }
  return strategies;
}

// Makes the page scenario after scenario, so that the runs of one are in memory at a time.
Result<Page> PageOfRuns(const std::string& directory, const ReportOptions& options) {
  auto folders = report::FindRunDirectories(directory);
  if (!folders) return folders.error();
  Page page;
  KeepAsManyAsFit(directory, *folders, page);
  auto manifests = ManifestsIn(*folders);
  if (!manifests) return manifests.error();
  const report::Looks looks(StrategiesIn(*manifests));
  for (std::size_t i = 0; i < folders->size(); ++i) {
    const auto reduced = report::ReadReduced((*folders)[i], std::move((*manifests)[i]));
    if (!reduced) return reduced.error();
    Section section =
        report::SectionOf(fmt::format("s{}", page.sections.size() + 1), *reduced, looks);
    if (options.repetition) section.repetition = options.repetition(reduced->runs.comparison);
    page.left_out.insert(page.left_out.end(), section.left_out.begin(), section.left_out.end());
    page.sections.push_back(std::move(section));
  }
  page.title = page.sections.size() == 1
                   ? page.sections[0].name
                   : fmt::format("airlot: {} scenarios compared", page.sections.size());
  page.claims = ClaimsOf(page.sections);
  if (page.claims.empty()) return page;
  page.title = "The paper's evaluation, repeated";
  for (const Section& section : page.sections) {
    if (!section.paper_note.empty()) page.title = "The paper's scenarios in another setting";
  }
  return page;
}

// Says what was run: "6 cells of radio.bandwidth_hz and data.beta, 3 strategies × 3 seeds".
std::string FactsOf(const Grid& grid, std::size_t strategies, std::size_t seeds) {
  std::vector<std::string> keys;
  for (const GridAxis& axis : grid.axes) keys.push_back(axis.keys.front().name);
  return fmt::format(
      "{} of {}, {}{}", report::CountOf(CellCount(grid), "cell"),
      report::Listed(std::move(keys), 4),
      strategies == 0 ? ""
                      : fmt::format("{} strateg{} × ", strategies, strategies == 1 ? "y" : "ies"),
      report::CountOf(seeds, "seed"));
}

Result<Page> PageOfSweep(const std::string& directory, const ReportOptions& options) {
  const auto kept = ReadSweep(directory);
  if (!kept) return kept.error();
  const Sweep& sweep = kept->sweep;
  Page page{.title = fmt::format("{}: a sweep", sweep.name)};
  Section section = report::SweepSection(report::TableOf(*kept), options.has_heat_maps);
  section.name = sweep.name;
  section.facts = FactsOf(sweep.grid, sweep.strategies.size(), sweep.seeds.size());
  section.scenario = sweep.scenario;
  section.version = kept->version;
  std::size_t missing = 0;
  for (const SweptCell& cell : kept->cells) missing += cell.problem ? 0 : cell.missing_runs;
  if (missing > 0) {
    section.notes.push_back(
        fmt::format("The sweep is not complete: {} missing.",
                    missing == 1 ? "1 run is" : fmt::format("{} runs are", missing)));
  }
  if (options.sweep_repetition) section.repetition = options.sweep_repetition(sweep);
  for (std::size_t i = 0; i < kept->cells.size(); ++i) {
    for (const UnreadableRun& run : kept->cells[i].unreadable) {
      section.left_out.push_back(fmt::format("{}, seed {}, of the cell {} is left out: {}",
                                             run.strategy, run.seed, CellName(sweep.grid, i),
                                             run.fault));
      section.notes.push_back(section.left_out.back());
    }
  }
  page.left_out = section.left_out;
  page.sections.push_back(std::move(section));
  return page;
}

Result<Page> PageOf(const std::string& directory, const ReportOptions& options) {
  return HoldsSweep(directory) ? PageOfSweep(directory, options) : PageOfRuns(directory, options);
}

Status CheckFile(const std::string& file) {
  if (!runs::IsNamedLikeOurs(file) || fs::path(file).filename() == runs::kReportFile) return {};
  return Error{file + ": has the name of a file of a run; write the report to another one"};
}

Result<std::string> HtmlWithinLimit(const Page& page, const std::string& file) {
  std::string html = report::HtmlOf(page);
  if (html.size() <= kMostBytes) return html;
  return Error{fmt::format(
      "{}: is not written, because the report would have {} MB, and the limit is {} MB: make "
      "reports of fewer runs each",
      file, html.size() / 1'000'000, kMostBytes / 1'000'000)};
}

Status WritePage(const Page& page, const std::string& file) {
  const auto html = HtmlWithinLimit(page, file);
  return html ? base::WriteWhole(file, *html) : Status(html.error());
}

Page PageOf(const PlanSweep& sweep, bool has_heat_maps) {
  Page page{.title = fmt::format("{}: plans compared", sweep.name)};
  Section section = report::SweepSection(report::TableOf(sweep), has_heat_maps);
  section.name = sweep.name;
  section.facts = FactsOf(sweep.grid, 0, sweep.seeds.size());
  section.scenario = sweep.scenario;
  section.repetition = sweep.repetition;
  page.sections.push_back(std::move(section));
  return page;
}

}  // namespace

std::string ReportFileOf(const std::string& directory) {
  return (std::filesystem::path(directory) / runs::kReportFile).string();
}

Result<std::vector<std::string>> WriteReport(const std::string& directory,
                                             const ReportOptions& options) {
  if (options.file) {
    if (auto status = CheckFile(*options.file); !status) return status.error();
  }
  auto page = PageOf(directory, options);
  if (!page) return page.error();
  if (options.figures) {
    if (auto status = report::WritePaperFiles(*page, options); !status) return status.error();
  }
  if (options.file) {
    if (auto status = WritePage(*page, *options.file); !status) return status.error();
  }
  return std::move(page->left_out);
}

Status WritePlanReport(const std::string& file, const Scenario& scenario, const Fleet& fleet,
                       const PlanningProblem& problem, const PlanView& plan,
                       const Expectations& expectations, const PlanOrigin& origin) {
  const std::optional<std::string>& fleet_file = scenario.fleet.file;
  Page page{.title = fmt::format("{}: {}{}, solver {}", origin.airtime ? "Airtime plan" : "Plan",
                                 scenario.name,
                                 !fleet_file                  ? ""
                                 : fleet_file == "/dev/stdin" ? ", fleet from standard input"
                                                              : ", fleet " + *fleet_file,
                                 SolverName(scenario.planning.solver))};
  page.sections.push_back(
      report::PlanSection(scenario, fleet, problem, plan, expectations, origin));
  return WritePage(page, file);
}

Status WritePlanSweep(const PlanSweep& sweep, const PlanSweepFiles& files) {
  std::vector<base::FileText> texts;
  if (files.table) texts.push_back({*files.table, SweepCsv(sweep)});
  if (files.report) {
    auto html = HtmlWithinLimit(PageOf(sweep, files.has_heat_maps), *files.report);
    if (!html) return html.error();
    texts.push_back({*files.report, std::move(*html)});
  }
  return base::WriteAllWhole(texts);
}

}  // namespace airlot
