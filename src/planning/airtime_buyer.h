// An AirtimeBuyer is one device of an airtime plan, and what it buys at a price of a second.
#ifndef AIRLOT_PLANNING_AIRTIME_BUYER_H_
#define AIRLOT_PLANNING_AIRTIME_BUYER_H_

#include <cstddef>

#include "airlot/airtime.h"
#include "planning/device.h"

namespace airlot::planning {

// AirtimeBought is what a device does: it takes part with a probability and sends u nats per second
// and hertz.
struct AirtimeBought {
  double probability = 0, nats = 0;
};

class AirtimeBuyer {
 public:
  AirtimeBuyer(const AirtimeProblem& problem, std::size_t device);

  // Returns what the device buys at a price μ > 0 of a second. (A6) to (A9)
  AirtimeBought At(double price) const;

  double UploadTime(double nats) const { return device_.nat_time_s / nats; }
  // Returns the energy of taking part, e(u), and the time that it costs, joules included, C(u).
  double Energy(double nats) const;
  double Cost(double nats) const;
  double added_s() const { return added_s_; }
  const Device& device() const { return device_; }
  // Returns the lowest price at which nothing changes any more, and the highest; for a start.
  double weight() const { return weight_; }
  double free_nats() const { return free_nats_; }
  bool can_take_part() const { return most_ > 0; }

 private:
  double BudgetWorth(double nats) const;
  double NatsOfEnergy(double energy_j) const;

  Device device_;
  double weight_, fairness_, price_s_per_j_, added_s_, least_, most_;
  double cheapest_nats_ = 0;  // u_0, 0 without circuit power
  double free_nats_ = 0;      // u of the least cost
  double free_cost_s_ = 0, free_energy_j_ = 0;
  double most_nats_ = 0, least_nats_ = 0;  // u at which the budget pays for just a_most, a_least
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_AIRTIME_BUYER_H_
