#include "report/latex_table.h"

#include <gtest/gtest.h>

#include <string>

namespace airlot::report {
namespace {

Table TwoRows() {
  return {.caption = "Mean ± half of the interval",
          .rows = {{"strategy", "time (s)"}, {"a_b", "3 ± 1"}, {"[c]", "≥ 4"}}};
}

TEST(LatexTableTest, RulesRowsAndNote) {
  const std::string text = LatexOf(TwoRows(), "Scenario 50%: 3 seeds.", {});
  EXPECT_NE(text.find("\\begin{tabular}{@{}lr@{}}\n\\toprule\n{}strategy & time (s) \\\\\n"
                      "\\midrule\n{}a\\_b & 3 \\ensuremath{\\pm} 1 \\\\\n"
                      "{}[c] & \\ensuremath{\\geq} 4 \\\\\n\\bottomrule\n\\end{tabular}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Mean \\ensuremath{\\pm} half of the interval. Scenario 50\\%: 3 seeds."),
            std::string::npos);
  EXPECT_EQ(text.find("\\textbf"), std::string::npos);
}

TEST(LatexTableTest, BoldIsWhatTheTableSays) {
  Table table = TwoRows();
  table.bold = {{false, false}, {false, true}};
  const std::string text = LatexOf(table, "", {});
  EXPECT_NE(text.find("{}a\\_b & \\textbf{3 \\ensuremath{\\pm} 1} \\\\"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("\\textbf", text.find("\\textbf") + 1), std::string::npos);
}

// Five columns of 20 characters do not fit into one column of a page, but into two.
TEST(LatexTableTest, ColumnsThatDoNotFitAreSetBelow) {
  Table table{.rows = {{"strategy"}, {"probabilistic"}}};
  for (int i = 0; i < 5; ++i) {
    table.rows[0].push_back("time");
    table.rows[1].push_back("12,345 ± 1,234 (876)");
  }
  const auto tabulars = [&](const PaperStyle& paper) {
    const std::string text = LatexOf(table, "", paper);
    int count = 0;
    for (std::size_t at = 0; (at = text.find("\\toprule", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(tabulars({.columns = PaperStyle::Columns::kOne}), 3);
  EXPECT_EQ(tabulars({.columns = PaperStyle::Columns::kTwo}), 1);
}

TEST(LatexTableTest, SeveralColumnsMayNameARow) {
  Table table{.rows = {{"bandwidth_hz", "strategy"}, {"1e6", "a"}}, .names = 2};
  for (int i = 0; i < 3; ++i) {
    table.rows[0].push_back("time");
    table.rows[1].push_back("12,345 ± 1,234 (876)");
  }
  const std::string text = LatexOf(table, "", {.columns = PaperStyle::Columns::kOne});
  std::size_t tabulars = 0;
  // Every tabular has both names, on the left.
  for (std::size_t at = 0; (at = text.find("{@{}ll", at)) != std::string::npos; ++at) ++tabulars;
  EXPECT_EQ(tabulars, 3u) << text;
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = text.find("{}1e6 & a & 12,345", at)) != std::string::npos; ++at) {
    ++rows;
  }
  EXPECT_EQ(rows, 3u) << text;
}

TEST(LatexTableTest, AWideHeadTakesSeveralLines) {
  const Table table{.rows = {{"strategy", "devices over budget"}, {"uniform", "3"}}};
  EXPECT_NE(
      LatexOf(table, "", {}).find("\\begin{tabular}[b]{@{}r@{}}{}devices\\\\{}over\\\\{}budget"),
      std::string::npos)
      << LatexOf(table, "", {});
}

}  // namespace
}  // namespace airlot::report
