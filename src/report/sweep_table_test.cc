#include "report/sweep_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace airlot::report {
namespace {

// A run that is evaluated once, in round 1.
RunOutcome RunOf(std::uint64_t seed, double time_s, double accuracy) {
  return {
      .seed = seed,
      .evaluations = {{.round = 1, .time_s = time_s, .energy_j = 2 * time_s, .accuracy = accuracy}},
      .time_s = time_s,
      .energy_j = 2 * time_s,
      .rounds = 1,
      .participants = 3,
      .budget = BudgetUse{.devices = 4, .devices_over = 1}};
}

StrategySummary SummaryOf(const std::string& name, std::vector<RunOutcome> runs) {
  return {.strategy = name, .runs = runs.size(), .outcomes = std::move(runs)};
}

// Two cells by one: in the first, b misses the target in one of two runs; the second cannot run.
KeptSweep SmallSweep() {
  KeptSweep kept;
  kept.sweep.name = "small";
  kept.sweep.grid.axes = {{{{"radio.bandwidth_hz", {"1e6", "1e7"}}}}};
  kept.sweep.strategies = {"a", "b"};
  kept.sweep.seeds = {1, 2};
  kept.cells.resize(2);
  kept.cells[0].scenario.emplace().targets = {0.5};
  kept.cells[0].summaries = {SummaryOf("a", {RunOf(1, 10, 0.6), RunOf(2, 14, 0.7)}),
                             SummaryOf("b", {RunOf(1, 20, 0.5), RunOf(2, 40, 0.4)})};
  kept.cells[1].problem = "nobody is able";
  return kept;
}

TEST(SweepTable, HasMeansWithIntervalsAndBounds) {
  const SweepTable table = TableOf(SmallSweep());
  ASSERT_EQ(table.metrics.front().name, "time_s");
  const SweepPoint& a = table.At(0, 0, 0);
  // By hand: mean 12, sd sqrt(8), t(0.975, 1) = 12.706..., half width = 12.706 * 2.
  EXPECT_DOUBLE_EQ(a.band.mean, 12);
  EXPECT_NEAR(a.band.high - a.band.mean, 2 * 12.706204736, 1e-6);
  EXPECT_FALSE(a.is_bound());
  const SweepPoint& b = table.At(0, 0, 1);
  EXPECT_TRUE(b.is_bound());
  EXPECT_TRUE(b.is_shown());
  EXPECT_EQ(b.reached, 1u);
  EXPECT_DOUBLE_EQ(b.band.mean, 30);
  EXPECT_EQ(b.band.low, b.band.high);
  EXPECT_EQ(table.At(0, 1, 0).runs, 0u);
}

TEST(SweepTable, IsTidyAsCsv) {
  const std::string csv = CsvOf(TableOf(SmallSweep()));
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "radio.bandwidth_hz,strategy,metric,target,mean,low,high,runs,reached");
  EXPECT_NE(csv.find("\n1e6,b,time_s,0.5,30,,,2,1\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n1e6,a,devices_over_budget,,1,1,1,2,2\n"), std::string::npos) << csv;
  EXPECT_EQ(csv.find("1e7"), std::string::npos);  // A cell that cannot run has no numbers.
}

TEST(SweepTable, SaysWhichCellIsMissing) {
  const Section section = SweepSection(TableOf(SmallSweep()), false);
  ASSERT_EQ(section.left_out.size(), 1u);
  EXPECT_EQ(section.left_out[0], "The cell radio.bandwidth_hz=1e7 is missing: nobody is able");
  EXPECT_NE(section.sentence.find("50 % is reached first, on average over the seeds, by a in 1 "
                                  "cell"),
            std::string::npos)
      << section.sentence;
}

TEST(SweepTable, DrawsPanelsAndHeatMaps) {
  KeptSweep kept = SmallSweep();
  kept.sweep.grid.axes.push_back({{{"data.partition", {"iid", "shards<"}}}});
  kept.cells.insert(kept.cells.begin() + 1, kept.cells[0]);
  kept.cells.insert(kept.cells.begin() + 2, kept.cells[0]);
  const SweepTable table = TableOf(kept);
  const Figure lines = DrawSweepLines({"x", "t", "c"}, table, 0);
  EXPECT_NE(lines.svg.find("partition = iid"), std::string::npos);
  EXPECT_NE(lines.svg.find("partition = shards&lt;"), std::string::npos);
  EXPECT_NE(lines.svg.find("b, radio.bandwidth_hz=1e6, data.partition=iid: at least 30"),
            std::string::npos);
  const Figure heat = DrawHeatMap({"x", "t", "c"}, table, 0, 1);
  EXPECT_NE(heat.svg.find("≥ 30"), std::string::npos);
  EXPECT_NE(heat.csv.find("1e6,iid,b,time_s"), std::string::npos);
  EXPECT_EQ(heat.csv.find(",a,"), std::string::npos);
}

TEST(SweepTable, TakesNamesOnTheFirstAxisAndNoNumberAtAll) {
  KeptSweep kept = SmallSweep();
  kept.sweep.grid.axes = {{{{"data.partition", {"iid", "shards"}}}}};
  EXPECT_NE(DrawSweepLines({"x", "t", "c"}, TableOf(kept), 0).svg.find(">shards</text>"),
            std::string::npos);
  for (SweptCell& cell : kept.cells) cell = {.problem = "none"};
  const SweepTable empty = TableOf(kept);
  EXPECT_NE(DrawSweepLines({"x", "t", "c"}, empty, 0).svg.find("nothing to show"),
            std::string::npos);
}

TEST(SweepTable, ShowsPlans) {
  PlanSweep sweep{.name = "p"};
  sweep.grid.axes = {{{{"round.time_limit_s", {"1", "2"}}}}};
  sweep.seeds = {1};
  sweep.cells = {{{.expected = {.participants = 3.5, .round_time_s = 2}}},
                 {{.expected = {.participants = 7, .round_time_s = 3}, .is_time_known = false}}};
  sweep.problems.resize(2);
  EXPECT_NE(SweepCsv(sweep).find("1,plan,expected_participants,,3.5,,,1,1\n"), std::string::npos);
  EXPECT_NE(DrawSweep(sweep, {}).find("3.5"), std::string::npos);
  // A bound of the time is no mean.
  EXPECT_NE(SweepCsv(sweep).find("1,plan,expected_round_time_s,,2,,,1,1\n"), std::string::npos);
  EXPECT_EQ(SweepCsv(sweep).find("2,plan,expected_round_time_s"), std::string::npos);
}

}  // namespace
}  // namespace airlot::report
