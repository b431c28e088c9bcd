#include "report/paper_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "report/latex_table.h"
#include "report/typeset.h"

namespace airlot {

std::span<const PaperFormatName> PaperFormats() {
  static constexpr std::array<PaperFormatName, 5> kFormats = {{{PaperFormat::kSvg, "svg"},
                                                               {PaperFormat::kCsv, "csv"},
                                                               {PaperFormat::kPgfplots, "pgfplots"},
                                                               {PaperFormat::kPdf, "pdf"},
                                                               {PaperFormat::kLatex, "latex"}}};
  return kFormats;
}

namespace report {
namespace {

struct NamedFigure {
  std::string name;
  const Figure* figure;
};

// One scenario needs no number before the names of its figures and tables.
std::string NameOf(const Page& page, const Section& section, const std::string& name) {
  return page.sections.size() == 1 ? name : section.id + "-" + name;
}

std::vector<NamedFigure> FiguresOf(const Page& page) {
  std::vector<NamedFigure> figures;
  for (const Section& section : page.sections) {
    for (const Part& part : section.parts) {
      for (const Figure& figure : part.figures) {
        figures.push_back(
            {NameOf(page, section, figure.id.substr(section.id.size() + 1)), &figure});
      }
    }
  }
  return figures;
}

class FileSet {
 public:
  explicit FileSet(const ReportOptions& options) : options_(options) {}

  bool Has(PaperFormat format) const {
    return std::ranges::find(options_.formats, format) != options_.formats.end();
  }
  void Add(PaperFormat format, std::string name, std::string bytes) {
    if (Has(format)) files_.emplace_back(std::move(name), std::move(bytes));
  }
  Status Write() const {
    const std::string& folder = *options_.figures;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      return Error{fmt::format("{}: cannot make this folder: {}", folder, error.message())};
    }
    for (const auto& [name, bytes] : files_) {
      const std::string path = (std::filesystem::path(folder) / name).string();
      if (auto status = base::WriteWhole(path, bytes); !status) return status;
    }
    return {};
  }

 private:
  const ReportOptions& options_;
  std::vector<std::pair<std::string, std::string>> files_;
};

Status AddFigures(const Page& page, const ReportOptions& options, FileSet& files) {
  const std::vector<NamedFigure> figures = FiguresOf(page);
  std::vector<Picture> pictures;
  const auto add = [&](const std::string& name, const Plot& plot, const std::string& title,
                       const std::string& caption) {
    pictures.push_back({name, PgfplotsOf(plot, title, caption, options.paper)});
  };
  for (const auto& [name, figure] : figures) {
    if (figure->panels.empty()) add(name, figure->plot, figure->title, figure->caption);
    for (std::size_t i = 0; i < figure->panels.size(); ++i) {
      const Figure::Panel& panel = figure->panels[i];
      add(fmt::format("{}-{}", name, i + 1), panel.plot, figure->title + ", " + panel.title,
          figure->caption);
    }
  }
  std::vector<std::string> pdfs(pictures.size());
  if (files.Has(PaperFormat::kPdf)) {
    auto typeset = TypesetAll(pictures, options.paper, options.typeset);
    if (!typeset) return typeset.error();
    pdfs = std::move(*typeset);
  }
  for (const auto& [name, figure] : figures) {
    files.Add(PaperFormat::kSvg, name + ".svg", FileSvg(*figure));
    files.Add(PaperFormat::kCsv, name + ".csv", figure->csv);
  }
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    files.Add(PaperFormat::kPgfplots, pictures[i].name + ".tex", std::move(pictures[i].latex));
    files.Add(PaperFormat::kPdf, pictures[i].name + ".pdf", std::move(pdfs[i]));
  }
  return {};
}

void AddTables(const Page& page, const PaperStyle& paper, FileSet& files) {
  for (const Section& section : page.sections) {
    if (section.effects_csv.empty()) continue;
    files.Add(PaperFormat::kCsv, NameOf(page, section, "effects") + ".csv", section.effects_csv);
  }
  const auto add = [&](const std::string& name, const Table& table, const std::string& facts) {
    files.Add(PaperFormat::kLatex, fmt::format("table-{}.tex", name), LatexOf(table, facts, paper));
  };
  for (const Section& section : page.sections) {
    const std::string facts = fmt::format("Scenario {}: {}.", section.name, section.facts);
    for (const Part& part : section.parts) {
      for (const Table& table : part.tables) add(NameOf(page, section, table.id), table, facts);
    }
  }
  for (const PaperClaims& claims : page.claims) {
    add("claims-" + claims.scenario, ClaimTable(claims), std::string(ClaimNote()));
  }
}

}  // namespace

Status WritePaperFiles(const Page& page, const ReportOptions& options) {
  FileSet files(options);
  if (auto status = AddFigures(page, options, files); !status) return status;
  AddTables(page, options.paper, files);
  return files.Write();
}

}  // namespace report
}  // namespace airlot
