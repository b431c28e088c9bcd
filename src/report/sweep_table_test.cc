#include "report/sweep_table.h"

#include <fmt/format.h>
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

TEST(SweepTable, CutsIntervalsOfSharesAndOnlyTheirEnds) {
  KeptSweep kept = SmallSweep();
  kept.cells[0].summaries[0] = SummaryOf("a", {RunOf(1, 10, 0.9), RunOf(2, 14, 1)});
  kept.cells[0].summaries[1] = SummaryOf("b", {RunOf(1, 10, 0.1), RunOf(2, 14, 0)});
  const SweepTable table = TableOf(kept);
  // By hand: half of the interval is t(0.975, 1) * sqrt(0.005) / sqrt(2) = 12.7062 * 0.05.
  const SweepPoint& high = table.At(2, 0, 0);
  ASSERT_EQ(table.metrics[2].name, "final_accuracy");
  EXPECT_DOUBLE_EQ(high.band.mean, 0.95);
  EXPECT_NEAR(high.half, 12.706204736 * 0.05, 1e-9);
  EXPECT_NEAR(high.band.low, 0.95 - high.half, 1e-12);
  EXPECT_EQ(high.band.high, 1);
  EXPECT_EQ(table.At(2, 0, 1).band.low, 0);
  EXPECT_NEAR(table.At(2, 0, 1).band.high, 0.05 + high.half, 1e-12);
  EXPECT_LT(table.At(0, 0, 0).band.low, 0);  // A time is no share.
  EXPECT_NE(DrawSweep(kept, {.utf8 = true}).find("95 ± 63.5"), std::string::npos);
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

TEST(SweepTable, HasAColumnForEachKeyAndTheStrategy) {
  const Section section = SweepSection(TableOf(SmallSweep()), false);
  const Table& cells = section.parts.back().tables.front();
  EXPECT_EQ(cells.names, 2u);
  EXPECT_EQ(cells.rows[0][0], "bandwidth_hz");
  EXPECT_EQ(cells.rows[0][1], "strategy");
  EXPECT_EQ(cells.rows[2][0], "1e6");
  EXPECT_EQ(cells.rows[2][1], "b");
  for (const auto& row : cells.rows) EXPECT_EQ(row.size(), cells.rows[0].size());
}

TEST(SweepTable, TellsTargetsApartThatLookAlike) {
  KeptSweep kept = SmallSweep();
  kept.cells[0].scenario->targets = {0.5, 0.500001};
  const SweepTable table = TableOf(kept);
  EXPECT_EQ(table.metrics[0].id, "time-50");
  EXPECT_EQ(table.metrics[2].id, "time-50.0001");
  EXPECT_EQ(table.metrics[2].title, "Time to 50.0001 %");
}

TEST(SweepTable, TellsKeysApartThatEndAlike) {
  KeptSweep kept = SmallSweep();
  kept.sweep.grid.axes = {{{{"fleet.devices", {"3", "4"}}}},
                          {{{"strategy.uniform.devices", {"2"}}, {"rounds", {"9"}}}}};
  const auto rows = RowsOf(TableOf(kept), true);
  EXPECT_EQ(rows[0][0], "fleet.devices");
  EXPECT_EQ(rows[0][1], "strategy.uniform.devices");
  EXPECT_EQ(rows[0][2], "rounds");
  EXPECT_EQ(ShortName(kept.sweep.grid, "rounds"), "rounds");
}

TEST(SweepTable, ACellCountsForAllThatAreEqual) {
  KeptSweep kept = SmallSweep();
  kept.cells[0].summaries[1] = kept.cells[0].summaries[0];
  kept.cells[0].summaries[1].strategy = "b";
  EXPECT_NE(
      SweepSection(TableOf(kept), false)
          .sentence.find("The accuracy at the end is highest with a in 1 cell and b in 1 cell."),
      std::string::npos);
}

TEST(SweepTable, CutsNamesThatAreTooLong) {
  KeptSweep kept = SmallSweep();
  const std::string name(300, 'x');
  kept.sweep.grid.axes = {{{{"data.partition", {name + "1", name + "2"}}}},
                          {{{"model.name", {name}}}}};
  const Figure lines = DrawSweepLines({"x", "t", "c"}, TableOf(kept), 0);
  EXPECT_EQ(lines.svg.find(">" + name), std::string::npos);
  EXPECT_NE(lines.svg.find("x…</text>"), std::string::npos);
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

// Returns the shades of a heat map's cells, in their order.
std::string ShadesOf(const Figure& figure) {
  std::string shades;
  for (std::size_t at = figure.svg.find("class=\"h"); at != std::string::npos;
       at = figure.svg.find("class=\"h", at + 1)) {
    shades += figure.svg[at + 8];
  }
  return shades;
}

TEST(SweepTable, ShadesByTheNumbersThatAreShown) {
  PlanSweep sweep{.name = "p"};
  sweep.grid.axes = {{{{"round.time_limit_s", {"1", "2"}}}}, {{{"fleet.devices", {"5", "6"}}}}};
  sweep.seeds = {1};
  sweep.problems.resize(4);
  const auto shades = [&](std::vector<double> participants) {
    sweep.cells.clear();
    for (const double mean : participants) {
      sweep.cells.push_back({{.expected = {.participants = mean}}});
    }
    return ShadesOf(DrawHeatMap({"x", "t", "c"}, TableOf(sweep), 0, 0));
  };
  EXPECT_EQ(shades({3.501, 3.502, 3.503, 3.504}), "0000");  // All are shown as 3.5.
  EXPECT_EQ(shades({3.501, 3.502, 3.504, 4}), "0004");
  EXPECT_EQ(shades({1, 2, 3, 6}), "0124");        // steps of 1
  EXPECT_EQ(shades({1, 10, 100, 1000}), "0134");  // steps of the logarithm
  EXPECT_EQ(shades({0, 0, 0, 1e9}), "0004");
  EXPECT_EQ(shades({NAN, INFINITY, 1, 2}), "0404");
}

TEST(SweepTable, ShadesAllSeriesAlike) {
  KeptSweep kept = SmallSweep();
  kept.sweep.grid.axes.push_back({{{"data.partition", {"iid"}}}});
  const SweepTable table = TableOf(kept);
  EXPECT_EQ(ShadesOf(DrawHeatMap({"x", "t", "c"}, table, 0, 0)), "0");  // a has 12 s
  EXPECT_EQ(ShadesOf(DrawHeatMap({"x", "t", "c"}, table, 0, 1)), "4");  // b has 30 s
}

TEST(SweepTable, ShiftsSeriesInLatexAsOnThePage) {
  KeptSweep kept = SmallSweep();
  kept.cells[0].summaries[1] = SummaryOf("b", {RunOf(1, 20, 0.6), RunOf(2, 20.5, 0.7)});
  const SweepTable table = TableOf(kept);
  const std::string body = DrawSweepLines({"x", "t", "c"}, table, 0).plot.body;
  // Two series stand 2.5 px beside each other, half of that on each side; a px is 0.55 pt. Lines,
  // marks, bars and caps move together.
  for (std::size_t s = 0; s < 2; ++s) {
    const std::string colour = fmt::format("airlotc{}", table.series[s].style.colour);
    const std::string shift = s == 0 ? "xshift=-0.6875pt" : "xshift=0.6875pt";
    std::size_t plots = 0;
    for (std::size_t at = body.find("\\addplot"); at != std::string::npos;
         at = body.find("\\addplot", at + 1)) {
      const std::string one = body.substr(at, body.find("coordinates", at) - at);
      if (one.find(colour) == std::string::npos) continue;
      ++plots;
      EXPECT_NE(one.find(shift), std::string::npos) << one;
    }
    EXPECT_EQ(plots, 4u);
  }
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
