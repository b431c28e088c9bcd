// Runs of two strategies with the same seed have the same fleet, channel and data, so that they are
// compared pair by pair. (docs/verdicts.md)
#ifndef AIRLOT_REPORT_PAIRED_H_
#define AIRLOT_REPORT_PAIRED_H_

#include <cstddef>
#include <span>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/report.h"

namespace airlot::report {

// A SeedPair has the runs of two strategies with the same seed.
struct SeedPair {
  const RunOutcome* first;
  const RunOutcome* second;
};
std::vector<SeedPair> PairsOf(const StrategySummary& first, const StrategySummary& second);

// A Cost is what is compared of a run at a target, and of the whole of a run that missed it.
struct Cost {
  double EvaluatedRound::*at;
  double RunOutcome::*whole;
};
inline constexpr Cost kTimeCost = {&EvaluatedRound::time_s, &RunOutcome::time_s};
inline constexpr Cost kEnergyCost = {&EvaluatedRound::energy_j, &RunOutcome::energy_j};

// Differences are one for each pair, of which each lies between two bounds. A bound that is not
// finite is not known.
struct Differences {
  std::vector<double> lower, upper;
  std::size_t missed = 0;  // number of pairs in which a run did not reach the target
};
// Returns the logarithms of how many times as much the second of each pair takes as the first. A
// run that missed the target would have taken at least the whole of it, and nobody knows how much
// more. `reached` is FirstReached or HeldFrom. (V2)
Differences LogRatios(std::span<const SeedPair> pairs, const Cost& cost, double target,
                      const EvaluatedRound* (*reached)(const RunOutcome&, double) = FirstReached);

// Returns a 95 % interval of the mean of differences that are known to lie between two bounds each:
// its low end is that of the lower bounds, its high end that of the upper ones. An end that is not
// known is infinite; one pair gives no interval. (V3)
Interval IntervalOf(std::span<const double> lower, std::span<const double> upper);

// Returns the accuracy of the last evaluation, or 0.
double LastAccuracyOf(const RunOutcome& run);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PAIRED_H_
