#include "report/parts.h"

#include <gtest/gtest.h>

namespace airlot::report {
namespace {

TEST(BudgetPartTest, ARatioJustAboveOneIsNotShownAsOne) {
  StrategySummary summary{.strategy = "a", .runs = 1};
  summary.budget = {.devices = 50, .devices_over = {1, 3, 0}, .worst_ratio = 1.0042};
  ReducedRuns reduced;
  reduced.budget_ratios.push_back({"a", {0.5, 1.0042}});
  const Part part = BudgetPart("", reduced, {}, std::vector{summary});
  ASSERT_EQ(part.tables.size(), 1U);
  EXPECT_EQ(part.tables[0].rows[1], (std::vector<std::string>{"a", "3", "1.0042", "0"}));
}

// This strategy reaches its target in all runs, after so long and with so much energy.
StrategySummary Reached(std::string name, double time_s, double energy_j) {
  const EvaluatedRound round{.round = 1, .time_s = time_s, .energy_j = energy_j, .accuracy = 0.9};
  return {.strategy = std::move(name),
          .runs = 1,
          .outcomes = {{.evaluations = {round}}},
          .targets = {{.target = 0.8, .first = {.reached = 1}}}};
}

TEST(TradeFigureTest, TheCaptionSaysWhatTheFrontIsAndWhoIsNotDrawn) {
  std::vector summaries{Reached("a", 1, 9), Reached("b", 2, 5), Reached("c", 3, 6)};
  const auto plain = TradeFigure("", summaries, {}, {});
  ASSERT_TRUE(plain.has_value());
  EXPECT_NE(plain->caption.find("no other is at least as good in both and better in one; it joins "
                                "those that break budgets as well (hollow marks)."),
            std::string::npos)
      << plain->caption;
  EXPECT_EQ(plain->caption.find("There without"), std::string::npos) << plain->caption;
  // The first model of this one is good enough.
  summaries.push_back(Reached("free", 0, 0));
  const auto figure = TradeFigure("", summaries, {}, {});
  EXPECT_TRUE(figure->caption.ends_with(
      " There without any time or any energy, and so neither drawn nor counted for the front: "
      "free."))
      << figure->caption;
  for (const char* row :
       {"a,1,,,9,,,1,1,,1", "b,2,,,5,,,1,1,,1", "c,3,,,6,,,1,1,,0", "free,0,,,0,,,1,1,,0"}) {
    EXPECT_NE(figure->csv.find(std::string("\n") + row + "\n"), std::string::npos) << figure->csv;
  }
  EXPECT_NE(figure->svg.find("e front"), std::string::npos);
}

}  // namespace
}  // namespace airlot::report
