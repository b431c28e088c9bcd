#include "report/sentence.h"

#include <gtest/gtest.h>

namespace airlot::report {
namespace {

// Reached the only target after so long, with so much, in so many of 4 runs.
StrategySummary Reached(std::string name, double time_s, double energy_j, std::size_t count) {
  StrategySummary summary{.strategy = std::move(name), .runs = 4};
  summary.targets.push_back({.target = 0.8,
                             .time_s = {count, time_s, 0},
                             .energy_j = {count, energy_j, 0},
                             .rounds = {count, 1, 0}});
  summary.final_accuracy = {4, count > 0 ? 0.9 : 0.5, 0};
  return summary;
}

TEST(SentenceTest, OneIsFirstAndThriftiest) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 1200, 50, 4), Reached("b", 3000, 90, 4),
                                        Reached("c", 0, 0, 0)}),
            "a reaches 80 % first, after 1,200 s, and with the least energy, 50 J; c never gets "
            "there.");
}

TEST(SentenceTest, FirstAndThriftiestDiffer) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 10, 90, 4), Reached("b", 20, 50, 4)}),
            "a reaches 80 % first, after 10 s (90 J); b with the least energy, 50 J (20 s).");
}

TEST(SentenceTest, TheOnlyOne) {
  EXPECT_EQ(SummarySentence(
                std::vector{Reached("a", 10, 90, 4), Reached("b", 0, 0, 0), Reached("c", 0, 0, 0)}),
            "a reaches 80 % after 10 s and 90 J, the only strategy that does so; b and c never get "
            "there.");
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 10, 90, 4)}),
            "a reaches 80 % after 10 s and 90 J.");
}

TEST(SentenceTest, ReliableBeforeFast) {
  EXPECT_EQ(
      SummarySentence(std::vector{Reached("a", 10, 90, 4), Reached("b", 1, 1, 2)}),
      "a reaches 80 % after 10 s and 90 J, the only strategy that does so as reliably; b gets "
      "there in fewer runs.");
}

TEST(SentenceTest, NobodyGetsThere) {
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 0, 0, 0), Reached("b", 0, 0, 0)}),
            "No strategy reached 80 %; a came furthest, to 50.0 %.");
  EXPECT_EQ(SummarySentence(std::vector{Reached("a", 0, 0, 0)}),
            "The strategy never reached 80 %; it came to 50.0 %.");
  const StrategySummary aimless{.strategy = "a", .runs = 1, .final_accuracy = {1, 0.7, 0}};
  EXPECT_EQ(SummarySentence(std::vector{aimless}), "a came furthest, to 70.0 %.");
}

}  // namespace
}  // namespace airlot::report
