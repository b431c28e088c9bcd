#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "airlot/report.h"

namespace airlot {
namespace {

StrategySummary SummaryOf(const std::string& strategy, Moments time_s, double accuracy) {
  return {.strategy = strategy,
          .runs = 10,
          .targets = {{.target = 0.59, .time_s = time_s, .energy_j = {time_s.count, 12.34, 0.5}}},
          .final_accuracy = {10, accuracy, 0.012},
          .participants = {10, 2.127, 0.04},
          .fairness = {10, 0.876, 0.01}};
}

TEST(DrawTable, BoxesCells) {
  const std::vector<std::vector<std::string>> rows{{"a", "number"}, {"text", "1"}};
  EXPECT_EQ(DrawTable(rows, {}),
            "+------+--------+\n"
            "| a    | number |\n"
            "+------+--------+\n"
            "| text |      1 |\n"
            "+------+--------+\n");
  EXPECT_EQ(DrawTable(rows, {.utf8 = true}),
            "┌──────┬────────┐\n"
            "│ a    │ number │\n"
            "├──────┼────────┤\n"
            "│ text │      1 │\n"
            "└──────┴────────┘\n");
}

TEST(DrawTable, CountsCharactersNotBytes) {
  const std::vector<std::vector<std::string>> rows{{"a"}, {"±"}};
  EXPECT_EQ(DrawTable(rows, {}), "+---+\n| a |\n+---+\n| ± |\n+---+\n");
}

TEST(DrawSummary, SaysHowManyRunsReachedATarget) {
  const StrategySummary summaries[] = {SummaryOf("probabilistic", {9, 27364.4, 1200}, 0.9123),
                                       SummaryOf("deterministic", {0, 0, 0}, 0.5)};
  EXPECT_EQ(DrawSummary(summaries, {}),
            "+------------------+-----------------+-------------+---------+\n"
            "| to 59 % accuracy |         time, s |   energy, J |    runs |\n"
            "+------------------+-----------------+-------------+---------+\n"
            "| probabilistic    | 27,364 +- 1,200 | 12.3 +- 0.5 | 9 of 10 |\n"
            "| deterministic    |              NA |          NA | 0 of 10 |\n"
            "+------------------+-----------------+-------------+---------+\n"
            "+---------------+-------------+---------------+----------+\n"
            "| the whole run | accuracy, % | devices/round | fairness |\n"
            "+---------------+-------------+---------------+----------+\n"
            "| probabilistic | 91.2 +- 1.2 |  2.13 +- 0.04 |     0.88 |\n"
            "| deterministic |   50 +- 1.2 |  2.13 +- 0.04 |     0.88 |\n"
            "+---------------+-------------+---------------+----------+\n");
}

// Where nobody ever took part, nothing can be said of who did how often.
TEST(DrawSummary, HasNoFairnessOfNobody) {
  StrategySummary summary = SummaryOf("fedcs", {0, 0, 0}, 0.1);
  summary.fairness = {};
  const std::string table = DrawWholeRuns({&summary, 1}, {});
  EXPECT_NE(table.find("|       NA |\n"), std::string::npos) << table;
}

TEST(DrawSummary, FitsIntoATerminal) {
  const StrategySummary summaries[] = {
      SummaryOf("equally-weighted", {10, 123456789, 123456789}, 0.99999)};
  std::istringstream lines(DrawSummary(summaries, {}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

// Returns a row of the paper's tables with our numbers.
StrategySummary OurRow(const PaperScenario& paper, const PaperRow& row) {
  StrategySummary summary{.strategy = std::string(row.strategy), .runs = 10};
  for (int i = 0; i < 2; ++i) {
    const std::size_t reached = row.time_s[i] ? 10 : 0;
    summary.targets.push_back({.target = paper.targets[i],
                               .time_s = {reached, row.time_s[i].value_or(0), 1},
                               .energy_j = {reached, row.energy_j[i].value_or(0), 1}});
  }
  summary.final_accuracy = {10,
                            row.strategy == "equally-weighted" ? 0.6
                            : row.strategy == "probabilistic"  ? 0.9
                                                               : 0.7,
                            0.01};
  return summary;
}

std::vector<StrategySummary> OurRows(const PaperScenario& paper) {
  std::vector<StrategySummary> rows;
  for (const PaperRow& row : paper.rows) rows.push_back(OurRow(paper, row));
  return rows;
}

TEST(DrawPaperTables, OursBesideThePapers) {
  const PaperScenario& paper = PaperScenarios()[0];
  auto ours = OurRows(paper);
  ours[0].targets[0].time_s = {7, 1000.4, 3};
  const std::string text = DrawPaperTables(paper, ours, {});
  EXPECT_NE(text.find("| probabilistic          | 1,000 [7 of 10] (1,307) |   27,364 (27,364) |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("NA (NA)"), std::string::npos);
  EXPECT_NE(text.find("77,967 (77,967)"), std::string::npos);
}

// The paper's own numbers bear out what it says, and each claim can fail.
TEST(CheckClaims, HoldForThePapersNumbersAndNotForOthers) {
  for (const PaperScenario& paper : PaperScenarios()) {
    const auto ours = OurRows(paper);
    const auto claims = CheckClaims(paper, ours);
    EXPECT_GE(claims.size(), 8U);
    for (const Claim& claim : claims) EXPECT_TRUE(claim.holds.value_or(false)) << claim.text;
    std::vector<bool> has_failed(claims.size());
    for (std::size_t row = 0; row < ours.size(); ++row) {
      for (const double factor : {1e-3, 1e6}) {
        for (const double accuracy : {0.0, 1.0}) {
          auto changed = ours;
          changed[row].final_accuracy.mean = accuracy;
          for (TargetSummary& target : changed[row].targets) {
            target.time_s = {accuracy == 0 ? 0U : 10U, factor, 1};
            target.energy_j = target.time_s;
          }
          const auto now = CheckClaims(paper, changed);
          for (std::size_t i = 0; i < now.size(); ++i) {
            if (!now[i].holds.value_or(true)) has_failed[i] = true;
          }
        }
      }
    }
    for (std::size_t i = 0; i < claims.size(); ++i) EXPECT_TRUE(has_failed[i]) << claims[i].text;
  }
}

// Where nobody reaches a target, the runs cannot tell who does it sooner; one run that does so does
// not beat ten.
TEST(CheckClaims, NeedEvidence) {
  const PaperScenario& paper = PaperScenarios()[1];
  auto ours = OurRows(paper);
  for (StrategySummary& summary : ours) {
    for (TargetSummary& target : summary.targets) target.time_s = target.energy_j = {};
  }
  for (const Claim& claim : CheckClaims(paper, ours)) {
    const bool is_of_accuracy = claim.text.find("accuracy") != std::string::npos;
    EXPECT_EQ(claim.holds.has_value(), is_of_accuracy) << claim.text;
  }
  ours = OurRows(paper);
  ours[1].targets[0].time_s = {1, 1, 0};  // Deterministic selection reaches it once, and soon.
  for (const Claim& claim : CheckClaims(paper, ours)) {
    if (claim.text != "deterministic is faster than probabilistic (70 %)") continue;
    EXPECT_FALSE(claim.holds.value_or(true));
    EXPECT_EQ(claim.found, "deterministic 1 [1 of 10], probabilistic 1,145");
  }
}

}  // namespace
}  // namespace airlot
