// The airtime plan divides the time of a round among those who take part in it, one after another
// in the whole band (docs/airtime.md).
//
// It solves, over the probabilities a and the nats u that devices send per second and hertz, (A4),
//
//   maximise Σ w·U(a)   s.t.   Σ a·(t(u) + r + ν·e(u)) <= a goal,   a·e(u) <= E^max,
//                              P(u) <= P^max,   u <= ρ·ln 2,   a_least <= a <= a_most,
//
// with t(u) = L/u the time of an upload in the whole band, e(u) the energy of taking part, and
// U(a) = a^(1-φ)/(1-φ), or log a for φ = 1. One price of a second decouples the devices.
#ifndef AIRLOT_AIRTIME_H_
#define AIRLOT_AIRTIME_H_

#include <cstddef>

#include "airlot/column.h"
#include "airlot/planning.h"
#include "airlot/result.h"

namespace airlot {

// AirtimeGoal says what the price is found for.
enum class AirtimeGoal : std::uint8_t {
  kTime,          // Σ a·(t + r) = `seconds`, the expected time of a round in turns
  kParticipants,  // Σ a = `participants`
};

// An AirtimeProblem is one round to plan. Columns hold one value per device or one for all.
struct AirtimeProblem {
  // The devices in the whole band: g and L are those that each has if it sends alone. Its time rule
  // must be kExpected; of its time limits and computation times nothing is used.
  PlanningProblem devices;
  AirtimeGoal goal = AirtimeGoal::kTime;
  double seconds = 0;       // > 0
  double participants = 0;  // > 0
  double fairness = 1;      // φ >= 0
  ColumnView weight = 1.0;  // w > 0
  ColumnView energy_price_s_per_j = 0.0;     // ν >= 0, the seconds that a joule is worth
  ColumnView added_time_s = 0.0;             // r, beside the upload; t + r + ν·e must be > 0
  ColumnView least_probability = 0.0;        // where the budget allows it
  ColumnView most_probability = 1.0;         // in [0, 1]
  bool is_power_limited = true;  // P <= P^max in the whole band
};

// AirtimePlan is a plan whose powers are those in the whole band.
struct AirtimePlan {
  Plan plan;
  ColumnValues upload_s;   // t, 0 where the probability is 0
  double price = 0;        // μ, what a second is worth; 0 where there is time to spare
  double seconds = 0;      // Σ a·(t + r)
  double participants = 0; // Σ a
};

AirtimePlan SolveAirtime(const AirtimeProblem& problem, int threads = 1);

}  // namespace airlot

#endif  // AIRLOT_AIRTIME_H_
