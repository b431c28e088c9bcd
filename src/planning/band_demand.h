// This header finds what band each device of a fleet buys at a price per hertz: it is the inner
// problem of docs/bandwidth.md, max over B of w·a(B) - ν·B, for many devices at once, vectorised.
#ifndef AIRLOT_PLANNING_BAND_DEMAND_H_
#define AIRLOT_PLANNING_BAND_DEMAND_H_

#include <cstddef>
#include <span>
#include <vector>

#include "airlot/band_split.h"
#include "airlot/column.h"
#include "planning/circuit_demand.h"

namespace airlot::planning {

// Columns are padded to a multiple of this with devices that buy nothing.
inline constexpr std::size_t kBuyersPadding = 16;

// BandBuyers are the devices in the terms of docs/bandwidth.md, (B4) to (B8).
struct BandBuyers {
  std::size_t devices = 0;  // number of devices without padding
  bool is_density = false;
  ColumnValues band_scale;   // k: a device with probability a at u nats/s/Hz needs a band k·a/u
  ColumnValues price_scale;  // k/w, which times the price is p, in nats/s/Hz
  // Above this price a device buys nothing. A device that never buys has -1, which no price is
  // below, so that the kernels ask nothing else of it.
  ColumnValues choke_price;
  ColumnValues top;      // the largest u
  ColumnValues full;     // u where a = 1; 0: a is 1 nowhere
  ColumnValues budget;   // b, or α_E for a density
  ColumnValues compute;  // γ, or κ for a density
  // These columns are for a density only.
  ColumnValues power;       // α_P
  ColumnValues kink;        // u_x: below it energy limits the device, above it power
  ColumnValues kink_slope;  // largest p at which it stays at most at the kink
  // With circuit power the devices are these, and of the columns only `choke_price` is used.
  std::vector<CircuitDemand> circuits;

  double Weight(std::size_t i) const {
    return circuits.empty() ? band_scale[i] / price_scale[i] : circuits[i].weight();
  }
  // Returns the band with which a device has all that it can use, maybe infinite, and 0 where it
  // buys nothing.
  double SaturatedBand(std::size_t i) const;
};

BandBuyers MakeBandBuyers(const BandProblem& problem, int threads);
// Returns every `stride`-th device of the fleet; where there is a team, every member has those of
// all.
BandBuyers EveryNth(const BandBuyers& fleet, std::size_t stride, const Hands& hands);

struct Demand {
  double least_hz = 0;  // what all buy, those included for whom it is all the same
  double most_hz = 0;   // what those buy, too, for whom it is all the same
  double surplus = 0;   // Σ w·a - ν·B, the most that is possible at this price
  double next_choke_above = 0, next_choke_below = 0;  // infinity, 0: there is none
};
// Returns the demand of the fleet; where there is a team, that of the devices of all members.
Demand DemandAt(const BandBuyers& fleet, double price, const Hands& hands);

// Computes the bands bought at a price, into `bandwidth_hz` of as many values as the columns have.
void BandsAt(const BandBuyers& fleet, double price, bool with_tied, std::span<double> bandwidth_hz,
             int threads);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_BAND_DEMAND_H_
