// An AirtimeBuyer is one device of an airtime plan, and what it buys at a price of a second.
//
// It is written plainly, with bisections and the mathematics library: the reference that the
// vectorised solver is tested against.
#ifndef AIRLOT_PLANNING_AIRTIME_BUYER_H_
#define AIRLOT_PLANNING_AIRTIME_BUYER_H_

#include <cstddef>

#include "airlot/airtime.h"
#include "planning/device.h"

namespace airlot::planning {

// AirtimeBought is what a device does: it takes part with a probability and sends u nats per second
// and hertz.
struct AirtimeBought {
  double probability = 0, nats = 1;
};

class AirtimeBuyer {
 public:
  AirtimeBuyer(const AirtimeProblem& problem, std::size_t device);

  // Returns what the device buys at a price of a second, maybe 0 or infinite, given by its
  // logarithm. (A6) to (A9)
  AirtimeBought At(double log_price) const;
  // Returns a plan that is slowed down to where a joule is worth so many seconds more. (A13)
  AirtimeBought SlowedDown(const AirtimeBought& bought, double extra_price_s_per_j) const;

  double UploadTime(double nats) const { return device_.nat_time_s / nats; }
  // Returns t + r.
  double Time(double nats) const { return UploadTime(nats) + added_s_; }
  // Returns P, and the cap itself at the cap.
  double Power(double nats) const;

 private:
  double Energy(double nats) const;            // e(u)
  double LogBudgetWorth(double nats) const;    // ln R(u) of (A9)
  double NatsOfEnergy(double energy_j) const;  // u in [u_0, u_free] at which e is this
  double FreeNats(double price_s_per_j) const;

  Device device_;
  double weight_, fairness_, price_s_per_j_, efficiency_, added_s_, least_, most_;
  bool is_power_limited_;
  double top_nats_ = 1;                    // where the power or the spectral efficiency ends
  double cheapest_nats_ = 0;               // u_0, 0 without circuit power
  double free_nats_ = 1;                   // u of the least cost
  double most_nats_ = 1, least_nats_ = 1;  // u at which the budget pays for just a_most, a_least
};

// Solves the problem by bisection of the price: as `SolveAirtime`, but slowly.
AirtimePlan SolveAirtimePlainly(const AirtimeProblem& problem);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_AIRTIME_BUYER_H_
