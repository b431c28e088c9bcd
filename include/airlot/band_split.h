// The band of a cell, split over its devices so that most of them take part (docs/bandwidth.md):
//
//   maximise Σ w_i·a_i(B_i)   s.t.   Σ B_i <= B,   B_i >= 0,
//
// where a_i(B_i) is the largest probability (12) that device i reaches in a band B_i.
#ifndef AIRLOT_BAND_SPLIT_H_
#define AIRLOT_BAND_SPLIT_H_

#include <cstddef>

#include "airlot/column.h"
#include "airlot/planning.h"
#include "airlot/result.h"

namespace airlot {

struct BandProblem {
  PlanningProblem problem;  // its noise_to_gain_w is that in `own_bandwidth_hz`, as is nat_time_s
  ColumnView own_bandwidth_hz;  // > 0
  ColumnView update_bits;       // S, > 0
  ColumnView weight = 1.0;      // w, >= 0
  double total_bandwidth_hz = 0;
  bool noise_grows_with_band = false;  // the noise is a density, else a power that any band has
};

// Names the first value that is not allowed, and what sharing does not know: computation time in
// the limit, deadlines. The others expect a problem that passed.
Status Validate(const BandProblem& problem);

struct BandSplit {
  Values bandwidth_hz;     // by device; 0: it is not worth a band, and does not take part
  double value = 0;        // Σ w·a
  double equal_value = 0;  // of the equal split
  double bound = 0;        // no split reaches more
  double price = 0;        // what another hertz would add to `value`
};

// The best split. Its value is within 1e-9 of the bound, relative, and never below the equal
// split's. The bands add up to no more than the total. The same for any number of threads.
BandSplit ShareBandwidth(const BandProblem& problem, int threads = 1);

// And whether `block_hz` is at most the total, and not so small that its blocks cannot be counted.
Status ValidateBlocks(const BandProblem& problem, double block_hz);

// The best split into whole blocks, as many as fit into the total; a device may have several, or
// none. The bound is that of bands of any size, and so is the equal split, which may have more
// value than blocks that are too few.
BandSplit ShareBlocks(const BandProblem& problem, double block_hz, int threads = 1);

// The noise-to-gain and the nat time of a device in a band of its own.
double NoiseToGainIn(const BandProblem& problem, std::size_t device, double bandwidth_hz);
// The nat time is infinite where the device has no samples.
double NatTimeIn(const BandProblem& problem, std::size_t device, double bandwidth_hz);

// Σ w·a of any split, by the ordinary planner. A device with a band of 0 has a = 0.
double ValueOf(const BandProblem& problem, const ColumnView& bandwidth_hz, int threads = 1);

}  // namespace airlot

#endif  // AIRLOT_BAND_SPLIT_H_
