#include "report/effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/statistics.h"

namespace airlot::report {
namespace {

constexpr double kTarget = 0.8;

// A strategy whose run with seed k reaches the target at the k-th time, or misses it in a run that
// takes that time where the time is negative. Its energy is ten times its time.
StrategySummary Timed(const std::string& name, const std::vector<double>& times_s,
                      double accuracy = 0.9) {
  StrategySummary summary{.strategy = name, .runs = times_s.size()};
  summary.targets = {{.target = kTarget}};
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    const double time_s = std::abs(times_s[k]);
    const EvaluatedRound last{.round = 1,
                              .time_s = time_s,
                              .energy_j = 10 * time_s,
                              .accuracy = times_s[k] < 0 ? 0.5 : accuracy};
    summary.outcomes.push_back(
        {.seed = k + 1, .evaluations = {last}, .time_s = time_s, .energy_j = 10 * time_s});
  }
  return summary;
}

TEST(EffectsTest, RatioByHand) {
  // The second takes 2, 4 and 8 times as much: the mean logarithm is ln 4, the deviation ln 2.
  const StrategySummary both[] = {Timed("a", {1, 10, 7}), Timed("b", {2, 40, 56})};
  for (const Metric metric : {Metric::kTime, Metric::kEnergy, Metric::kHeldTime}) {
    const std::vector<Effect> effects = EffectsBetween(both, metric, kTarget);
    ASSERT_EQ(effects.size(), 1U);
    const Effect& effect = effects[0];
    EXPECT_EQ(effect.first, "a");
    EXPECT_EQ(effect.second, "b");
    EXPECT_EQ(effect.pairs, 3U);
    EXPECT_EQ(effect.missed, 0U);
    EXPECT_NEAR(*effect.at_least, 4, 1e-13);
    EXPECT_EQ(effect.at_least, effect.at_most);
    const double half = StudentQuantile(2) * std::log(2) / std::sqrt(3.0);
    EXPECT_NEAR(std::log(*effect.low), std::log(4) - half, 1e-13);
    EXPECT_NEAR(std::log(*effect.high), std::log(4) + half, 1e-13);
    // t = 2·√3 with two degrees of freedom: p = 1 - t/√(2 + t²) = 1 - √(12/14).
    EXPECT_NEAR(*effect.p, 1 - std::sqrt(12.0 / 14), 1e-13);
    EXPECT_EQ(effect.p, effect.adjusted_p);
    const Effect other = ChangedOver(effect);
    EXPECT_EQ(other.first, "b");
    EXPECT_NEAR(*other.at_least, 0.25, 1e-14);
    EXPECT_NEAR(*other.low * *effect.high, 1, 1e-14);
    EXPECT_EQ(other.p, effect.p);
  }
}

TEST(EffectsTest, PairsAreOfTheSameSeed) {
  StrategySummary both[] = {Timed("a", {1, 10, 7}), Timed("b", {2, 40, 56})};
  // The order of the runs does not matter, and what has no partner does not count.
  std::ranges::reverse(both[1].outcomes);
  EXPECT_NEAR(*EffectsBetween(both, Metric::kTime, kTarget)[0].at_least, 4, 1e-13);
  both[1].outcomes.pop_back();
  const Effect effect = EffectsBetween(both, Metric::kTime, kTarget)[0];
  EXPECT_EQ(effect.pairs, 2U);
  EXPECT_NEAR(*effect.at_least, std::sqrt(32.0), 1e-13);
  both[1].outcomes.pop_back();
  const Effect one = EffectsBetween(both, Metric::kTime, kTarget)[0];
  EXPECT_EQ(one.pairs, 1U);
  EXPECT_FALSE(one.low || one.high || one.p || one.adjusted_p);
  EXPECT_NEAR(*one.at_least, 8, 1e-13);
}

TEST(EffectsTest, ARunThatMissedTheTargetIsABound) {
  // The second one missed it once, after three times as long as the first one took.
  const StrategySummary both[] = {Timed("a", {1, 1, 1}), Timed("b", {3, 3.1, -3})};
  const Effect effect = EffectsBetween(both, Metric::kTime, kTarget)[0];
  EXPECT_EQ(effect.missed, 1U);
  EXPECT_NEAR(*effect.at_least, std::cbrt(3 * 3.1 * 3), 1e-13);
  EXPECT_FALSE(effect.at_most || effect.high);
  EXPECT_GT(*effect.low, 2.89);
  EXPECT_LT(*effect.p, 0.001);
  const Effect other = ChangedOver(effect);
  EXPECT_FALSE(other.at_least || other.low);
  EXPECT_LT(*other.high, 1 / 2.89);
  // Where both missed it at some time, nothing is known.
  const StrategySummary missed[] = {Timed("a", {1, -1, 1}), Timed("b", {3, 3, -3})};
  const Effect open = EffectsBetween(missed, Metric::kTime, kTarget)[0];
  EXPECT_EQ(open.missed, 2U);
  EXPECT_FALSE(open.at_least || open.at_most || open.low || open.high);
  EXPECT_EQ(*open.p, 1);
  // A target that costs nothing has no logarithm.
  const StrategySummary free[] = {Timed("a", {0, 0, 0}), Timed("b", {3, 3, 3})};
  EXPECT_FALSE(EffectsBetween(free, Metric::kTime, kTarget)[0].at_least.has_value());
}

TEST(EffectsTest, AccuraciesAreDifferencesInPoints) {
  StrategySummary both[] = {Timed("a", {1, 1, 1}, 0.5), Timed("b", {1, 1, 1}, 0.5)};
  const double first[] = {0.5, 0.6, 0.7}, second[] = {0.51, 0.63, 0.72};
  for (std::size_t k = 0; k < 3; ++k) {
    both[0].outcomes[k].evaluations[0].accuracy = first[k];
    both[1].outcomes[k].evaluations[0].accuracy = second[k];
  }
  const Effect effect = EffectsBetween(both, Metric::kFinalAccuracy)[0];
  // 1, 3 and 2 points: t = 2/(1/√3).
  EXPECT_NEAR(*effect.at_least, 2, 1e-12);
  EXPECT_NEAR(*effect.high, 2 + StudentQuantile(2) / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(*effect.p, 1 - std::sqrt(12.0 / 14), 1e-12);
  EXPECT_NEAR(*ChangedOver(effect).at_most, -2, 1e-12);
}

TEST(EffectsTest, HolmIsOverAllPairsOfTheTable) {
  const StrategySummary three[] = {Timed("a", {1, 1.1, 0.9, 1}), Timed("b", {1.2, 1, 1.1, 0.9}),
                                   Timed("c", {4, 4.2, 3.9, 4.1})};
  const std::vector<Effect> effects = EffectsBetween(three, Metric::kTime, kTarget);
  ASSERT_EQ(effects.size(), 3U);
  // Both comparisons with c are clear, that of a and b is not.
  const double least = std::min(*effects[1].p, *effects[2].p);
  const double next = std::max(*effects[1].p, *effects[2].p);
  EXPECT_DOUBLE_EQ(std::min(*effects[1].adjusted_p, *effects[2].adjusted_p), 3 * least);
  EXPECT_DOUBLE_EQ(std::max(*effects[1].adjusted_p, *effects[2].adjusted_p),
                   std::max(3 * least, 2 * next));
  EXPECT_GT(*effects[0].adjusted_p, 0.05);
  EXPECT_EQ(BestOf(three, Metric::kTime, kTarget), (std::vector<bool>{false, false, false}));
}

TEST(BestOfTest, TheBestIsBoldOnlyWhereEveryOtherIsSignificantlyWorse) {
  const StrategySummary three[] = {Timed("b", {2, 2.1, 1.9, 2.05}), Timed("a", {1, 1.1, 0.9, 1}),
                                   Timed("c", {4, 4.2, 3.9, 4.1})};
  const std::vector<bool> second{false, true, false};
  for (const Metric metric :
       {Metric::kTime, Metric::kEnergy, Metric::kHeldTime, Metric::kHeldEnergy}) {
    EXPECT_EQ(BestOf(three, metric, kTarget), second);
  }
  // All end with the same accuracy.
  EXPECT_EQ(BestOf(three, Metric::kFinalAccuracy), std::vector<bool>(3));
  StrategySummary accurate[] = {three[0], three[1], three[2]};
  for (std::size_t k = 0; k < 4; ++k) {
    accurate[2].outcomes[k].evaluations[0].accuracy = 0.95 + 0.001 * double(k);
  }
  EXPECT_EQ(BestOf(accurate, Metric::kFinalAccuracy), (std::vector<bool>{false, false, true}));
}

TEST(BestOfTest, NobodyIsBoldWithoutEvidence) {
  const std::vector<bool> nobody(2);
  // These are one seed, one that is worse by a hair on average, and a tie.
  const StrategySummary one[] = {Timed("a", {1}), Timed("b", {5})};
  EXPECT_EQ(BestOf(one, Metric::kTime, kTarget), nobody);
  const StrategySummary near[] = {Timed("a", {1, 2, 3}), Timed("b", {2, 1, 3.1})};
  EXPECT_EQ(BestOf(near, Metric::kTime, kTarget), nobody);
  const StrategySummary tie[] = {Timed("a", {1, 2, 3}), Timed("b", {1, 2, 3})};
  EXPECT_EQ(BestOf(tie, Metric::kTime, kTarget), nobody);
  // Times that differ by rounding alone are a tie, too.
  const double more = 1 + 1e-14;
  const StrategySummary rounded[] = {Timed("a", {1, 2, 3}),
                                     Timed("b", {1 * more, 2 * more, 3 * more})};
  EXPECT_EQ(BestOf(rounded, Metric::kTime, kTarget), nobody);
  // Who missed the target may not be the best, nor is anybody better than it by little.
  const StrategySummary missed[] = {Timed("a", {1, 1.1, 1.2, -0.9}), Timed("b", {5, 5, 5.1, 5})};
  EXPECT_EQ(BestOf(missed, Metric::kTime, kTarget), nobody);
  const StrategySummary alone[] = {Timed("a", {1, 2, 3})};
  EXPECT_EQ(BestOf(alone, Metric::kTime, kTarget), std::vector<bool>(1));
  EXPECT_TRUE(BestOf({}, Metric::kTime, kTarget).empty());
}

// Accuracies are multiples of one over the number of test samples, so that differences are equal
// now and then.
TEST(BestOfTest, EqualDifferencesTellNothing) {
  StrategySummary both[] = {Timed("a", {1, 1, 1}), Timed("b", {1, 1, 1})};
  const double first[] = {0.5, 0.6, 0.7}, second[] = {0.51, 0.61, 0.71};
  for (std::size_t k = 0; k < 3; ++k) {
    both[0].outcomes[k].evaluations[0].accuracy = first[k];
    both[1].outcomes[k].evaluations[0].accuracy = second[k];
  }
  const Effect effect = EffectsBetween(both, Metric::kFinalAccuracy)[0];
  EXPECT_NEAR(*effect.at_least, 1, 1e-12);
  EXPECT_FALSE(effect.p || effect.adjusted_p);
  EXPECT_EQ(BestOf(both, Metric::kFinalAccuracy), std::vector<bool>(2));
  // It is one of the comparisons of the table all the same.
  const std::vector<EffectTable> tables = EffectTables(both);
  EXPECT_EQ(tables.back().metric, Metric::kFinalAccuracy);
  EXPECT_EQ(tables.back().tested, 1U);
  EXPECT_EQ(EffectRows(tables.back(), {})[1][3], "-");
}

TEST(BestOfTest, NobodyIsBoldWithTwoSeeds) {
  // The logarithms of the ratios are 1 and 1.01: t is 201 and p 0.003.
  const StrategySummary both[] = {Timed("a", {1, 1}), Timed("b", {std::exp(1), std::exp(1.01)})};
  EXPECT_LT(*EffectsBetween(both, Metric::kTime, kTarget)[0].adjusted_p, 0.01);
  EXPECT_EQ(BestOf(both, Metric::kTime, kTarget), std::vector<bool>(2));
  const StrategySummary more[] = {Timed("a", {1, 1, 1}),
                                  Timed("b", {std::exp(1), std::exp(1.01), std::exp(1.02)})};
  EXPECT_EQ(BestOf(more, Metric::kTime, kTarget), (std::vector<bool>{true, false}));
}

TEST(BestOfTest, WhoNeverReachedTheTargetIsNotCompared) {
  const StrategySummary three[] = {Timed("a", {1, 1.1, 0.9, 1}), Timed("b", {2, 2.1, 1.9, 2.05}),
                                   Timed("never", {-0.1, -0.1, -0.1, -0.1})};
  EXPECT_EQ(BestOf(three, Metric::kTime, kTarget), (std::vector<bool>{true, false, false}));
  const StrategySummary two[] = {three[0], three[2]};
  EXPECT_EQ(BestOf(two, Metric::kTime, kTarget), std::vector<bool>(2));
}

TEST(EffectTablesTest, OfManyStrategiesEachIsShownBesideTheBest) {
  std::vector<StrategySummary> summaries;
  for (int i = 0; i < 9; ++i) {
    const double scale = i == 4 ? 0.5 : 1 + i;
    summaries.push_back(
        Timed("s" + std::to_string(i), {scale, 1.1 * scale, (0.9 + 0.01 * i) * scale}));
  }
  const std::vector<EffectTable> tables = EffectTables(summaries);
  ASSERT_EQ(tables.size(), 3U);  // time, energy, accuracy
  EXPECT_EQ(SubjectOf(tables[0]), "time to 80 %");
  EXPECT_EQ(SubjectOf(tables[1]), "energy to 80 %");
  EXPECT_EQ(SubjectOf(tables[2]), "accuracy at the end");
  EXPECT_EQ(tables[0].effects.size(), 36U);
  EXPECT_EQ(tables[0].tested, 36U);
  EXPECT_EQ(tables[0].best, "s4");
  const auto rows = EffectRows(tables[0], {});
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time to 80 %", "ratio", "95 %", "p", "p, Holm"}));
  EXPECT_EQ(rows[1][0], "s0 / s4");
  EXPECT_EQ(rows[8][0], "s8 / s4");
  EXPECT_NE(NoteOf(tables[0]).find("36 pairs"), std::string::npos);
  EXPECT_NE(NoteOf(tables[0]).find("beside s4"), std::string::npos);
  const std::string csv = EffectsCsv(tables);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 3 * 36);
  summaries.pop_back();
  EXPECT_EQ(EffectRows(EffectTables(summaries)[0], {}).size(), 1U + 28);
}

TEST(EffectTablesTest, TextsAndCsv) {
  const StrategySummary both[] = {Timed("a", {1, 1, 1}), Timed("b", {3, 3.1, -3})};
  const std::vector<EffectTable> tables = EffectTables(both);
  ASSERT_EQ(tables.size(), 3U);
  const auto rows = EffectRows(tables[0], {.utf8 = true});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].back(), "missed");
  EXPECT_EQ(rows[1][0], "b / a");
  EXPECT_EQ(rows[1][1], "≥ 3.03");
  EXPECT_TRUE(rows[1][2].ends_with(" to ?")) << rows[1][2];
  EXPECT_EQ(rows[1][3], "<0.0001");
  EXPECT_EQ(rows[1].back(), "1 of 3");
  EXPECT_EQ(EffectRows(tables[2], {})[1][0], "b - a");
  const std::string csv = EffectsCsv(tables);
  EXPECT_TRUE(csv.starts_with(
      "metric,target,first,second,estimate,at_least,at_most,low,high,p,p_holm,pairs,missed\n"
      "time_s,0.8,a,b,,3.03"))
      << csv;
  EXPECT_NE(csv.find("\nfinal_accuracy,,a,b,"), std::string::npos) << csv;
  // One seed can show nothing, nor can a target that nobody reached.
  const StrategySummary one[] = {Timed("a", {1}), Timed("b", {5})};
  EXPECT_TRUE(EffectTables(one).empty());
  EXPECT_EQ(EffectsCsv({}), "");
  const StrategySummary late[] = {Timed("a", {-1, -2}), Timed("b", {-1, -3})};
  EXPECT_EQ(EffectTables(late).size(), 1U);  // the accuracy
}

}  // namespace
}  // namespace airlot::report
