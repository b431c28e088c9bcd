// These tests judge claims by runs that are made up, so that their verdicts are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "airlot/report.h"

namespace airlot {
namespace {

constexpr std::size_t kRuns = 10;
constexpr double kWhole = 1e7;  // what a whole run takes, in s and in J

// Returns a run that reaches each of the paper's targets as soon as its row says, times a factor.
RunOutcome RunOf(const PaperScenario& paper, const PaperRow& row, std::uint64_t seed,
                 double factor) {
  RunOutcome run{.seed = seed, .time_s = kWhole, .energy_j = kWhole, .rounds = 9};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!row.time_s[i]) continue;
    run.evaluations.push_back({.round = 3 * (i + 1),
                               .time_s = factor * *row.time_s[i],
                               .energy_j = factor * *row.energy_j[i],
                               .accuracy = paper.targets[i]});
  }
  const double last = row.strategy == "probabilistic" ? 0.9
                      : row.strategy == "uniform"     ? 0.88
                      : row.time_s[1]                 ? 0.87
                                                      : 0.6;
  const double time_s = row.strategy == "uniform" ? 2 * kWhole : kWhole;
  run.time_s = time_s;
  run.evaluations.push_back(
      {9, time_s, kWhole, row.strategy == "equally-weighted" ? last - 0.005 : last});
  run.participants = 4 + 0.01 * double(seed % 3);
  return run;
}

// Returns runs that bear out all that the paper says. Each seed has its own fleet, on which every
// strategy is quicker or slower.
std::vector<StrategySummary> RunsOf(const PaperScenario& paper) {
  std::vector<StrategySummary> summaries;
  for (const PaperRow& row : paper.rows) {
    StrategySummary& summary =
        summaries.emplace_back(StrategySummary{.strategy = std::string(row.strategy)});
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      summary.outcomes.push_back(RunOf(paper, row, seed, 0.8 + 0.04 * double(seed)));
    }
    summary.runs = kRuns;
  }
  return summaries;
}

const Claim& ClaimOf(const std::vector<Claim>& claims, std::string_view text) {
  const auto claim = std::ranges::find_if(
      claims, [&](const Claim& one) { return one.subject + ": " + one.text == text; });
  EXPECT_NE(claim, claims.end()) << text;
  return *claim;
}

StrategySummary& Of(std::vector<StrategySummary>& summaries, std::string_view strategy) {
  return *std::ranges::find(summaries, strategy, &StrategySummary::strategy);
}

TEST(CheckClaims, HoldForThePapersNumbers) {
  // Columns of four strategies have six pairs, of two have one; each strategy reaches a target or
  // does not; the text has three or two claims of accuracy, and two of the number of devices in the
  // first scenario.
  const std::size_t expected[] = {3 + 2 + 2 * 4 + 2 * 6 + 2 * 1, 2 + 2 * 4 + 4 * 6};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto claims = CheckClaims(PaperScenarios()[i], RunsOf(PaperScenarios()[i]));
    EXPECT_EQ(claims.size(), expected[i]);
    for (const Claim& claim : claims)
      EXPECT_EQ(claim.verdict, Verdict::kYes) << claim.subject << ": " << claim.text;
  }
}

// Where the numbers of two strategies are exchanged, each claim that tells them apart fails.
TEST(CheckClaims, FailForOtherNumbers) {
  for (const PaperScenario& paper : PaperScenarios()) {
    const auto runs = RunsOf(paper);
    std::vector<bool> has_failed(CheckClaims(paper, runs).size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t j = 0; j < runs.size(); ++j) {
        auto changed = runs;
        std::swap(changed[i].outcomes, changed[j].outcomes);
        for (RunOutcome& run : changed[i].outcomes) run.participants += 2;
        const auto claims = CheckClaims(paper, changed);
        for (std::size_t k = 0; k < claims.size(); ++k) {
          if (claims[k].verdict == Verdict::kNo) has_failed[k] = true;
        }
      }
    }
    const auto claims = CheckClaims(paper, runs);
    for (std::size_t k = 0; k < claims.size(); ++k) {
      const bool is_reached = claims[k].text.find(" reaches ") != std::string::npos;
      EXPECT_TRUE(has_failed[k] || is_reached) << claims[k].subject << ": " << claims[k].text;
    }
  }
}

TEST(CheckClaims, TheRatioHasAnIntervalOverPairs) {
  const PaperScenario& paper = PaperScenarios()[0];
  auto runs = RunsOf(paper);
  const std::string_view text = "time to 59 %: deterministic < equally-weighted";
  // The fleets are quicker or slower for both alike, so that pairs differ by the same ratio.
  const Claim same = ClaimOf(CheckClaims(paper, runs), text);
  EXPECT_NEAR(same.ours->low, 5, 1e-12);
  EXPECT_NEAR(same.ours->high, 5, 1e-12);
  EXPECT_EQ(*same.paper, 5);
  EXPECT_EQ(same.runs, kRuns);
  // Half of the pairs have e times this ratio and half 1/e of it: the logarithms have the mean
  // ln 5 and the deviation sqrt(10/9), and t for 9 degrees of freedom is 2.2622.
  for (std::size_t i = 0; i < kRuns; ++i) {
    auto& at = Of(runs, "equally-weighted").outcomes[i].evaluations[0];
    at.time_s *= i % 2 == 0 ? std::exp(1.0) : std::exp(-1.0);
  }
  const Claim wide = ClaimOf(CheckClaims(paper, runs), text);
  const double half = 2.262157 * std::sqrt(10.0 / 9) / std::sqrt(10.0);
  EXPECT_NEAR(wide.ours->low, 5 * std::exp(-half), 1e-5);
  EXPECT_NEAR(wide.ours->high, 5 * std::exp(half), 1e-4);
  EXPECT_EQ(wide.verdict, Verdict::kYes);
}

