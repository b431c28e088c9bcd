#include <algorithm>

#include "airlot/report.h"
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

std::string RowOf(const std::vector<std::string>& cells, std::span<const std::size_t> widths,
                  const Lines& lines) {
  std::string row(lines.down);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string& cell = cells[i];
    const std::string space(widths[i] - report::CharactersOf(cell), ' ');
    row += " " + (i == 0 ? cell + space : space + cell) + " ";
    row += lines.down;
  }
  return row + "\n";
}

}  // namespace

std::string DrawTable(std::span<const std::vector<std::string>> rows, const TableStyle& style) {
  const Lines& lines = style.utf8 ? kBox : kAscii;
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], report::CharactersOf(row[i]));
    }
  }
  std::string table = RuleOf(widths, lines, lines.top);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table += RowOf(rows[i], widths, lines);
    if (i == 0) table += RuleOf(widths, lines, lines.middle);
  }
  return table + RuleOf(widths, lines, lines.bottom);
}

}  // namespace airlot
