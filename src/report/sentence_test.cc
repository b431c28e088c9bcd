#include "report/sentence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "airlot/report.h"

namespace airlot::report {
namespace {

constexpr char kTimes[] =
    " Times count uploads, and are means over runs, as energies and accuracies are.";

// This strategy reached the only target after so long, with so much energy, in so many of 4 runs.
// With a deviation, every other run is earlier by as much as the others are later.
StrategySummary Reached(std::string name, double time_s, double energy_j, std::size_t count,
                        double time_sd_s = 0) {
  StrategySummary summary{.strategy = std::move(name), .runs = 4};
  summary.targets.push_back({.target = 0.8,
                             .first = {.reached = count,
                                       .time_s = {4, time_s, time_sd_s},
                                       .energy_j = {4, energy_j, 0},
                                       .rounds = {4, 1, 0}}});
  for (std::size_t k = 0; k < 4; ++k) {
    const double off_s = time_sd_s * std::sqrt(3.0) / 2;
    const double run_s = time_s + (k % 2 == 0 ? -off_s : off_s);
    const EvaluatedRound last{.round = 1, .time_s = run_s, .accuracy = k < count ? 0.9 : 0.5};
    summary.outcomes.push_back({.seed = k + 1, .evaluations = {last}, .time_s = run_s});
  }
  summary.time_s = {4, 1229, 5};
  summary.energy_j = {4, 1093, 5};
  summary.final_accuracy = {4, count > 0 ? 0.9 : 0.5, 0};
  return summary;
}

// So many of 50 devices were over their budgets, the worst so many times.
StrategySummary Over(double devices_over, double worst_ratio, StrategySummary summary) {
  summary.budget = {.devices = 50,
                    .devices_over = {summary.runs, devices_over, 0},
                    .worst_ratio = worst_ratio,
                    .excess_j = {summary.runs, 7, 0}};
  return summary;
}
StrategySummary Kept(StrategySummary summary) { return Over(0, 0.9, std::move(summary)); }

StrategySummary OneRun(StrategySummary summary) {
  summary.runs = 1;
  summary.outcomes.resize(1);
  for (TargetSummary& target : summary.targets) {
    target.first.reached = std::min<std::size_t>(target.first.reached, 1);
  }
  return summary;
}

// Returns the verdict of runs of 300 rounds without what the times count, which it ends with.
std::string VerdictOf(const std::vector<StrategySummary>& summaries) {
  const std::string text = VerdictText(summaries, {.rounds = 300});
  const std::string times = summaries[0].runs > 1 ? kTimes : " Times count uploads.";
  EXPECT_TRUE(text.ends_with(times)) << text;
  return text.substr(0, text.size() - times.size());
}

TEST(Verdict, NobodyTookPart) {
  std::vector<StrategySummary> summaries{Reached("a", 0, 0, 0), Kept(Reached("b", 0, 0, 0))};
  for (StrategySummary& summary : summaries) summary.participants = {.count = 4};
  EXPECT_EQ(VerdictText(summaries, {.rounds = 300}),
            "Nobody took part in any round, so that nothing was learned.");
  summaries[1].participants.mean = 0.1;
  EXPECT_NE(VerdictText(summaries, {.rounds = 300}).find("b comes furthest"), std::string::npos);
}

TEST(Verdict, OneIsFirstAndThriftiest) {
  EXPECT_EQ(
      VerdictOf({Reached("a", 1200, 50, 4), Reached("b", 3000, 90, 4), Reached("c", 0, 0, 0)}),
      "a reaches 80 % first, after 1,200 s, and with the least energy, 50 J; c does not get there "
      "within 300 rounds, which take it 1,229 s and 1,093 J.");
}

TEST(Verdict, FirstAndThriftiestDiffer) {
  EXPECT_EQ(VerdictOf({Reached("a", 10, 90, 4), Reached("b", 20, 50, 4)}),
            "a reaches 80 % first, after 10 s and 90 J; b does so with the least energy, 50 J (20 "
            "s).");
}

TEST(Verdict, TheOnlyOne) {
  EXPECT_EQ(VerdictOf({Reached("a", 10, 90, 4), Reached("b", 0, 0, 0), Reached("c", 0, 0, 0)}),
            "a reaches 80 % after 10 s and 90 J, the only strategy that does so; b and c do not "
            "get there within 300 rounds, which take b 1,229 s and 1,093 J, c 1,229 s and 1,093 "
            "J.");
  EXPECT_EQ(VerdictOf({Reached("a", 10, 90, 4)}), "a reaches 80 % after 10 s and 90 J.");
}

TEST(Verdict, ReliableBeforeFastWithTheNumbersOfBoth) {
  EXPECT_EQ(VerdictOf({Reached("a", 10, 90, 4), Reached("b", 1, 2, 2)}),
            "a reaches 80 % after 10 s and 90 J, most reliably of all; b after at least 1 s and at "
            "least 2 J, in 2 of 4 runs.");
  EXPECT_EQ(
      VerdictOf({Reached("a", 10, 90, 3), Reached("b", 1, 2, 1)}),
      "a reaches 80 % after at least 10 s and at least 90 J, in 3 of 4 runs, most reliably of "
      "all; b after at least 1 s and at least 2 J, in 1 of 4 runs.");
}

// The logarithms of the ratios of b are 0.134 and 0.026, twice each, so that their mean of 0.08 has
// the interval ± 0.099; those of c are 0.111 and 0.081, and have 0.096 ± 0.027.
TEST(Verdict, NoRaceIsWonWhereTheIntervalOfTheRatioHoldsOne) {
  EXPECT_EQ(VerdictOf({Reached("a", 100, 50, 4, 9), Reached("b", 108, 90, 4, 3),
                       Reached("c", 110, 90, 4, 8)}),
            "a reaches 80 % first, after 100 s (b, 108 s, is about as fast), and with the least "
            "energy, 50 J.");
  // Seeds that differ by much do not matter where the pairs all say the same.
  EXPECT_EQ(VerdictOf({Reached("a", 100, 50, 4, 50), Reached("b", 110, 90, 4, 55)}),
            "a reaches 80 % first, after 100 s, and with the least energy, 50 J.");
  // One seed says nothing, not even where times are equal.
  EXPECT_EQ(VerdictOf({OneRun(Reached("a", 100, 50, 4)), OneRun(Reached("b", 100, 90, 4))}),
            "a reaches 80 % first, after 100 s, and with the least energy, 50 J.");
  // Nor do runs of which some missed the target.
  EXPECT_EQ(VerdictOf({Reached("a", 100, 50, 3), Reached("b", 100, 90, 3)}).find("as fast"),
            std::string::npos);
  // Equal times are equal without any spread.
  EXPECT_EQ(VerdictOf({Reached("a", 100, 50, 4), Reached("b", 100, 90, 4)}),
            "a reaches 80 % first, after 100 s (b, 100 s, is about as fast), and with the least "
            "energy, 50 J.");
}

TEST(Verdict, RunsThatDifferByMuchAreNotAsFast) {
  EXPECT_EQ(VerdictOf({Reached("a", 17, 50, 4, 9), Reached("b", 276, 90, 4, 300)}),
            "a reaches 80 % first, after 17 s, and with the least energy, 50 J.");
}

TEST(Verdict, ManyAreCounted) {
  std::vector<StrategySummary> all{Reached("a", 10, 90, 4), Reached("b", 20, 95, 4)};
  for (const char* name : {"c", "d", "e", "f", "g"}) all.push_back(Reached(name, 5, 5, 1));
  for (const char* name : {"h", "i", "j", "k", "l"}) all.push_back(Reached(name, 0, 0, 0));
  EXPECT_EQ(
      VerdictOf(all),
      "a reaches 80 % first, after 10 s, and with the least energy, 90 J; c after at least 5 s "
      "and at least 5 J, in 1 of 4 runs; d after at least 5 s and at least 5 J, in 1 of 4 runs; e "
      "after at least 5 s and at least 5 J, in 1 of 4 runs; 2 more in no more runs; h, i, j and 2 "
      "others do not get there within 300 rounds, which take h 1,229 s and 1,093 J, i 1,229 s and "
      "1,093 J, j 1,229 s and 1,093 J.");
}

TEST(Verdict, NobodyGetsThere) {
  EXPECT_EQ(VerdictOf({Reached("a", 0, 0, 0), Reached("b", 0, 0, 0)}),
            "No strategy reaches 80 % within 300 rounds; a comes furthest, to 50.0 % after 1,229 s "
            "and 1,093 J.");
  EXPECT_EQ(VerdictOf({Reached("a", 0, 0, 0)}),
            "a does not reach 80 % within 300 rounds, which take 1,229 s and 1,093 J; it comes to "
            "50.0 %.");
  const StrategySummary aimless{.strategy = "a",
                                .runs = 1,
                                .final_accuracy = {1, 0.7, 0},
                                .time_s = {1, 12, 0},
                                .energy_j = {1, 3, 0}};
  EXPECT_EQ(VerdictOf({aimless}), "In 300 rounds, which take 12 s and 3 J, a comes to 70.0 %.");
  EXPECT_EQ(VerdictOf({aimless, aimless}),
            "In 300 rounds, a comes furthest, to 70.0 % after 12 s and 3 J.");
}

// A model that learns too fast has a squared error beyond all numbers.
TEST(Verdict, WhoDivergesComesToNothing) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  StrategySummary diverged{.strategy = "a",
                           .runs = 1,
                           .final_accuracy = {1, -kInfinity, 0},
                           .time_s = {1, 12, 0},
                           .energy_j = {1, 3, 0}};
  EXPECT_EQ(VerdictOf({diverged}),
            "In 300 rounds, which take 12 s and 3 J, a comes to no finite accuracy.");
  diverged.final_accuracy.mean = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(VerdictOf({diverged, diverged}),
            "In 300 rounds, a comes furthest, to no finite accuracy after 12 s and 3 J.");
}

TEST(Verdict, NamesTheHighestTargetThatNobodyReached) {
  StrategySummary a = Reached("a", 10, 90, 4), b = Reached("b", 20, 95, 4);
  for (StrategySummary* one : {&a, &b}) one->targets.push_back({.target = 0.95});
  EXPECT_EQ(VerdictOf({a, b}),
            "a reaches 80 % first, after 10 s, and with the least energy, 90 J. No strategy "
            "reaches 95 % within 300 rounds.");
  EXPECT_EQ(VerdictOf({a}),
            "a reaches 80 % after 10 s and 90 J. It does not reach 95 % within 300 rounds.");
}

TEST(Verdict, SaysWhatTimesCount) {
  const std::vector one{OneRun(Reached("a", 10, 90, 4))};
  Scenario scenario{.rounds = 300};
  scenario.books = {.upload_time = true, .compute_time = true, .download_time = true};
  EXPECT_EQ(VerdictText(one, scenario),
            "a reaches 80 % after 10 s and 90 J. Times count uploads, computation and downloads.");
}

TEST(Verdict, WritesPowersOfTenAsTheStyleAsks) {
  const std::vector one{OneRun(Reached("a", 1.25e-9, 90, 4))};
  EXPECT_EQ(VerdictText(one, {}),
            "a reaches 80 % after 1.25×10⁻⁹ s and 90 J. Times count uploads.");
  EXPECT_EQ(VerdictText(one, {}, {.utf8 = false}),
            "a reaches 80 % after 1.25e-09 s and 90 J. Times count uploads.");
}

// --- Budgets -------------------------------------------------------------------------------------

TEST(VerdictOnBudgets, SaysThatTheBestKeepsThem) {
  EXPECT_EQ(VerdictOf({Kept(Reached("a", 10, 90, 4)), Over(9, 2, Reached("b", 20, 95, 4))}),
            "a reaches 80 % first, after 10 s, and with the least energy, 90 J, keeping every "
            "energy budget.");
  EXPECT_EQ(VerdictOf({Kept(Reached("a", 10, 90, 4))}),
            "a reaches 80 % after 10 s and 90 J, keeping every energy budget.");
}

TEST(VerdictOnBudgets, NamesWhatTheBestBreaksAndTheBestThatKeepsThem) {
  EXPECT_EQ(VerdictOf({OneRun(Over(26, 89.2, Reached("a", 10, 50, 4))),
                       OneRun(Kept(Reached("b", 20, 95, 4))), OneRun(Kept(Reached("c", 30, 99, 4))),
                       OneRun(Over(1, 2, Reached("d", 15, 60, 4)))}),
            "a reaches 80 % first, after 10 s, and with the least energy, 50 J, but takes 26 of 50 "
            "devices over their energy budgets (the worst spends 89.2 times its budget; 7 J beyond "
            "in sum). Of the "
            "strategies that keep every energy budget, b is first, after 20 s, and takes the least "
            "energy, 95 J.");
  EXPECT_EQ(VerdictOf({Over(26.5, 89, Reached("a", 10, 90, 4)), Kept(Reached("b", 20, 50, 4)),
                       Kept(Reached("c", 30, 40, 4))}),
            "a reaches 80 % first, after 10 s and 90 J, but takes 26.5 of 50 devices over their "
            "energy budgets on average (the worst spends 89 times its budget; 7 J beyond in sum); "
            "c does so with the "
            "least energy, 40 J (30 s), keeping every energy budget. Of the strategies that keep "
            "every energy budget, b is first, after 20 s and 50 J; c takes the least energy, 40 J "
            "(30 s).");
}

TEST(VerdictOnBudgets, KeepersMayBeEquallyFast) {
  const std::string text =
      VerdictOf({Over(26, 89, Reached("a", 10, 50, 4)), Kept(Reached("b", 20, 95, 4)),
                 Kept(Reached("c", 20, 96, 4))});
  EXPECT_TRUE(text.ends_with(
      " b is first, after 20 s (c, 20 s, is about as fast), and takes the least energy, 95 J."))
      << text;
}

TEST(VerdictOnBudgets, TheThriftiestMayBreakThem) {
  EXPECT_EQ(VerdictOf({Kept(Reached("a", 10, 90, 4)), Over(3, 2, Reached("b", 20, 50, 4))}),
            "a reaches 80 % first, after 10 s and 90 J, keeping every energy budget; b does so "
            "with the least energy, 50 J (20 s), but takes 3 of 50 devices over their energy "
            "budgets on average (the worst spends 2 times its budget; 7 J beyond in sum). Only a "
            "keeps every energy "
            "budget; it reaches 80 % after 10 s and 90 J.");
}

TEST(VerdictOnBudgets, KeepersMayNotGetThere) {
  const StrategySummary a = Over(3, 2, Reached("a", 10, 90, 4));
  EXPECT_EQ(VerdictOf({a, Kept(Reached("b", 0, 0, 0))}),
            "a reaches 80 % after 10 s and 90 J, the only strategy that does so, but takes 3 of 50 "
            "devices over their energy budgets on average (the worst spends 2 times its budget; 7 "
            "J beyond in sum); b "
            "does not get there within 300 rounds, which take it 1,229 s and 1,093 J. Only b keeps "
            "every energy budget; it does not reach 80 % within 300 rounds, and comes to 50.0 %.");
  const std::string two = VerdictOf({a, Kept(Reached("b", 0, 0, 0)), Kept(Reached("c", 0, 0, 0))});
  EXPECT_TRUE(
      two.ends_with("c 1,229 s and 1,093 J. Of the strategies that keep every energy budget, none "
                    "reaches 80 % within 300 rounds; b comes furthest, to 50.0 %."))
      << two;
}

TEST(VerdictOnBudgets, KeepersMayGetThereSeldom) {
  const StrategySummary a = Over(3, 2, Reached("a", 10, 90, 4));
  const std::string one =
      VerdictOf({a, Kept(Reached("b", 20, 30, 2)), Kept(Reached("c", 0, 0, 0))});
  EXPECT_TRUE(
      one.ends_with(" Of the strategies that keep every energy budget, only b reaches 80 "
                    "%, after at least 20 s and at least 30 J, in 2 of 4 runs."))
      << one;
  const std::string two =
      VerdictOf({a, Kept(Reached("b", 20, 30, 3)), Kept(Reached("c", 2, 3, 2))});
  EXPECT_TRUE(
      two.ends_with(" Of the strategies that keep every energy budget, b reaches 80 % most "
                    "reliably, after at least 20 s and at least 30 J, in 3 of 4 runs."))
      << two;
}

TEST(VerdictOnBudgets, NobodyMayKeepThem) {
  EXPECT_EQ(
      VerdictOf({Over(9, 3, Reached("a", 10, 50, 4)), Over(1.4, 1.2, Reached("b", 20, 95, 4))}),
      "a reaches 80 % first, after 10 s, and with the least energy, 50 J, but takes 9 of 50 "
      "devices over their energy budgets on average (the worst spends 3 times its budget; 7 J "
      "beyond in sum). "
      "No strategy keeps every energy budget; b takes the fewest devices over, 1.4 of 50 on "
      "average (the worst spends 1.2 times its budget; 7 J beyond in sum).");
  // What was said of the best is not said again, and two may be equal.
  const std::string same =
      VerdictOf({Over(1, 3, Reached("a", 10, 50, 4)), Over(2, 1.2, Reached("b", 20, 95, 4))});
  EXPECT_TRUE(
      same.ends_with(" No strategy keeps every energy budget; a takes the fewest devices "
                     "over."))
      << same;
  const std::string equal =
      VerdictOf({Over(2, 3, Reached("a", 10, 50, 4)), Over(2, 1.2, Reached("b", 20, 95, 4))});
  EXPECT_TRUE(
      equal.ends_with(" No strategy keeps every energy budget, and none takes fewer "
                      "devices over than b, 2 of 50 on average (the worst spends 1.2 "
                      "times its budget; 7 J beyond in sum)."))
      << equal;
}

TEST(VerdictOnBudgets, TheOneThatComesFurthest) {
  StrategySummary a = Over(3, 2, Reached("a", 0, 0, 0));
  a.final_accuracy.mean = 0.6;
  EXPECT_EQ(VerdictOf({a, Kept(Reached("b", 0, 0, 0)), Kept(Reached("c", 0, 0, 0))}),
            "No strategy reaches 80 % within 300 rounds; a comes furthest, to 60.0 % after 1,229 s "
            "and 1,093 J, but takes 3 of 50 devices over their energy budgets on average (the "
            "worst spends 2 times its budget; 7 J beyond in sum). Of the strategies that keep "
            "every energy budget, b "
            "comes furthest, to 50.0 % after 1,229 s and 1,093 J.");
  const std::string only = VerdictOf({a, Kept(Reached("b", 0, 0, 0))});
  EXPECT_TRUE(
      only.ends_with(" Only b keeps every energy budget; it comes to 50.0 % after 1,229 s "
                     "and 1,093 J."))
      << only;
  EXPECT_EQ(VerdictOf({OneRun(a)}),
            "a does not reach 80 % within 300 rounds, which take 1,229 s and 1,093 J; it comes to "
            "60.0 %, but takes 3 of 50 devices over their energy budgets (the worst spends 2 times "
            "its budget; 7 J beyond in sum).");
}

TEST(VerdictOnBudgets, OneDeviceAndBudgetsOfNothingAndJustBeyond) {
  const StrategySummary a = OneRun(Reached("a", 10, 90, 4));
  EXPECT_EQ(VerdictOf({Over(1, 89.2, a)}),
            "a reaches 80 % after 10 s and 90 J, but takes 1 of 50 devices over its energy budget "
            "(it spends 89.2 times its budget; 7 J beyond).");
  EXPECT_EQ(VerdictOf({Over(2, std::numeric_limits<double>::infinity(), a)}),
            "a reaches 80 % after 10 s and 90 J, but takes 2 of 50 devices over their energy "
            "budgets (the worst has a budget of 0 J; 7 J beyond in sum).");
  for (const auto& [ratio, text] : {std::pair(1.0042, "1.0042"),
                                    {1.000000002, "1.0000000020"},
                                    {1.0996, "1.100"},
                                    {1.096, "1.096"},
                                    {1.1, "1.1"},
                                    {2e16, "2×10¹⁶"}}) {
    const std::string verdict = VerdictOf({Over(2, ratio, a)});
    EXPECT_NE(verdict.find(std::string("spends ") + text + " times"), std::string::npos) << verdict;
  }
}

TEST(VerdictOnBudgets, EquallyFastOnesThatBreakThemAreNamed) {
  EXPECT_EQ(VerdictOf({Kept(Reached("a", 100, 50, 4, 9)), Over(3, 2, Reached("b", 108, 90, 4, 3))}),
            "a reaches 80 % first, after 100 s (b, 108 s, is about as fast; b breaks energy "
            "budgets), and with the least energy, 50 J, keeping every energy budget.");
  // Of two that are equal, the one that keeps budgets is called the best.
  const std::string equal =
      VerdictOf({Over(3, 2, Reached("a", 10, 50, 4)), Kept(Reached("b", 10, 50, 4))});
  EXPECT_EQ(equal.find("b reaches 80 % first"), 0U) << equal;
}

TEST(VerdictOnBudgets, OfEquallyFastOnesAllThatAreNamedMayBreakThem) {
  std::vector<StrategySummary> all{
      Kept(Reached("a", 10, 50, 4)), Over(3, 2, Reached("b", 10, 90, 4)),
      Kept(Reached("c", 10, 90, 4)), Over(3, 2, Reached("d", 10, 90, 4))};
  EXPECT_EQ(VerdictOf(all),
            "a reaches 80 % first, after 10 s (b, 10 s, c, 10 s, and d, 10 s, are about as fast; b "
            "and d break energy budgets), and with the least energy, 50 J, keeping every energy "
            "budget.");
  // Of four, two are named.
  all.push_back(Over(3, 2, Reached("e", 10, 90, 4)));
  EXPECT_EQ(VerdictOf(all),
            "a reaches 80 % first, after 10 s (b, 10 s, c, 10 s, and 2 others are about as fast; b "
            "breaks energy budgets), and with the least energy, 50 J, keeping every energy "
            "budget.");
}

// Runs of earlier versions have no budgets.
TEST(VerdictOnBudgets, WhatIsNotKnownIsNotSaid) {
  const StrategySummary a = Over(3, 2, Reached("a", 10, 50, 4));
  const std::string nobody = VerdictOf({a, Reached("b", 20, 95, 4)});
  EXPECT_TRUE(nobody.ends_with("(the worst spends 2 times its budget; 7 J beyond in sum)."))
      << nobody;
  const std::string one = VerdictOf({a, Reached("b", 20, 95, 4), Kept(Reached("c", 30, 99, 4))});
  EXPECT_TRUE(
      one.ends_with(" Only c is known to keep every energy budget; it reaches 80 % after "
                    "30 s and 99 J."))
      << one;
  const std::string two = VerdictOf(
      {a, Reached("b", 20, 95, 4), Kept(Reached("c", 30, 99, 4)), Kept(Reached("d", 40, 99, 4))});
  EXPECT_NE(two.find(" Of the strategies that are known to keep every energy budget, c is first"),
            std::string::npos)
      << two;
}

TEST(InterimSentence, HasNoVerdictBeforeTheEnd) {
  const StrategySummary one{.strategy = "a", .runs = 1, .final_accuracy = {1, 0.531, 0}};
  EXPECT_EQ(InterimSentence(std::vector{one}, std::vector<Progress>{{592, 592, false, 1}},
                            {.rounds = 4000}),
            "So far a is at 53.1 % (592 of 4,000 rounds).");
  // A run may end at its targets.
  Scenario scenario{.rounds = 4000};
  scenario.targets = {0.8};
  scenario.stop_at_targets = true;
  EXPECT_EQ(
      InterimSentence(std::vector{one}, std::vector<Progress>{{592, 592, false, 1}}, scenario),
      "So far a is at 53.1 % (592 of at most 4,000 rounds).");
  EXPECT_EQ(InterimSentence(std::vector{Reached("a", 10, 90, 4), Reached("b", 0, 0, 0)},
                            std::vector<Progress>{{300, 300, true, 5}, {20, 40, false, 5}},
                            {.rounds = 300}),
            "So far a is at 90.0 % (4 of 5 runs done) and b at 50.0 % (20 to 40 of 300 rounds). "
            "a has reached 80 % after 10 s and 90 J.");
}

}  // namespace
}  // namespace airlot::report
