#include "report/latex_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/latex.h"

namespace airlot::report {
namespace {

constexpr double kGapPt = 9;  // between columns: twice LaTeX's \tabcolsep, set below
// Names of rows that are longer take several lines; where several columns name a row, each has its
// share.
constexpr double kMostNamePt = 118;

// A Column is as wide as its widest cell; a head that is wider takes several lines.
struct Column {
  std::size_t index = 0;
  double width_pt = 0;
  std::vector<std::string> head;
};

bool IsBold(const Table& table, std::size_t row, std::size_t column) {
  return row < table.bold.size() && column < table.bold[row].size() && table.bold[row][column];
}

bool IsName(const Table& table, std::size_t column) { return column < table.names; }

double MostNamePt(const Table& table) { return kMostNamePt / double(table.names); }

Column ColumnOf(const Table& table, std::size_t index) {
  Column column{.index = index};
  double body_pt = 0;
  for (std::size_t row = 1; row < table.rows.size(); ++row) {
    const double wider = IsBold(table, row, index) ? 1.15 : 1;
    body_pt = std::max(body_pt, wider * LatexWidthPt(table.rows[row][index]));
  }
  if (IsName(table, index)) body_pt = std::min(body_pt, MostNamePt(table));
  constexpr double kLeastHeadPt = 30;
  column.head = LinesOf(table.rows[0][index], std::max(body_pt, kLeastHeadPt));
  column.width_pt = body_pt;
  for (const std::string& line : column.head) {
    column.width_pt = std::max(column.width_pt, LatexWidthPt(line));
  }
  return column;
}

// Returns lines as a cell; several stand on the line of the last one.
std::string Stacked(const std::vector<std::string>& lines, char side) {
  if (lines.empty()) return "";
  if (lines.size() == 1) return Latex(lines[0]);
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const std::string& line : lines) texts.push_back("{}" + Latex(line));
  return fmt::format("\\begin{{tabular}}[b]{{@{{}}{}@{{}}}}{}\\end{{tabular}}", side,
                     fmt::join(texts, "\\\\"));
}

std::string CellOf(const Table& table, std::size_t row, const Column& column) {
  const std::string& text = table.rows[row][column.index];
  std::string cell = Latex(text);
  if (IsName(table, column.index) && LatexWidthPt(text) > MostNamePt(table)) {
    cell = Stacked(LinesOf(text, MostNamePt(table)), 'l');
  }
  return IsBold(table, row, column.index) ? "\\textbf{" + cell + "}" : cell;
}

// Returns one tabular with the names of the rows and some columns.
std::string TabularOf(const Table& table, const std::vector<const Column*>& columns) {
  std::string text =
      fmt::format("\\begin{{tabular}}{{@{{}}{}{}@{{}}}}\n\\toprule\n",
                  std::string(table.names, 'l'), std::string(columns.size() - table.names, 'r'));
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const Column* column : columns) {
      const char side = IsName(table, column->index) ? 'l' : 'r';
      // A group in front keeps \\ from taking "[" or "*" for its own.
      text += column == columns.front() ? "{}" : " & ";
      text += row == 0 ? Stacked(column->head, side) : CellOf(table, row, *column);
    }
    text += row == 0 ? " \\\\\n\\midrule\n" : " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}";
}

// Shares the columns out, so that each tabular fits; all have the columns of names.
std::vector<std::vector<const Column*>> Divided(const std::vector<Column>& columns,
                                                std::size_t name_count, double most_pt) {
  std::vector<const Column*> names;
  double names_pt = -kGapPt;
  for (std::size_t i = 0; i < name_count; ++i) {
    names.push_back(&columns[i]);
    names_pt += kGapPt + columns[i].width_pt;
  }
  std::vector<std::vector<const Column*>> tabulars;
  double width_pt = 0;
  for (std::size_t i = name_count; i < columns.size(); ++i) {
    const double needed_pt = kGapPt + columns[i].width_pt;
    if (tabulars.empty() ||
        (tabulars.back().size() > name_count && width_pt + needed_pt > most_pt)) {
      tabulars.push_back(names);
      width_pt = names_pt;
    }
    tabulars.back().push_back(&columns[i]);
    width_pt += needed_pt;
  }
  if (tabulars.empty()) tabulars.push_back(names);
  return tabulars;
}

}  // namespace

std::string LatexOf(const Table& table, std::string_view facts, const PaperStyle& paper) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.rows[0].size(); ++i) columns.push_back(ColumnOf(table, i));
  std::vector<std::string> tabulars;
  for (const auto& some : Divided(columns, table.names, ColumnWidthPt(paper.columns))) {
    tabulars.push_back(TabularOf(table, some));
  }
  const std::string note = table.caption + (table.caption.ends_with('.') ? "" : ".");
  return fmt::format(
      "% Put it in with \\input, in a table; the preamble has \\usepackage{{booktabs}}.\n"
      "\\begin{{minipage}}{{{0}}}\n"
      "{1}\\fontsize{{8}}{{9.6}}\\selectfont\\setlength{{\\tabcolsep}}{{{2}pt}}\\centering\n"
      "{3}\\par\\smallskip\n"
      "\\footnotesize\\fontsize{{7}}{{8.4}}\\selectfont\\raggedright {4} {5}\\par\n"
      "\\end{{minipage}}%\n",
      ColumnWidth(paper.columns), paper.fonts == PaperStyle::Fonts::kSans ? "\\sffamily" : "",
      kGapPt / 2, fmt::join(tabulars, "\\par\\smallskip\n"), Latex(note), Latex(facts));
}

}  // namespace airlot::report
