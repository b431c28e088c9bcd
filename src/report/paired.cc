#include "report/paired.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/statistics.h"

namespace airlot::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool AreFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

std::vector<SeedPair> PairsOf(const StrategySummary& first, const StrategySummary& second) {
  std::vector<SeedPair> pairs;
  for (const RunOutcome& run : first.outcomes) {
    const auto partner = std::ranges::find(second.outcomes, run.seed, &RunOutcome::seed);
    if (partner != second.outcomes.end()) pairs.push_back({&run, &*partner});
  }
  return pairs;
}

Differences LogRatios(std::span<const SeedPair> pairs, const Cost& cost, double target,
                      const EvaluatedRound* (*reached)(const RunOutcome&, double)) {
  Differences differences;
  for (const SeedPair& pair : pairs) {
    const EvaluatedRound *first = reached(*pair.first, target),
                         *second = reached(*pair.second, target);
    const double of_first = first == nullptr ? pair.first->*cost.whole : first->*cost.at;
    const double of_second = second == nullptr ? pair.second->*cost.whole : second->*cost.at;
    const double difference = std::log(of_second) - std::log(of_first);
    differences.lower.push_back(first == nullptr ? -kInfinity : difference);
    differences.upper.push_back(second == nullptr ? kInfinity : difference);
    if (first == nullptr || second == nullptr) ++differences.missed;
  }
  return differences;
}

Interval IntervalOf(std::span<const double> lower, std::span<const double> upper) {
  Interval interval{-kInfinity, kInfinity};
  if (lower.size() < 2) return interval;
  if (AreFinite(lower)) interval.low = MeanBand(lower).low;
  if (AreFinite(upper)) interval.high = MeanBand(upper).high;
  return interval;
}

double LastAccuracyOf(const RunOutcome& run) {
  return run.evaluations.empty() ? 0 : run.evaluations.back().accuracy;
}

}  // namespace airlot::report
