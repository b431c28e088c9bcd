// This header finds what each device of a fleet buys at a price of a second: how often it takes
// part and how fast it sends. It is the inner problem of docs/airtime.md, for many devices at once,
// vectorised.
//
// In (A4) one price μ decouples the devices. As the price falls, a device goes through up to three
// stages. Above its knee price its budget does not bind: it sends at the u of the least cost, (A7),
// and takes part as (A6) says. Below, the budget is used up, a = E^max/e(u), (A8), and u is the
// root of (A9): the device sends ever slower in order to take part more often, until it takes part
// as often as it ever may. All that does not depend on the price is computed once.
#ifndef AIRLOT_PLANNING_AIRTIME_DEMAND_H_
#define AIRLOT_PLANNING_AIRTIME_DEMAND_H_

#include <cstddef>

#include "airlot/airtime.h"
#include "airlot/column.h"

namespace airlot::planning {

// Columns are padded to a multiple of this with devices that buy nothing.
inline constexpr std::size_t kAirtimePadding = 16;

// AirtimeBuyers are the devices of an airtime problem. Energies are in units of L·g, times in units
// of L, so that u alone is left: e = (e^u - 1 + p)/u + c.
struct AirtimeBuyers {
  std::size_t devices = 0;       // number of devices without padding
  std::size_t first_device = 0;  // of the fleet, where a team holds it
  std::size_t all_groups = 0;    // of kAirtimePadding devices, of the whole fleet
  AirtimeGoal goal = AirtimeGoal::kTime;
  double fairness = 1;  // φ
  bool has_circuits = false;

  ColumnValues noise_to_gain_w;  // g, with the SNR gap
  ColumnValues nat_time_s;       // L
  ColumnValues added;            // r/L, or empty where all are 0
  ColumnValues counted;          // the part of r/L that counts for the goal, likewise
  ColumnValues budget;           // b = E^max/(L·g)
  ColumnValues compute;          // c = E^c/(L·g)
  ColumnValues circuit;          // p = P^c/g, only with circuit power
  ColumnValues cheapest_nats;    // u_0, only with circuit power
  ColumnValues worth;            // w/L; divided by b^φ where φ is 1 or 2
  ColumnValues least;            // a_least, as far as the budget pays for it, (A14); maybe empty

  // Prices are logarithms unless φ is 0, 1 or 2, because a^-φ may be beyond all doubles.
  ColumnValues free_price;  // w/C(u_free): the price at which (A6) is 1
  ColumnValues knee_price;  // from here on u is `high_nats`; the least there is for all prices
  ColumnValues high_nats;   // the largest u that it ever sends at
  ColumnValues high_probability, high_time_s, high_power_w;  // a at the knee; time and P there
  ColumnValues most;                                         // the largest a
  // (e^u - 1 + p)/u at that u at which the budget pays for a_most, and 0 where it never does.
  ColumnValues most_ratio;

  ColumnValues nats;  // u when asked last, 0 before: the start of the next search for its root
};

// AirtimeTotals are sums over devices.
struct AirtimeTotals {
  double seconds = 0;       // Σ a·t, with what counts beside it
  double participants = 0;  // Σ a
  double slope = 0;  // derivative of that one which is the goal, in the logarithm of the price

  double Of(AirtimeGoal goal) const { return goal == AirtimeGoal::kTime ? seconds : participants; }
  AirtimeTotals& operator+=(const AirtimeTotals& part) {
    seconds += part.seconds;
    participants += part.participants;
    slope += part.slope;
    return *this;
  }
};

struct AirtimeEnds {
  AirtimeTotals least;        // where seconds cost more than anybody pays
  AirtimeTotals most_soon;    // not more than where they cost nothing
  double log_free_price = 0;  // mean of the logarithms, where to begin
};
// Computes the columns of `buyers`, whose memory is used again. Here and below, where there is a
// team, totals are those of the devices of all members.
AirtimeEnds Prepare(const AirtimeProblem& problem, AirtimeBuyers& buyers, const Hands& hands);

// Returns the totals at a price given by its logarithm, of every `stride`-th group of
// kAirtimePadding devices, the first included. With a stride of 1 they are those of the fleet. The
// relative error may be as large as the cube of `last_step`.
AirtimeTotals TotalsAt(AirtimeBuyers& buyers, double log_price, std::size_t stride,
                       double last_step, const Hands& hands);
// This step leaves no error but rounding.
inline constexpr double kExactStep = 3e-6;

// Plans each device at a price, which may be minus or plus infinity. Sets the columns of `plan`,
// and returns its totals.
AirtimeTotals PlanAt(AirtimeBuyers& buyers, double log_price, AirtimePlan& plan,
                     const Hands& hands);

// Returns the totals where seconds cost nothing and each device is slowed down, at the same
// probability, to where a joule is worth exp(log_extra_price) seconds more than in the problem,
// (A13). Where there is a `plan`, sets its columns.
AirtimeTotals SlowDown(const AirtimeProblem& problem, AirtimeBuyers& buyers, double log_extra_price,
                       AirtimePlan* plan, const Hands& hands);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_AIRTIME_DEMAND_H_
