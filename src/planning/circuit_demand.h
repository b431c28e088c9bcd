// A CircuitDemand is the band that a device buys at a price per hertz where its radio draws circuit
// power: the inner problem of docs/bandwidth.md by the scalar planner, one device at a time.
#ifndef AIRLOT_PLANNING_CIRCUIT_DEMAND_H_
#define AIRLOT_PLANNING_CIRCUIT_DEMAND_H_

#include <cstddef>

#include "airlot/band_split.h"
#include "planning/device.h"

namespace airlot::planning {

// A device that sends more nats per second and hertz than this needs no band worth the name.
inline constexpr double kMostCircuitNats = 80;

class CircuitDemand {
 public:
  CircuitDemand(const BandProblem& problem, std::size_t i);

  double weight() const { return weight_; }
  // Returns the price above which the device buys nothing. A device that never buys has -1 as in
  // the column of that name, which no price is below.
  double choke_price() const { return choke_price_; }
  // Returns the band with which the device has all that it can use, and infinity where more always
  // helps.
  double saturated_hz() const { return saturated_hz_; }

  // Returns the band at a price up to the choke price: all of it that is worth the price.
  double BandAt(double price) const;
  // Returns w·a(B).
  double Value(double bandwidth_hz) const;

 private:
  Device In(double bandwidth_hz) const;
  double Slope(double bandwidth_hz) const;  // w·a'(B), (B10)
  // Returns the last band whose `excess`, which falls, is not negative.
  template <class Excess>
  double LastBand(const Excess& excess) const;

  Device device_;  // its noise is that in one hertz, where noise is a density
  bool is_density_;
  double nats_, weight_;
  double least_hz_, most_hz_;  // the planner computes with the bands in between
  double choke_price_ = -1, saturated_hz_ = 0;
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_CIRCUIT_DEMAND_H_
