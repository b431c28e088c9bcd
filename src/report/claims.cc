// This file judges what the paper claims by our runs, seed by seed. (docs/verdicts.md)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "airlot/report.h"
#include "report/numbers.h"
#include "report/paired.h"
#include "report/statistics.h"
#include "report/summaries.h"

namespace airlot {
namespace {

using report::FindSummary;

using report::IntervalOf;
using report::SeedPair;

std::vector<SeedPair> PairsOf(std::span<const StrategySummary> summaries, std::string_view first,
                              std::string_view second) {
  const StrategySummary *one = FindSummary(summaries, first),
                        *other = FindSummary(summaries, second);
  if (one == nullptr || other == nullptr) return {};
  return report::PairsOf(*one, *other);
}

Verdict VerdictOf(const Interval& interval) {
  if (interval.low > 0) return Verdict::kYes;
  if (interval.high < 0) return Verdict::kNo;
  return Verdict::kCannotTell;
}

// A PaperColumn is what a table of the paper has of a strategy at a target.
struct PaperColumn {
  std::string_view name;
  report::Cost cost;
  const std::optional<double> (PaperRow::*paper)[2];
};
constexpr PaperColumn kTime = {"time", report::kTimeCost, &PaperRow::time_s};
constexpr PaperColumn kEnergy = {"energy", report::kEnergyCost, &PaperRow::energy_j};

// Judges whether the first strategy takes less than the second one to a target. (V2), (V3)
Claim TakesLess(const PaperScenario& paper, std::size_t target, const PaperColumn& column,
                const PaperRow& less, const PaperRow& more, std::span<const StrategySummary> ours) {
  Claim claim{.subject = fmt::format("{} to {:.0f} %", column.name, 100 * paper.targets[target]),
              .text = fmt::format("{} < {}", less.strategy, more.strategy),
              .paper = *(more.*column.paper)[target] / *(less.*column.paper)[target]};
  const report::Differences differences = report::LogRatios(
      PairsOf(ours, less.strategy, more.strategy), column.cost, paper.targets[target]);
  claim.runs = differences.lower.size();
  claim.missed = differences.missed;
  if (claim.runs == 0) return claim;
  const Interval interval = IntervalOf(differences.lower, differences.upper);
  claim.verdict = VerdictOf(interval);
  claim.ours = {std::exp(interval.low), std::exp(interval.high)};
  return claim;
}

// Judges whether most runs, more than half of all that there could be, reach a target or miss it.
// (V4)
Claim MostRuns(const PaperScenario& paper, std::size_t target, const PaperRow& row,
               std::span<const StrategySummary> ours) {
  const bool is_reached = row.time_s[target].has_value();
  Claim claim{.subject = fmt::format("{:.0f} % in most runs", 100 * paper.targets[target]),
              .text = fmt::format("{} {} it", row.strategy, is_reached ? "reaches" : "misses"),
              .unit = "%"};
  const StrategySummary* summary = FindSummary(ours, row.strategy);
  if (summary == nullptr || summary->outcomes.empty()) return claim;
  std::size_t reached = 0;
  for (const RunOutcome& run : summary->outcomes) {
    if (FirstReached(run, paper.targets[target]) != nullptr) ++reached;
  }
  claim.runs = summary->outcomes.size();
  claim.missed = claim.runs - reached;
  const auto share = report::IntervalOfShare(reached, claim.runs);
  claim.ours = {100 * share.low, 100 * share.high};
  const Interval beyond_half{share.low - 0.5, share.high - 0.5};
  claim.verdict =
      VerdictOf(is_reached ? beyond_half : Interval{-beyond_half.high, -beyond_half.low});
  return claim;
}

// Returns the accuracy of the last evaluation by this time.
double AccuracyBy(const RunOutcome& run, double time_s) {
  double accuracy = 0;
  for (const EvaluatedRound& one : run.evaluations) {
    if (one.time_s <= time_s) accuracy = one.accuracy;
  }
  return accuracy;
}

Claim OfDifferences(std::string_view subject, std::string text, std::string_view unit,
                    std::span<const double> differences) {
  Claim claim{.subject = std::string(subject),
              .text = std::move(text),
              .unit = unit,
              .runs = differences.size()};
  if (differences.empty()) return claim;
  claim.ours = IntervalOf(differences, differences);
  claim.verdict = VerdictOf(*claim.ours);
  return claim;
}

Claim EndsMoreAccurate(std::string_view more, std::string_view less,
                       std::span<const StrategySummary> ours) {
  std::vector<double> points;
  for (const SeedPair& pair : PairsOf(ours, more, less)) {
    points.push_back(100 *
                     (report::LastAccuracyOf(*pair.first) - report::LastAccuracyOf(*pair.second)));
  }
  return OfDifferences("accuracy at the end", fmt::format("{} > {}", more, less), "points", points);
}

// The paper draws accuracy against time. Runs of one seed are compared where the shorter one ends.
Claim IsMoreAccurateInTime(std::string_view more, std::string_view less,
                           std::span<const StrategySummary> ours) {
  std::vector<double> points;
  for (const SeedPair& pair : PairsOf(ours, more, less)) {
    const double time_s = std::min(pair.first->time_s, pair.second->time_s);
    points.push_back(100 * (AccuracyBy(*pair.first, time_s) - AccuracyBy(*pair.second, time_s)));
  }
  return OfDifferences("accuracy in equal time", fmt::format("{} > {}", more, less), "points",
                       points);
}

// Judges whether two strategies take equally many devices in a round, but for half of one, by
// which a whole number can differ from the expected number.
Claim TakesAsMany(std::string_view one, std::string_view other,
                  std::span<const StrategySummary> ours) {
  std::vector<double> devices;
  for (const SeedPair& pair : PairsOf(ours, one, other)) {
    devices.push_back(pair.second->participants - pair.first->participants);
  }
  Claim claim =
      OfDifferences("devices in a round", fmt::format("{} = {}", one, other), "devices", devices);
  if (!claim.ours) return claim;
  constexpr double kHalf = 0.5;
  const bool is_same = claim.ours->low >= -kHalf && claim.ours->high <= kHalf;
  const bool is_other = claim.ours->low > kHalf || claim.ours->high < -kHalf;
  claim.verdict = is_same ? Verdict::kYes : is_other ? Verdict::kNo : Verdict::kCannotTell;
  return claim;
}

// Adds what a column of a table says: the order of each two strategies, the quickest first.
void AddOrders(const PaperScenario& paper, std::size_t target, const PaperColumn& column,
               std::span<const StrategySummary> ours, std::vector<Claim>& claims) {
  std::vector<const PaperRow*> rows;
  for (const PaperRow& row : paper.rows) {
    if ((row.*column.paper)[target]) rows.push_back(&row);
  }
  std::ranges::sort(rows, {}, [&](const PaperRow* row) { return *(row->*column.paper)[target]; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      claims.push_back(TakesLess(paper, target, column, *rows[i], *rows[j], ours));
    }
  }
}

// Returns an end of an interval; what is infinite is not known.
std::string End(double value) { return std::isfinite(value) ? report::Short(value) : "?"; }

std::string OursText(const Claim& claim) {
  if (!claim.ours) return "-";
  std::string text = fmt::format("{} to {}", End(claim.ours->low), End(claim.ours->high));
  if (!claim.unit.empty()) text += fmt::format(" {}", claim.unit);
  if (claim.missed > 0) text += fmt::format(" [{} missed]", claim.missed);
  return text;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"yes", "no", "cannot tell"};
  return kNames[std::size_t(verdict)];
}

std::vector<Claim> CheckClaims(const PaperScenario& paper, std::span<const StrategySummary> ours) {
  std::vector<Claim> claims;
  const bool is_first = paper.name == PaperScenarios()[0].name;
  if (is_first) {
    claims = {EndsMoreAccurate("probabilistic", "deterministic", ours),
              EndsMoreAccurate("probabilistic", "equally-weighted", ours),
              IsMoreAccurateInTime("probabilistic", "uniform", ours),
              TakesAsMany("probabilistic", "deterministic", ours),
              TakesAsMany("probabilistic", "equally-weighted", ours)};
  } else {
    claims = {EndsMoreAccurate("probabilistic", "equally-weighted", ours),
              EndsMoreAccurate("deterministic", "equally-weighted", ours)};
  }
  for (std::size_t target = 0; target < 2; ++target) {
    for (const PaperRow& row : paper.rows) claims.push_back(MostRuns(paper, target, row, ours));
    AddOrders(paper, target, kTime, ours, claims);
    AddOrders(paper, target, kEnergy, ours, claims);
  }
  return claims;
}

std::string DrawClaims(std::span<const Claim> claims, const TableStyle& style) {
  std::string text;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    if (rows.empty()) rows.push_back({claim.subject, "holds", "ours, 95 %", "paper"});
    rows.push_back({claim.text, std::string(VerdictName(claim.verdict)), OursText(claim),
                    claim.paper ? report::Short(*claim.paper) : ""});
    if (i + 1 < claims.size() && claims[i + 1].subject == claim.subject) continue;
    text += DrawTable(rows, style);
    rows.clear();
  }
  return text;
}

std::vector<std::vector<std::string>> ClaimRows(std::span<const Claim> claims) {
  std::vector<std::vector<std::string>> rows{{"the paper says", "holds", "ours, 95 %", "paper"}};
  for (const Claim& claim : claims) {
    rows.push_back({fmt::format("{}: {}", claim.subject, claim.text),
                    std::string(VerdictName(claim.verdict)), OursText(claim),
                    claim.paper ? report::Short(*claim.paper) : ""});
  }
  return rows;
}

}  // namespace airlot
