// These functions share the band of a cell among devices that send at the same time.
//
// All formulas are in y, the nats per second that a device sends in each Hz: c nats (c = S·ln 2)
// take the time t in the band c / (t·y). What y must be follows from an equation of Lambert's W;
// each is solved by Newton's method on its logarithm, which is convex or concave, so that the steps
// go one way from the start given and end, for any argument.
#ifndef AIRLOT_PLANNING_CONCURRENT_UPLOADS_H_
#define AIRLOT_PLANNING_CONCURRENT_UPLOADS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "airlot/cell.h"

namespace airlot::planning {

// Returns the y > 0 with (e^y - 1)/y = exp(log_value), log_value > 0: the branch W_-1. (S11)
double NatsOfPower(double log_value);
// Returns the y > 0 with 1 + (y - 1)·e^y = exp(log_value): y = 1 + W_0((exp(log_value) - 1)/e).
// (S13)
double NatsOfPrice(double log_value);
// Returns the y > 0 with y²·e^y = exp(log_value): y = 2·W_0(exp(log_value/2)/2). (S13)
double NatsOfPriceFixedNoise(double log_value);

// Returns the y of the least band in which a device can send its update in this time, at this power
// and within the spectral-efficiency cap, and 0 where no band is enough. (S11)
double LeastBandNats(const Cell& cell, std::size_t device, double power_w, double upload_s);
// Returns the least band that LeastBandNats is about, and infinity where none is enough.
double LeastBand(const Cell& cell, std::size_t device, double power_w, double upload_s);

// A CommonFinish has bands in which all devices finish at the same time, computation included.
struct CommonFinish {
  double finish_s = 0;
  std::vector<double> bandwidth_hz;  // one for each of the devices; they add up to the cell's band
};
// Finds the least time in which all devices can finish:
//
//   min T   s.t.   T^c_i + T_i(b_i) <= T,   Σ b_i <= B,
//
// with T_i(b) the upload time at `power_w` (a column of the cell's devices). Each band that a
// device needs falls with T, so the root of Σ b_i(T) = B is the only one. (S12)
CommonFinish FinishTogether(const Cell& cell, std::span<const std::uint32_t> devices,
                            const ColumnView& power_w);

// A TimedUpload says what a device would do with a band that has a price, if its upload has to last
// a given time.
class TimedUpload {
 public:
  TimedUpload(const Cell& cell, std::size_t device, double upload_s);

  bool is_possible() const { return most_nats_ > 0; }  // P^max is enough in some band
  double most_nats() const { return most_nats_; }      // y at P^max or ρ
  // Returns the y of the band at which a Hz more saves exactly the price, in J/Hz, or of the least
  // band if that is wider. (S13)
  double NatsAt(double log_price) const;
  double LogPriceOf(double nats) const;  // the inverse of NatsAt
  double BandOf(double nats) const { return nats_ / (upload_s_ * nats); }

 private:
  bool is_density_;
  double nats_, upload_s_, most_nats_, log_scale_ = 0;
};

// LeastEnergy has bands and powers of least energy.
struct LeastEnergy {
  double energy_j = 0;                        // energy of all uploads
  std::vector<double> bandwidth_hz, power_w;  // one for each of the devices
};
// Minimises the energy with each upload lasting its `upload_s` (one for each of the devices):
//
//   min Σ P_i·t_i   s.t.   Σ b_i <= B,   P_i <= P^max,   y_i <= ρ·ln 2.
//
// An energy is convex in its band, so the optimum has a price μ of a Hz: every band is that at
// which a Hz more would save μ, or the least that P^max and ρ need if that is larger. Returns
// nothing where P^max is not enough in the cell's band. (S14)
std::optional<LeastEnergy> LeastEnergyBands(const Cell& cell,
                                            std::span<const std::uint32_t> devices,
                                            std::span<const double> upload_s);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_CONCURRENT_UPLOADS_H_
