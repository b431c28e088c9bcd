#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/report.h"
#include "base/utf8.h"
#include "report/numbers.h"

namespace airlot {
namespace {

struct Lines {
  // Each of top, middle and bottom is a left, an inner and a right corner.
  std::string_view across, down, top, middle, bottom;
  std::string_view Corner(std::string_view three, std::size_t i) const {
    const std::size_t size = three.size() / 3;
    return three.substr(i * size, size);
  }
};
constexpr Lines kAscii = {"-", "|", "+++", "+++", "+++"};
constexpr Lines kBox = {"─", "│", "┌┬┐", "├┼┤", "└┴┘"};

std::string RuleOf(std::span<const std::size_t> widths, const Lines& lines,
                   std::string_view corners) {
  std::string rule(lines.Corner(corners, 0));
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (std::size_t k = 0; k < widths[i] + 2; ++k) rule += lines.across;
    rule += lines.Corner(corners, i + 1 == widths.size() ? 2 : 1);
  }
  return rule + "\n";
}

// Returns a text in lines of at most `width` columns: broken at spaces, or within longer words.
std::vector<std::string> CellLines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (report::CharactersOf(text) > width) {
    const std::string_view fitting = base::CutToColumns(text, width);
    std::size_t end = text.rfind(' ', fitting.size());
    if (end == std::string_view::npos || end == 0) end = fitting.size();
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(text[end] == ' ' ? end + 1 : end);
  }
  lines.emplace_back(text);
  return lines;
}

// A TablePart is some of the columns of a table, with the width of each.
struct TablePart {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> widths;
};

std::string RowOf(const std::vector<std::string>& cells, const TablePart& part,
                  const Lines& lines) {
  std::vector<std::vector<std::string>> texts;
  std::size_t height = 1;
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    texts.push_back(CellLines(cells[part.columns[i]], part.widths[i]));
    height = std::max(height, texts.back().size());
  }
  std::string row;
  for (std::size_t line = 0; line < height; ++line) {
    row += lines.down;
    for (std::size_t i = 0; i < part.widths.size(); ++i) {
      const std::string cell = line < texts[i].size() ? texts[i][line] : "";
      const std::string space(part.widths[i] - report::CharactersOf(cell), ' ');
      row += " " + (i == 0 ? cell + space : space + cell) + " ";
      row += lines.down;
    }
    row += "\n";
  }
  return row;
}

// A column has a space on each side and a line behind it, and one more line begins the table.
constexpr std::size_t kBesideCell = 3;

std::size_t WidthOf(const TablePart& part) {
  std::size_t width = 1;
  for (const std::size_t column : part.widths) width += column + kBesideCell;
  return width;
}

// Makes a part fit: the columns that name a row give way, then the others.
void NarrowPart(std::size_t columns, TablePart& part) {
  constexpr std::size_t kLeast = 6;
  for (std::size_t& width : part.widths) {
    const std::size_t all = WidthOf(part);
    if (all <= columns) return;
    width = std::max(std::min(kLeast, width), width > all - columns ? width - (all - columns) : 0);
  }
}

// Divides columns of these widths into parts that fit, each with the first `naming` ones; 0 columns
// are without end.
std::vector<TablePart> PartsOf(const std::vector<std::size_t>& widths, std::size_t columns,
                               std::size_t naming) {
  TablePart first;
  for (std::size_t i = 0; i < naming; ++i) {
    first.columns.push_back(i);
    first.widths.push_back(widths[i]);
  }
  std::vector<TablePart> parts(1, first);
  for (std::size_t i = naming; i < widths.size(); ++i) {
    const bool is_full = columns > 0 && parts.back().columns.size() > naming &&
                         WidthOf(parts.back()) + widths[i] + kBesideCell > columns;
    if (is_full) parts.push_back(first);
    parts.back().columns.push_back(i);
    parts.back().widths.push_back(widths[i]);
  }
  if (columns == 0) return parts;
  for (TablePart& part : parts) NarrowPart(columns, part);
  return parts;
}

}  // namespace

std::string DrawTable(std::span<const std::vector<std::string>> rows, const TableStyle& style,
                      std::size_t naming_columns) {
  const Lines& lines = style.utf8 ? kBox : kAscii;
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], report::CharactersOf(row[i]));
    }
  }
  std::string table;
  for (const TablePart& part : PartsOf(widths, style.columns, naming_columns)) {
    table += RuleOf(part.widths, lines, lines.top);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      table += RowOf(rows[i], part, lines);
      if (i == 0) table += RuleOf(part.widths, lines, lines.middle);
    }
    table += RuleOf(part.widths, lines, lines.bottom);
  }
  return table;
}

}  // namespace airlot
