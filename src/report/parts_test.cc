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

// Returns runs with the seeds 1, 2, ... that reach 80 % at these times, and end then.
void AddRuns(const std::string& strategy, const std::vector<double>& times_s,
             std::vector<RunResult>& runs) {
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    RunResult& run = runs.emplace_back();
    run.strategy = strategy;
    run.seed = k + 1;
    run.records.resize(2);
    run.records[0].accuracy = 0.1;
    run.records[1].round = 1;
    run.records[1].time_s = times_s[k];
    run.records[1].energy_j = 7;
    run.records[1].accuracy = 0.8 + 0.01 * double(k);
  }
}

TEST(TargetPartTest, TheBestIsBoldOnlyWhereTheTestSaysSo) {
  std::vector<RunResult> results;
  AddRuns("slow", {20, 22, 19, 21}, results);
  AddRuns("quick", {10, 11, 9, 10}, results);
  const std::vector<StrategySummary> summaries = SummarizeRuns(results, std::vector{0.8});
  KeptRuns runs;
  runs.comparison.scenario.rounds = 1;
  const Part part = TargetPart("", runs, {}, summaries);
  ASSERT_EQ(part.tables.size(), 3U);
  const Table &time = part.tables[0], &energy = part.tables[1], &whole = part.tables[2];
  // By hand: the deviations are √(5/3) and √(2/3), and t is 3.1824 for 3 degrees of freedom.
  EXPECT_EQ(time.rows[1], (std::vector<std::string>{"slow", "20.5 ± 2.05", "20.5 ± 2.05"}));
  EXPECT_EQ(time.rows[2], (std::vector<std::string>{"quick", "10 ± 1.3", "10 ± 1.3"}));
  const std::vector<bool> plain(3), bold{false, true, true};
  EXPECT_EQ(time.bold, (std::vector{plain, plain, bold}));
  EXPECT_NE(time.caption.find("bold: the best of a column"), std::string::npos) << time.caption;
  // Both take the same energy and end with the same accuracy.
  EXPECT_TRUE(energy.bold.empty());
  EXPECT_EQ(energy.caption.find("bold"), std::string::npos) << energy.caption;
  EXPECT_TRUE(whole.bold.empty());
  EXPECT_EQ(whole.rows[1][2], "81.5 ± 2.1 %");
  // While runs are to come, nobody is the best.
  runs.runs.push_back({.strategy = "slow", .seed = 5, .stage = RunStage::kBegun});
  EXPECT_TRUE(TargetPart("", runs, {}, summaries).tables[0].bold.empty());
  // One run has no interval.
  const std::vector<RunResult> first{results[0]};
  const Part alone = TargetPart("", {}, {}, SummarizeRuns(first, std::vector{0.8}));
  EXPECT_EQ(alone.tables[0].rows[1], (std::vector<std::string>{"slow", "20", "20"}));
}

TEST(TargetPartTest, SaysThatRunsMayEndAtTheirTargets) {
  std::vector<RunResult> results;
  AddRuns("quick", {10, 11, 9, 10}, results);
  const std::vector<StrategySummary> summaries = SummarizeRuns(results, std::vector{0.8});
  KeptRuns runs;
  runs.comparison.scenario.rounds = 7;
  runs.comparison.scenario.targets = {0.8};
  const auto text = [&] { return TargetPart("", runs, {}, summaries).text; };
  EXPECT_NE(text().find(" A run has 7 rounds; what"), std::string::npos) << text();
  runs.comparison.scenario.stop_at_targets = true;
  EXPECT_NE(
      text().find(" A run has at most 7 rounds, and ends with the evaluation that reaches the "
                  "highest target; what"),
      std::string::npos)
      << text();
  // Without targets no run ends before.
  runs.comparison.scenario.targets.clear();
  EXPECT_NE(text().find(" A run has 7 rounds; what"), std::string::npos) << text();
}

// Adds a run of ten devices of which some have too little charge, round by round, 2 s each.
void AddBatteryRun(std::uint64_t seed, const std::vector<double>& empty, KeptRuns& runs) {
  KeptRun& run = runs.runs.emplace_back();
  run.strategy = "all";
  run.seed = seed;
  run.stage = RunStage::kComplete;
  run.device_count = 10;
  for (std::size_t i = 0; i < empty.size(); ++i) {
    RoundRecord& record = run.records.emplace_back();
    record.round = i;
    record.time_s = 2 * double(i);
    record.participants = i == 0 ? 0 : 1;
    record.mean_participation_s = double(seed);
    record.empty_batteries = empty[i];
  }
}

// By hand: t is 12.7062 for one degree of freedom.
TEST(BatteryPartTest, MeansHaveIntervals) {
  KeptRuns runs;
  runs.comparison.strategies = {"all"};
  AddBatteryRun(1, {0, 0, 1, 5}, runs);
  const auto cells = [&] { return BatteryPart("", runs, {}).tables.at(0).rows.at(1); };
  EXPECT_EQ(cells(), (std::vector<std::string>{"all", "round 2 (4 s)", "round 3 (6 s)", "50.0 %"}));
  AddBatteryRun(2, {0, 0, 0, 0, 4}, runs);
  // Rounds 2 and 4 have the mean 3 and the half 12.7062·√2/√2, seconds twice as much; half of all
  // are empty in one run; shares are 50 % and 40 %.
  EXPECT_EQ(cells(), (std::vector<std::string>{"all", "round 3 ± 13 (6 ± 25.4 s)",
                                               "round 3 (6 s), 1 of 2", "45.0 ± 63.5 %"}));
}

// The participants of the runs take 1 s and 2 s of rounds of 2 s.
TEST(RoundPartTest, MeansAreOverRuns) {
  KeptRuns runs;
  runs.comparison.strategies = {"all"};
  AddBatteryRun(1, {0, 0, 0, 0}, runs);
  AddBatteryRun(2, {0, 0}, runs);
  const Part part = RoundPart("", runs, {});
  // Over all rounds the mean would be 37.5 %.
  EXPECT_EQ(part.tables.at(0).rows.at(1),
            (std::vector<std::string>{"all", "4", "0.0 ± 0.0 %", "2 ± 0", "25.0 ± 317.7 %"}));
  EXPECT_TRUE(
      part.figures.at(1).csv.starts_with("strategy,share,share_low,share_high\nall,0.25,0,1\n"))
      << part.figures.at(1).csv;
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
