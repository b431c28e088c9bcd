// The ways to split a band share these functions.
#ifndef AIRLOT_PLANNING_SPLIT_CONTINUOUS_H_
#define AIRLOT_PLANNING_SPLIT_CONTINUOUS_H_

#include <cstddef>
#include <span>

#include "airlot/band_split.h"

namespace airlot::planning {

// Says whether the planner accepts such a band: nat time and noise-to-gain are in its range
// (IsInput).
bool IsUsable(const BandProblem& problem, std::size_t device, double bandwidth_hz);

// Finds the optimum (12) of every device in its band, 0 where the band is not usable.
void ProbabilitiesIn(const BandProblem& problem, const ColumnView& bandwidth_hz,
                     std::span<double> probability, int threads);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_SPLIT_CONTINUOUS_H_
