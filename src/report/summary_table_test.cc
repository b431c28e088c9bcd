#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "airlot/report.h"

namespace airlot {
namespace {

// Some of ten runs reached the target, and one less held it.
StrategySummary SummaryOf(const std::string& strategy, std::size_t reached, double time_s,
                          double time_sd_s, double accuracy) {
  const Arrivals first{
      .reached = reached, .time_s = {10, time_s, time_sd_s}, .energy_j = {10, 12.34, 0.5}};
  Arrivals held = first;
  held.reached = reached == 0 ? 0 : reached - 1;
  return {.strategy = strategy,
          .runs = 10,
          .targets = {{.target = 0.59, .first = first, .held = held}},
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

TEST(DrawTable, IsDrawnInPartsWhereItIsTooWide) {
  const std::vector<std::vector<std::string>> rows{{"which one", "time", "joule"},
                                                   {"the fast", "1", "2"}};
  const std::string whole = DrawTable(rows, {});
  EXPECT_EQ(DrawTable(rows, {.columns = 28}), whole);
  EXPECT_EQ(DrawTable(rows, {.columns = 27}),
            "+-----------+------+\n"
            "| which one | time |\n"
            "+-----------+------+\n"
            "| the fast  |    1 |\n"
            "+-----------+------+\n"
            "+-----------+-------+\n"
            "| which one | joule |\n"
            "+-----------+-------+\n"
            "| the fast  |     2 |\n"
            "+-----------+-------+\n");
  EXPECT_EQ(DrawTable(rows, {.columns = 27}, 2).find("which one | time | joule"),
            std::string::npos);
  EXPECT_EQ(DrawTable(rows, {.columns = 28}, 2), whole);
  // Texts are broken at spaces, and a word only where it alone is too long.
  EXPECT_EQ(
      DrawTable(std::vector<std::vector<std::string>>{{"which one", "s"}, {"elsewhere", "12"}},
                {.columns = 15}),
      "+--------+----+\n"
      "| which  |  s |\n"
      "| one    |    |\n"
      "+--------+----+\n"
      "| elsewh | 12 |\n"
      "| ere    |    |\n"
      "+--------+----+\n");
}

TEST(DrawTable, CountsCharactersNotBytes) {
  const std::vector<std::vector<std::string>> rows{{"a"}, {"±"}};
  EXPECT_EQ(DrawTable(rows, {}), "+---+\n| a |\n+---+\n| ± |\n+---+\n");
}

// By hand: t is 2.2622 for 9 degrees of freedom, so that a standard deviation of 1,200 over ten
// runs makes 858.
TEST(DrawSummary, SaysHowManyRunsReachedAndHeldATarget) {
  const StrategySummary summaries[] = {SummaryOf("probabilistic", 10, 27364.4, 1200, 0.9123),
                                       SummaryOf("uniform", 9, 80113, 1, 0.8),
                                       SummaryOf("deterministic", 0, 31, 0, 0.5)};
  EXPECT_EQ(DrawSummary(summaries, {}),
            "+------------------+---------------+---------------+----------+\n"
            "| to 59 % accuracy |       time, s |     energy, J |     runs |\n"
            "+------------------+---------------+---------------+----------+\n"
            "| probabilistic    | 27,364 +- 858 | 12.3 +- 0.358 | 10 of 10 |\n"
            "| uniform          |     >= 80,113 |       >= 12.3 |  9 of 10 |\n"
            "| deterministic    |            NA |            NA |  0 of 10 |\n"
            "+------------------+---------------+---------------+----------+\n"
            "+---------------+-----------+-----------+---------+\n"
            "| to hold 59 %  |   time, s | energy, J |    runs |\n"
            "+---------------+-----------+-----------+---------+\n"
            "| probabilistic | >= 27,364 |   >= 12.3 | 9 of 10 |\n"
            "| uniform       | >= 80,113 |   >= 12.3 | 8 of 10 |\n"
            "| deterministic |        NA |        NA | 0 of 10 |\n"
            "+---------------+-----------+-----------+---------+\n"
            "+---------------+---------------+----------------+--------------+\n"
            "| the whole run |   accuracy, % |  devices/round |     fairness |\n"
            "+---------------+---------------+----------------+--------------+\n"
            "| probabilistic | 91.2 +- 0.858 | 2.13 +- 0.0286 | 0.88 +- 0.01 |\n"
            "| uniform       |   80 +- 0.858 | 2.13 +- 0.0286 | 0.88 +- 0.01 |\n"
            "| deterministic |   50 +- 0.858 | 2.13 +- 0.0286 | 0.88 +- 0.01 |\n"
            "+---------------+---------------+----------------+--------------+\n"
            "+- is half of the 95 % interval of the mean over 10 seeds (Student's t)\n");
}

TEST(DrawSummary, ASingleRunHasNoInterval) {
  StrategySummary one = SummaryOf("probabilistic", 1, 27364.4, 0, 0.9123);
  one.runs = 1;
  for (Moments* moments : {&one.targets[0].first.time_s, &one.targets[0].first.energy_j,
                           &one.final_accuracy, &one.participants, &one.fairness}) {
    moments->count = 1;
  }
  const std::string text = DrawSummary({&one, 1}, {.utf8 = true});
  EXPECT_EQ(text.find("±"), std::string::npos) << text;
  EXPECT_EQ(text.find("interval"), std::string::npos) << text;
}

// Where nobody ever took part, nothing can be said of who did how often.
TEST(DrawSummary, HasNoFairnessOfNobody) {
  StrategySummary summary = SummaryOf("fedcs", 0, 0, 0, 0.1);
  summary.fairness = {};
  const std::string table = DrawWholeRuns({&summary, 1}, {});
  EXPECT_NE(table.find("|       NA |\n"), std::string::npos) << table;
}

// Where budgets are known, a table has the devices over them, the worst, and the energy beyond.
TEST(DrawSummary, ShowsWhoIsOverBudget) {
  StrategySummary summaries[] = {SummaryOf("oort", 10, 1, 0, 0.9),
                                 SummaryOf("fedcs", 10, 1, 0, 0.9), SummaryOf("all", 10, 1, 0, 0.9),
                                 SummaryOf("old", 10, 1, 0, 0.9)};
  EXPECT_EQ(DrawWholeRuns(summaries, {}).find("budget"), std::string::npos);
  summaries[0].budget = {50, {10, 26.43, 1}, 1.0042, {10, 1234.5, 2}};
  summaries[1].budget = {50, {10, 0, 0}, 0.876, {10, 0, 0}};
  summaries[2].budget = {50, {10, 50, 0}, HUGE_VAL, {10, 0.5, 0}};
  const std::string table = DrawWholeRuns(summaries, {});
  EXPECT_TRUE(
      table.ends_with("+----------------+---------------------+--------------+---------------+\n"
                      "| energy budgets |        devices over | worst, times |     beyond, J |\n"
                      "+----------------+---------------------+--------------+---------------+\n"
                      "| oort           | 26.4 +- 0.715 of 50 |       1.0042 | 1,234 +- 1.43 |\n"
                      "| fedcs          |        0 +- 0 of 50 |        0.876 |        0 +- 0 |\n"
                      "| all            |       50 +- 0 of 50 |          inf |      0.5 +- 0 |\n"
                      "| old            |                  NA |           NA |            NA |\n"
                      "+----------------+---------------------+--------------+---------------+\n"
                      "+- is half of the 95 % interval of the mean over 10 seeds (Student's t)\n"))
      << table;
}

TEST(SummaryJson, HasBudgetsBooksAndTheVerdict) {
  StrategySummary summaries[] = {SummaryOf("oort", 10, 1, 0, 0.9), SummaryOf("all", 10, 2, 0, 0.9),
                                 SummaryOf("old", 10, 3, 0, 0.9)};
  summaries[0].budget = {50, {10, 26.5, 1}, 89.25, {10, 1234.5, 2}};
  summaries[1].budget = {50, {10, 50, 0}, HUGE_VAL, {10, 0.5, 0}};
  Scenario scenario{.name = "cell", .rounds = 30};
  scenario.books = {.upload_time = true, .compute_time = true, .download_time = true};
  const auto json = nlohmann::json::parse(SummaryJson(scenario, summaries));
  EXPECT_EQ(json["scenario"], "cell");
  EXPECT_EQ(json["booked"], (std::vector<std::string>{"upload", "compute", "download"}));
  EXPECT_EQ(json["strategies"][0]["over_budget"], 26.5);
  EXPECT_EQ(json["strategies"][0]["worst_budget_ratio"], 89.25);
  EXPECT_EQ(json["strategies"][0]["over_budget_j"], 1234.5);
  // By tables t is 2.26216 for 9 degrees of freedom, to six digits.
  const double per_sd = 2.26216 / std::sqrt(10.0);
  const auto near = [&](const char* key, double value) {
    EXPECT_NEAR(json["strategies"][0][key].get<double>(), value, 1e-5) << key;
  };
  near("over_budget_low", 26.5 - per_sd);
  near("over_budget_high", 26.5 + per_sd);
  near("over_budget_j_low", 1234.5 - 2 * per_sd);
  near("over_budget_j_high", 1234.5 + 2 * per_sd);
  EXPECT_EQ(json["strategies"][1]["over_budget"], 50);
  EXPECT_TRUE(json["strategies"][1]["worst_budget_ratio"].is_null());
  for (const char* key :
       {"over_budget", "over_budget_low", "over_budget_high", "worst_budget_ratio", "over_budget_j",
        "over_budget_j_low", "over_budget_j_high"}) {
    EXPECT_TRUE(json["strategies"][2].contains(key));
    EXPECT_TRUE(json["strategies"][2][key].is_null());
  }
  EXPECT_EQ(json["verdict"], VerdictText(summaries, scenario));
  scenario.books = {.upload_time = true};
  EXPECT_EQ(nlohmann::json::parse(SummaryJson(scenario, summaries))["booked"],
            std::vector<std::string>{"upload"});
}

TEST(SummaryJson, HasTheEndsOfIntervals) {
  StrategySummary summaries[] = {SummaryOf("oort", 10, 100, 20, 0.9),
                                 SummaryOf("uniform", 1, 100, 20, 0.9)};
  summaries[1].fairness.count = 1;
  summaries[1].budget = {50, {1, 26, 0}, 89.25, {1, 1234.5, 0}};
  const auto json = nlohmann::json::parse(SummaryJson({.name = "cell"}, summaries));
  const auto& all = json["strategies"][0]["targets"][0]["time_s"];
  // By tables t is 2.26216 for 9 degrees of freedom, to six digits.
  EXPECT_NEAR(all["low"].get<double>(), 100 - 2.26216 * 20 / std::sqrt(10.0), 1e-4);
  EXPECT_NEAR(all["high"].get<double>(), 100 + 2.26216 * 20 / std::sqrt(10.0), 1e-4);
  EXPECT_EQ(all["sd"], 20);
  // Where some runs missed the target, where none reached it, and of a single run there is none.
  const auto& one = json["strategies"][1];
  for (const auto& moments :
       {one["targets"][0]["time_s"], one["targets"][0]["held"]["time_s"], one["fairness"]}) {
    EXPECT_TRUE(moments["low"].is_null());
    EXPECT_TRUE(moments["high"].is_null());
  }
  for (const char* key :
       {"over_budget_low", "over_budget_high", "over_budget_j_low", "over_budget_j_high"}) {
    EXPECT_TRUE(one[key].is_null()) << key;
  }
  EXPECT_EQ(one["over_budget"], 26);
  EXPECT_EQ(one["targets"][0]["time_s"]["mean"], 100);
  EXPECT_TRUE(one["targets"][0]["held"]["time_s"]["mean"].is_null());
}

TEST(DrawSummary, FitsIntoATerminal) {
  StrategySummary summaries[] = {SummaryOf("equally-weighted", 10, 123456789, 123456789, 0.99999)};
  summaries[0].budget = {1000000, {10, 123456, 5}, 123456789, {10, 1.23e14, 5}};
  std::istringstream lines(DrawSummary(summaries, {}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(DrawPaperTables, OursBesideThePapers) {
  const PaperScenario& paper = PaperScenarios()[0];
  std::vector<StrategySummary> ours;
  for (const PaperRow& row : paper.rows) {
    ours.push_back({.strategy = std::string(row.strategy), .runs = 10});
    for (int i = 0; i < 2; ++i) {
      ours.back().targets.push_back({.target = paper.targets[i],
                                     .first = {.reached = row.time_s[i] ? 10U : 0U,
                                               .time_s = {10, row.time_s[i].value_or(5), 1},
                                               .energy_j = {10, row.energy_j[i].value_or(5), 1}}});
    }
  }
  ours[0].targets[0].first.reached = 7;
  ours[0].targets[0].first.time_s.mean = 1000.4;
  const std::string text = DrawPaperTables(paper, ours, {});
  EXPECT_NE(text.find("| probabilistic          | >= 1,000 [7 of 10] (1,307) |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("27,364 (27,364)"), std::string::npos);
  EXPECT_NE(text.find("NA (NA)"), std::string::npos);
  EXPECT_NE(text.find("77,967 (77,967)"), std::string::npos);
}

}  // namespace
}  // namespace airlot
