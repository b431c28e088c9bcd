#include "report/sentence.h"

#include <gtest/gtest.h>

namespace airlot::report {
namespace {

// This strategy reached the only target after so long, with so much energy, in so many of 4 runs.
StrategySummary Reached(std::string name, double time_s, double energy_j, std::size_t count,
                        double time_sd_s = 0) {
  StrategySummary summary{.strategy = std::move(name), .runs = 4};
  summary.targets.push_back({.target = 0.8,
                             .first = {.reached = count,
                                       .time_s = {4, time_s, time_sd_s},
                                       .energy_j = {4, energy_j, 0},
                                       .rounds = {4, 1, 0}}});
  summary.time_s = {4, 1229, 5};
  summary.energy_j = {4, 1093, 5};
  summary.final_accuracy = {4, count > 0 ? 0.9 : 0.5, 0};
  return summary;
}

TEST(SentenceTest, OneIsFirstAndThriftiest) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 1200, 50, 4), Reached("b", 3000, 90, 4),
                                        Reached("c", 0, 0, 0)},
                            300),
            "a reaches 80 % first, after 1,200 s, and with the least energy, 50 J; c "
            "(1,229 s, 1,093 J) does not within 300 rounds.");
}

TEST(SentenceTest, FirstAndThriftiestDiffer) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 10, 90, 4), Reached("b", 20, 50, 4)}, 300),
            "a reaches 80 % first, after 10 s and 90 J; b with the least energy, 50 J (20 s).");
}

TEST(SentenceTest, TheOnlyOne) {
  EXPECT_EQ(
      SummarySentence(
          std::vector{Reached("a", 10, 90, 4), Reached("b", 0, 0, 0), Reached("c", 0, 0, 0)}, 300),
      "a reaches 80 % after 10 s and 90 J, the only strategy that does so; b (1,229 s, "
      "1,093 J) and c (1,229 s, 1,093 J) do not within 300 rounds.");
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 10, 90, 4)}, 300),
            "a reaches 80 % after 10 s and 90 J.");
}

TEST(SentenceTest, ReliableBeforeFastWithTheNumbersOfBoth) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 10, 90, 4), Reached("b", 1, 2, 2)}, 300),
            "a reaches 80 % after 10 s and 90 J, most reliably of all; b after at least 1 s and at "
            "least 2 J, in 2 of 4 runs.");
  EXPECT_EQ(
      SummarySentence(std::vector{Reached("a", 10, 90, 3), Reached("b", 1, 2, 1)}, 300),
      "a reaches 80 % after at least 10 s and at least 90 J, in 3 of 4 runs, most reliably of "
      "all; b after at least 1 s and at least 2 J, in 1 of 4 runs.");
}

TEST(SentenceTest, NoRaceIsWonByLessThanTheSpread) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 100, 50, 4, 9), Reached("b", 108, 90, 4, 3),
                                        Reached("c", 110, 90, 4, 8)},
                            300),
            "a reaches 80 % first, after 100 s (b, 108 s, is about as fast), and with the least "
            "energy, 50 J.");
}

TEST(SentenceTest, RunsThatDifferByMuchAreNotAsFast) {
  EXPECT_EQ(
      SummarySentence(std::vector{Reached("a", 17, 50, 4, 9), Reached("b", 276, 90, 4, 400)}, 300),
      "a reaches 80 % first, after 17 s, and with the least energy, 50 J.");
}

TEST(SentenceTest, ManyAreCounted) {
  std::vector<StrategySummary> all{Reached("a", 10, 90, 4), Reached("b", 20, 95, 4)};
  for (const char* name : {"c", "d", "e", "f", "g"}) all.push_back(Reached(name, 5, 5, 1));
  for (const char* name : {"h", "i", "j", "k", "l"}) all.push_back(Reached(name, 0, 0, 0));
  EXPECT_EQ(
      SummarySentence(all, 300),
      "a reaches 80 % first, after 10 s, and with the least energy, 90 J; c after at least 5 s "
      "and at least 5 J, in 1 of 4 runs; d after at least 5 s and at least 5 J, in 1 of 4 runs; e "
      "after at least 5 s and at least 5 J, in 1 of 4 runs; 2 more in no more runs; h (1,229 s, "
      "1,093 J), i (1,229 s, "
      "1,093 J), j (1,229 s, 1,093 J) and 2 others do not within 300 rounds.");
}

TEST(SentenceTest, NobodyGetsThere) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 0, 0, 0), Reached("b", 0, 0, 0)}, 300),
            "No strategy reached 80 % within 300 rounds; a came furthest, to 50.0 %.");
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 0, 0, 0)}, 300),
            "a did not reach 80 % within 300 rounds (1,229 s, 1,093 J); it came to 50.0 %.");
  const StrategySummary aimless{.strategy = "a",
                                .runs = 1,
                                .final_accuracy = {1, 0.7, 0},
                                .time_s = {1, 12, 0},
                                .energy_j = {1, 3, 0}};
  EXPECT_EQ(SummarySentence(std::vector{aimless}, 300),
            "a came to 70.0 % in 300 rounds (12 s, 3 J).");
}

TEST(SentenceTest, NoVerdictBeforeTheEnd) {
  const StrategySummary one{.strategy = "a", .runs = 1, .final_accuracy = {1, 0.531, 0}};
  EXPECT_EQ(InterimSentence(std::vector{one}, std::vector<Progress>{{592, 592, false, 1}}, 4000),
            "So far a is at 53.1 % (592 of 4,000 rounds).");
  EXPECT_EQ(InterimSentence(std::vector{Reached("a", 10, 90, 4), Reached("b", 0, 0, 0)},
                            std::vector<Progress>{{300, 300, true, 5}, {20, 40, false, 5}}, 300),
            "So far a is at 90.0 % (4 of 5 runs done) and b at 50.0 % (20 to 40 of 300 rounds). "
            "a has reached 80 % after 10 s and 90 J.");
}

}  // namespace
}  // namespace airlot::report
