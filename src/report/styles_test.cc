#include "report/styles.h"

#include <gtest/gtest.h>

#include <set>

#include "airlot/report.h"
#include "airlot/selection.h"

namespace airlot::report {
namespace {

StrategySummary Summary(std::string name, std::size_t reached, double time_s, double accuracy) {
  StrategySummary summary{.strategy = std::move(name), .runs = 4};
  summary.targets.push_back({.target = 0.5, .first = {.reached = 4, .time_s = {4, 1, 0}}});
  summary.targets.push_back(
      {.target = 0.8, .first = {.reached = reached, .time_s = {4, time_s, 0}}});
  summary.final_accuracy = {4, accuracy, 0};
  return summary;
}

TEST(StylesTest, NoTwoLookAlikeAsLinesOrAsPoints) {
  std::set<std::pair<std::size_t, std::size_t>> lines, points;
  for (std::size_t i = 0; i < kStyleCount; ++i) {
    const Style style = StyleAt(i);
    EXPECT_LT(style.colour, 6U);
    EXPECT_LT(style.dash, 6U);
    EXPECT_TRUE(lines.emplace(style.colour, style.dash).second) << i;
    EXPECT_TRUE(points.emplace(style.colour, std::size_t(style.shape)).second) << i;
  }
  EXPECT_GE(kStyleCount, 28U);
  EXPECT_EQ(StyleAt(kStyleCount), StyleAt(0));
}

TEST(StylesTest, ThePapersKeepTheirColoursAndOthersGetWhatIsFree) {
  const std::vector<std::string> names{"uniform", "new-b", "probabilistic", "new-a", "new-b"};
  const Looks looks(names);
  EXPECT_EQ(looks.Of("probabilistic"), StyleAt(0));
  EXPECT_EQ(looks.Of("deterministic"), StyleAt(1));
  EXPECT_EQ(looks.Of("uniform"), StyleAt(2));
  EXPECT_EQ(looks.Of("equally-weighted"), StyleAt(3));
  EXPECT_EQ(looks.Of("new-b"), StyleAt(Strategies().size()));
  EXPECT_EQ(looks.Of("new-a"), StyleAt(Strategies().size() + 1));
}

TEST(StylesTest, SixAreShownAllAreKept) {
  std::vector<StrategySummary> all{Summary("probabilistic", 0, 0, 0.1), Summary("a", 4, 9, 0.9)};
  Looks looks;
  looks.Choose(all);
  EXPECT_EQ(looks.hidden(), 0U);
  EXPECT_TRUE(looks.IsShown("a"));
  for (const auto& one :
       {Summary("b", 3, 1, 0.9), Summary("c", 4, 8, 0.9), Summary("d", 4, 7, 0.9),
        Summary("e", 0, 0, 0.99), Summary("f", 4, 5, 0.9), Summary("g", 4, 6, 0.9)}) {
    all.push_back(one);
  }
  looks.Choose(all);
  EXPECT_EQ(looks.hidden(), 2U);
  for (const char* name : {"probabilistic", "a", "c", "d", "f", "g"}) {
    EXPECT_TRUE(looks.IsShown(name)) << name;
  }
  EXPECT_FALSE(looks.IsShown("b"));
  EXPECT_FALSE(looks.IsShown("e"));
}

// The last argument is the number of devices over budget.
StrategySummary Spender(std::string name, std::size_t reached, double time_s, double energy_j,
                        double over) {
  StrategySummary summary = Summary(std::move(name), reached, time_s, 0.5);
  summary.targets[1].first.energy_j = {4, energy_j, 0};
  summary.budget = BudgetSummary{.devices_over = {4, over, 0}};
  return summary;
}

TEST(StylesTest, WhoeverTheVerdictNamesIsShown) {
  // Nobody reaches a third target, so that the second decides.
  std::vector<StrategySummary> all{
      Spender("probabilistic", 4, 90, 90, 0), Spender("deterministic", 4, 80, 80, 3),
      Spender("uniform", 4, 99, 99, 3),       Spender("equally-weighted", 4, 98, 98, 3),
      Spender("plain", 4, 40, 40, 3),         Spender("second", 4, 6, 20, 3),
      Spender("fastest", 4, 5, 30, 3),        Spender("thriftiest", 4, 30, 5, 3),
      Spender("kept-fast", 4, 50, 70, 0),     Spender("kept-thrifty", 4, 70, 50, 0)};
  for (StrategySummary& summary : all) summary.targets.push_back({.target = 0.99});
  EXPECT_EQ(NamedByVerdict(all),
            (std::vector<std::string>{"fastest", "thriftiest", "kept-fast", "kept-thrifty"}));
  Looks looks;
  looks.Choose(all);
  EXPECT_EQ(looks.shown(), Looks::kMostShown);
  EXPECT_EQ(looks.hidden(), 4u);
  for (const char* name : {"fastest", "thriftiest", "kept-fast", "kept-thrifty", "probabilistic"}) {
    EXPECT_TRUE(looks.IsShown(name)) << name;
  }
  // Where nobody keeps the budgets, who breaks the fewest is named.
  for (StrategySummary& summary : all) summary.budget->devices_over.mean += 1;
  all[4].budget->devices_over.mean = all[3].budget->devices_over.mean = 0.5;
  all[3].budget->worst_ratio = 2;
  EXPECT_EQ(NamedByVerdict(all), (std::vector<std::string>{"fastest", "thriftiest", "plain"}));
}

TEST(StylesTest, OfEqualsTheOneThatTheVerdictNamesIsShown) {
  // The paper's four and one more are equal, but only the last one keeps its budgets.
  std::vector<StrategySummary> all{
      Spender("probabilistic", 4, 9, 9, 3), Spender("deterministic", 4, 9, 9, 3),
      Spender("uniform", 4, 9, 9, 3),       Spender("equally-weighted", 4, 9, 9, 3),
      Spender("plain", 4, 9, 9, 3),         Spender("other", 4, 9, 9, 3),
      Spender("kept", 4, 9, 9, 0),          Spender("kept-too", 4, 9, 9, 0)};
  const auto expect_named = [&](const std::string& named) {
    const std::string verdict = VerdictText(all, {.rounds = 300});
    EXPECT_NE(verdict.find(named), std::string::npos) << verdict;
    EXPECT_EQ(NamedByVerdict(all), (std::vector<std::string>{"kept"}));
    Looks looks;
    looks.Choose(all);
    EXPECT_EQ(looks.hidden(), 2u);
    EXPECT_TRUE(looks.IsShown("kept"));
    EXPECT_FALSE(looks.IsShown("other"));
  };
  expect_named("kept reaches 80 % first");
  for (StrategySummary& summary : all) {
    for (TargetSummary& target : summary.targets) target.first.reached = 0;
  }
  expect_named("kept comes furthest");
}

TEST(StylesTest, OfStrategiesWithBudgetsThatAreNotKnownNoneIsCalledTheFewestOver) {
  std::vector<StrategySummary> all{Spender("a", 4, 5, 5, 3), Spender("b", 4, 9, 9, 2),
                                   Summary("c", 4, 9, 0.5)};
  all[2].targets[1].first.energy_j = {4, 9, 0};
  EXPECT_EQ(VerdictText(all, {.rounds = 300}).find("fewest"), std::string::npos);
  EXPECT_EQ(NamedByVerdict(all), (std::vector<std::string>{"a"}));
}

TEST(StylesTest, WhereNoTargetIsReachedTheMostAccurateIsShown) {
  std::vector<StrategySummary> all;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    all.push_back(Summary(name, 0, 0, 0.2));
    all.back().targets[0].first.reached = 0;
    all.back().budget = BudgetSummary{.devices_over = {4, 1, 0}};
  }
  all[6].final_accuracy.mean = 0.4;
  all[7].final_accuracy.mean = 0.3;
  all[7].budget->devices_over.mean = 0;
  EXPECT_EQ(NamedByVerdict(all), (std::vector<std::string>{"g", "h"}));
  Looks looks;
  looks.Choose(all);
  EXPECT_TRUE(looks.IsShown("g"));
  EXPECT_TRUE(looks.IsShown("h"));
  EXPECT_EQ(looks.hidden(), 2u);
}

TEST(StylesTest, TextHasRoom) {
  // Chromium measures these widths in DejaVu Sans at 12 px (measureText).
  const std::pair<const char*, double> measured[] = {{"power-of-choice-cpow", 130.7},
                                                     {"equally-weighted", 103.3},
                                                     {"14,728 ± 5,003 s", 104.1},
                                                     {"3/10 runs", 57.2}};
  for (const auto& [text, width] : measured) {
    EXPECT_GE(TextWidth(text), width) << text;
    EXPECT_LE(TextWidth(text), 1.25 * width) << text;
  }
  EXPECT_EQ(TextWidth(""), 0);
}

}  // namespace
}  // namespace airlot::report