TEST(CheckClaims, OnePairOrNoneTellsNothing) {
  const PaperScenario& paper = PaperScenarios()[1];
  auto runs = RunsOf(paper);
  for (StrategySummary& summary : runs) summary.outcomes.resize(1);
  for (const Claim& claim : CheckClaims(paper, runs)) {
    EXPECT_EQ(claim.verdict, Verdict::kCannotTell) << claim.subject << ": " << claim.text;
  }
  // Seeds that only one of two strategies has make no pair.
  runs = RunsOf(paper);
  for (RunOutcome& run : Of(runs, "uniform").outcomes) run.seed += 100;
  const Claim claim = ClaimOf(CheckClaims(paper, runs), "time to 70 %: probabilistic < uniform");
  EXPECT_EQ(claim.verdict, Verdict::kCannotTell);
  EXPECT_EQ(claim.runs, 0U);
}

// A run that misses a target would have taken at least the whole of it.
TEST(CheckClaims, AVerdictHoldsWhateverTheMissingRunsWouldHaveTaken) {
  const PaperScenario& paper = PaperScenarios()[1];
  const std::string_view text = "time to 86 %: deterministic < probabilistic";
  const auto verdict = [&](const std::vector<StrategySummary>& runs) {
    return ClaimOf(CheckClaims(paper, runs), text).verdict;
  };
  const auto lose = [](RunOutcome& run) {
    for (EvaluatedRound& at : run.evaluations) at.accuracy = 0.5;
  };
  // The slower one misses it: it is still slower, and there is no upper end.
  auto runs = RunsOf(paper);
  lose(Of(runs, "probabilistic").outcomes[0]);
  EXPECT_EQ(verdict(runs), Verdict::kYes);
  const Claim claim = ClaimOf(CheckClaims(paper, runs), text);
  EXPECT_EQ(claim.missed, 1U);
  EXPECT_TRUE(std::isinf(claim.ours->high));
  // One quicker run misses it: nobody knows whether it would have been the quicker one.
  runs = RunsOf(paper);
  lose(Of(runs, "deterministic").outcomes[0]);
  EXPECT_EQ(verdict(runs), Verdict::kCannotTell);
  // All of them miss it, after more time than the others needed: the claim is wrong.
  runs = RunsOf(paper);
  for (RunOutcome& run : Of(runs, "deterministic").outcomes) lose(run);
  EXPECT_EQ(verdict(runs), Verdict::kNo);
  // All of them end before the others get there.
  for (RunOutcome& run : Of(runs, "deterministic").outcomes) run.time_s = 1;
  EXPECT_EQ(verdict(runs), Verdict::kCannotTell);
}

TEST(DistanceFrom, IsZeroFromThePaperItself) {
  PaperDistance distance;
  for (const PaperScenario& paper : PaperScenarios()) {
    std::vector<StrategySummary> ours;
    for (const PaperRow& row : paper.rows) {
      // The whole run has the joules per second of the first target.
      StrategySummary summary{.strategy = std::string(row.strategy), .runs = 10};
      summary.time_s = {10, *row.time_s[0], 0};
      summary.energy_j = {10, *row.energy_j[0], 0};
      for (int i = 0; i < 2; ++i) {
        summary.targets.push_back(
            {.target = paper.targets[i],
             .first = {.reached = row.time_s[i] ? 10U : 0U,
                       .time_s = {10, row.time_s[i].value_or(summary.time_s.mean), 0},
                       .energy_j = {10, row.energy_j[i].value_or(summary.energy_j.mean), 0}}});
      }
      ours.push_back(std::move(summary));
    }
    distance += DistanceFrom(paper, ours);
    // Twice the time of one cell is ln 2 of distance, and one that is missed is counted.
    ours[1].targets[0].first.time_s.mean *= 2;
    ours[1].targets[0].first.reached = 4;
    const PaperDistance other = DistanceFrom(paper, ours);
    EXPECT_NEAR(other.log_sum, std::log(2), 1e-12);
    EXPECT_EQ(other.differing, 2U);
  }
  EXPECT_EQ(distance.cells, 28U);
  EXPECT_EQ(distance.all_cells, 32U);
  EXPECT_EQ(distance.log_sum, 0);
  EXPECT_EQ(distance.all_log_sum, 0);
  EXPECT_EQ(distance.differing, 0U);
  EXPECT_EQ(distance.strategies, 8U);
  // The paper's joules per second at its two targets differ by less than 1.5 %.
  EXPECT_LT(distance.power_log_sum / 8, 0.015);
}

}  // namespace
}  // namespace airlot
