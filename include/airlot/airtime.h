// The airtime plan divides the time of a round among those who take part in it, one after another
// in the whole band (docs/airtime.md).
//
// It solves, over the probabilities a and the nats u that devices send per second and hertz, (A4),
//
//   maximise Σ w·U(a)   s.t.   Σ a·(t(u) + r + ν·e(u)) <= Z,   a·e(u) <= E^max,
//                              P(u) <= P^max,   u <= ρ·ln 2,   a_least <= a <= a_most,
//
// with t(u) = L/u the time of an upload in the whole band, e(u) the energy of taking part, and
// U(a) = a^(1-φ)/(1-φ), or log a for φ = 1. One price of a second decouples the devices; it is
// chosen so that a goal is met, which then gives Z.
#ifndef AIRLOT_AIRTIME_H_
#define AIRLOT_AIRTIME_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "airlot/column.h"
#include "airlot/hands.h"
#include "airlot/planning.h"
#include "airlot/result.h"

namespace airlot {

// AirtimeGoal says what the price is found for.
enum class AirtimeGoal : std::uint8_t {
  kTime,          // Σ a·(t + `added_time_s`) = `seconds`, the expected time of a round in turns
  kParticipants,  // Σ a = `participants`
};

inline constexpr double kLargestFairness = 100;

// An AirtimeProblem is one round to plan. Columns hold one value per device or one for all.
struct AirtimeProblem {
  // The devices in the whole band: g and L are those that each has if it sends alone. Its time rule
  // must be kExpected; of its time limits and computation times nothing is used.
  PlanningProblem devices;
  AirtimeGoal goal = AirtimeGoal::kTime;
  double seconds = 0;                     // > 0
  double participants = 0;                // > 0
  double fairness = 1;                    // φ in [0, kLargestFairness]
  ColumnView weight = 1.0;                // w > 0
  ColumnView energy_price_s_per_j = 0.0;  // ν >= 0, the seconds that a joule is worth
  // r, the time of taking part beside the upload, has two parts: one that counts for the goal, and
  // one that only costs. t + r + ν·e must be > 0.
  ColumnView added_time_s = 0.0, priced_time_s = 0.0;
  ColumnView least_probability = 0.0;  // in [0, 1]; counts as far as the budget pays for it
  ColumnView most_probability = 1.0;   // in [0, 1]
  bool is_power_limited = true;        // P <= P^max in the whole band
};

// Names the first field that is not allowed. `SolveAirtime` expects a problem that passed.
Status Validate(const AirtimeProblem& problem);

// AirtimePlan is a plan whose powers are those in the whole band.
struct AirtimePlan {
  Plan plan;
  ColumnValues upload_s;  // t, 0 where the probability is 0
  // price is μ, what a second is worth. It is 0 where the goal does not bind, because everybody
  // takes part as often as possible; and infinite where not even the least probabilities meet it,
  // which the plan then has. For a large φ it may be beyond all doubles, but its logarithm is not.
  double price = 0;
  double log_price = -std::numeric_limits<double>::infinity();
  // Where the price is 0 and the goal a time, the time that is left saves energy: every device
  // sends as slowly as if a joule were worth so many seconds more. (A13)
  double extra_energy_price_s_per_j = 0;
  double seconds = 0;       // Σ a·(t + `added_time_s`)
  double participants = 0;  // Σ a
};

// Returns the optimal plan, whose bytes depend on nothing but the problem and the vector
// instructions. From φ = 0.1 on, probabilities and powers have a relative error of at most 1e-12;
// below, what rounding does to the price comes back in them 1/φ times. Where a price at which some
// devices jump (φ = 0) would leave time unused or take too much, the plans on both sides of it are
// mixed, (A12).
// Where there is a team, each member has the plan of its devices, with the price and the totals of
// all.
AirtimePlan SolveAirtime(const AirtimeProblem& problem, const Hands& hands = 1);

// An AirtimeSolver keeps its memory between problems, for a loop that plans every round anew. What
// it returns is what `SolveAirtime` does, whatever it solved before.
class AirtimeSolver {
 public:
  AirtimeSolver();
  ~AirtimeSolver();
  AirtimeSolver(AirtimeSolver&&) noexcept;
  AirtimeSolver& operator=(AirtimeSolver&&) noexcept;

  // Returns a plan that stays until the next call.
  const AirtimePlan& Solve(const AirtimeProblem& problem, const Hands& hands = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// An AirtimeCertificate judges a plan by another route than the solver, in extended precision: by
// weak duality, (A21). Whatever the plan, no other one that keeps the constraints is worth more
// than the bound that its own price gives.
struct AirtimeCertificate {
  // The largest violation is relative, over the constraints of all devices and the common one,
  // whose `violation_device` is the number of devices. Each plan must use the upload times of its
  // powers.
  double largest_violation = 0;
  std::size_t violation_device = 0;
  // The gap is what the plan falls short of the bound, divided by Σ w·a^(1-φ), what everybody's
  // taking part twice as often would be worth if each time were worth as much as the last. For
  // kParticipants, and where energy has a price, the plan is judged among those that cost as much.
  double gap = 0;
  double largest_own_gap = 0;  // that of one device
  std::size_t gap_device = 0;
};
// An optimal plan has neither a larger violation nor a larger gap than kLargestViolation.
AirtimeCertificate CertifyAirtime(const AirtimeProblem& problem, const AirtimePlan& plan,
                                  const Hands& hands = 1);

}  // namespace airlot

#endif  // AIRLOT_AIRTIME_H_
