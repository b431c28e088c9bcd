// This header splits the band of a cell over its devices so that most of them take part
// (docs/bandwidth.md):
//
//   maximise Σ w_i·a_i(B_i)   s.t.   Σ B_i <= B,   B_i >= 0,
//
// where a_i(B_i) is the largest probability (12) that device i reaches in a band B_i.
#ifndef AIRLOT_BAND_SPLIT_H_
#define AIRLOT_BAND_SPLIT_H_

#include <cstddef>

#include "airlot/cell.h"
#include "airlot/column.h"
#include "airlot/hands.h"
#include "airlot/result.h"

namespace airlot {

struct BandProblem {
  Cell cell;
  ColumnView weight = 1.0;  // w, >= 0
};

// Names the first value that is not allowed, or what sharing does not know: computation time in the
// limit, deadlines, and a total so narrow or so wide that a share of it is out of the planner's
// range (docs/bandwidth.md, (B16)). The functions below expect a problem that passed.
// Where the devices are a part of a fleet, `all_devices` is how many that has; 0: they are all.
Status Validate(const BandProblem& problem, std::size_t all_devices = 0);

struct BandSplit {
  ColumnValues bandwidth_hz;      // by device; 0: it is not worth a band, and does not take part
  double value = 0;               // Σ w·a
  double equal_value = 0;         // Σ w·a of the equal split
  double bound = 0;               // no split reaches more
  double price = 0;               // what another hertz would add to `value`
  double total_bandwidth_hz = 0;  // band of the whole cell; the bands given may add up to less
};

// Returns the best split. Its value is within 1e-9 of the bound, relative, and never below the
// equal split's. The bands add up to no more than the total. The result is the same for any number
// of threads.
// Where there is a team, here and below, the band is split among the devices of all members, each
// of which has the bands of its own.
BandSplit ShareBandwidth(const BandProblem& problem, const Hands& hands = 1);

// ValidateBlocks is Validate, and also checks that `block_hz` is at most the total and not so small
// that its blocks cannot be counted.
Status ValidateBlocks(const BandProblem& problem, double block_hz, std::size_t all_devices = 0);

// Returns the best split into whole blocks, as many as fit into the total; a device may have
// several, or none. The bound is that of bands of any size, and so is the equal split, which may
// have more value than blocks that are too few.
BandSplit ShareBlocks(const BandProblem& problem, double block_hz, const Hands& hands = 1);

// Returns Σ w·a of any split, by the ordinary planner. A device with a band of 0 has a = 0.
[[nodiscard]] double SplitValue(const BandProblem& problem, const ColumnView& bandwidth_hz,
                                const Hands& hands = 1);

}  // namespace airlot

#endif  // AIRLOT_BAND_SPLIT_H_
