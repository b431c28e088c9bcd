// The planner finds a participation probability and a transmit power for every device of a fleet.
//
// For each device, independently of the others, it solves (docs/mathematics.md, (8);
// docs/energy.md, (E1))
//
//   maximise a   s.t.   a·((P/η + P^c)·T(P) + E^c) <= E^max,   a·(T(P) + T^c) <= τ,
//                       0 <= P <= P^max,   log2(1 + P/g) <= ρ,   0 <= a <= 1,
//
// and takes among all optimal pairs the one of least energy. T(P) = L / ln(1 + P/g) is the upload
// time. A radio with steps has powers and rates of its own instead (`PlanningProblem::steps`). All
// quantities are linear and in SI units.
#ifndef AIRLOT_PLANNING_H_
#define AIRLOT_PLANNING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/column.h"
#include "airlot/hands.h"
#include "airlot/radio_steps.h"
#include "airlot/result.h"

namespace airlot {

// TimeRule says what the time limit τ bounds.
enum class TimeRule : std::uint8_t {
  kExpected,  // a·(T + T^c) <= τ: the mean over rounds, as in the paper
  kDeadline,  // T + T^c <= τ: every single participation
};

// ComputeRule says who computes, and so spends E^c.
enum class ComputeRule : std::uint8_t {
  kParticipants,  // only those drawn to take part, as the paper's constraint says
  kAlways,        // every device in every round, as the paper's Algorithm 3 is written
};

// A Limit is what keeps a device's probability from being larger.
enum class Limit : std::uint8_t {
  kFull,    // nothing: the probability is 1
  kEnergy,  // the budget
  kPower,   // P^max
  kRate,    // the spectral-efficiency cap, or the last row of a table of rates
  kTime,    // a deadline that leaves no time to upload, or a round that should be over sooner
  kBand,    // the device has no band, because another makes more of it
  kData,    // the device holds no samples, so there is nothing to learn from it
};
inline constexpr std::size_t kLimitCount = 7;
std::string_view LimitName(Limit limit);
std::optional<Limit> LimitByName(std::string_view name);

// A PlanningProblem is one round to plan. Columns hold one value per device or one for all.
struct PlanningProblem {
  std::size_t devices = 0;
  // Where several processes hold a part of the devices each, those of the members before this one.
  std::size_t first_device = 0;
  ColumnView noise_to_gain_w;  // g = noise power / channel gain, > 0
  // nat_time_s is L = S·ln2/B, > 0, the upload time at one nat/s/Hz. It is infinite where there is
  // no band or nothing to send, and then a = P = 0.
  ColumnView nat_time_s;
  ColumnView max_power_w;             // P^max, > 0
  ColumnView energy_budget_j;         // E^max, >= 0
  ColumnView compute_energy_j = 0.0;  // E^c, >= 0
  ColumnView time_limit_s;            // τ, > 0
  ColumnView compute_time_s = 0.0;    // T^c, >= 0; 0 where only the upload is limited
  ColumnView samples = 1.0;           // count, >= 0; `nat_time_s` must be infinite where it is 0

  double snr_gap = 1;  // Γ >= 1, by which g is multiplied
  double spectral_efficiency_cap = std::numeric_limits<double>::infinity();  // ρ, bit/s/Hz, > 0
  double amplifier_efficiency = 1;  // η, in (0, 1]: sending at P draws P/η
  double circuit_power_w = 0;       // P^c >= 0, drawn beside P/η while sending
  TimeRule time_rule = TimeRule::kExpected;
  ComputeRule compute_rule = ComputeRule::kParticipants;

  // These are the powers and rates that devices have, where not all. The plan by kExact is exact
  // for them, too; what knows Shannon's formula and powers of any size only refuses such a problem.
  // (docs/radios.md, (D1) to (D6))
  RadioSteps steps;
};

// Names the first value outside of [kSmallestInput, kLargestInput]. `Solve` expects a problem that
// passed.
Status Validate(const PlanningProblem& problem);

enum class Solver : std::uint8_t {
  kExact,        // the closed form (12), vectorised
  kBisection,    // bisection on a with a feasibility oracle; slow, independent
  kAlternating,  // the paper's Algorithm 2 with Algorithm 1 clamped to its bounds
  kLiteral,      // the paper's Algorithms 1 and 2 as printed
};
struct SolverEntry {
  Solver solver;
  std::string_view name;
  std::string_view summary;
};
// Returns every solver there is.
std::span<const SolverEntry> Solvers();
std::string_view SolverName(Solver solver);
std::optional<Solver> SolverByName(std::string_view name);
constexpr bool IsOfThePaper(Solver solver) {
  return solver == Solver::kAlternating || solver == Solver::kLiteral;
}

struct PlanningOptions {
  Solver solver = Solver::kExact;
  int threads = 1;

  // These are for kAlternating and kLiteral only: the start a⁰ = `start_probability` (clamped to
  // what is feasible at P⁰ = P^max), and the stopping thresholds ε of the two algorithms.
  double start_probability = 1;
  double outer_tolerance = 1e-9;
  double inner_tolerance_j = 1e-9;

  bool operator==(const PlanningOptions&) const = default;
};

// Validates the problem and, besides, whether the solver can solve it.
Status Validate(const PlanningProblem& problem, const PlanningOptions& options);

struct Plan {
  ColumnValues probability;  // a*
  ColumnValues power_w;      // P*; 0 where the probability is 0
  // unfinished counts the devices for which kAlternating or kLiteral met its limit of steps; they
  // have its last iterate.
  std::size_t unfinished = 0;
};

// A PlanView is a plan in memory of the caller.
struct PlanView {
  std::span<const double> probability;
  std::span<const double> power_w;

  PlanView(std::span<const double> probabilities, std::span<const double> powers_w)
      : probability(probabilities), power_w(powers_w) {}
  PlanView(const Plan& plan)  // NOLINT(google-explicit-constructor)
      : probability(plan.probability), power_w(plan.power_w) {}
};

Plan Solve(const PlanningProblem& problem, const PlanningOptions& options = {});

// Solves into memory of the caller, each span of `problem.devices` values: a round loop calls this
// with a new noise-to-gain column every round. Returns `Plan::unfinished`.
std::size_t Solve(const PlanningProblem& problem, const PlanningOptions& options,
                  std::span<double> probability, std::span<double> power_w);

// Finds a plan that weighs the time of a round: it maximises Σ w·a - λ·E[max T] under the
// constraints of `Solve`, E[max T] being `Expectations::round_time_s`. λ >= 0 is what a second of
// it is worth, in participants of weight 1, so the weights should have the mean 1. The plan is
// never worse than the plain plan of `options`, which it is for λ = 0; but it comes from a local
// search and is not a proven optimum (docs/energy.md, (E11) to (E15)).
Plan SolveTimeAware(const PlanningProblem& problem, const ColumnView& weight, double time_weight,
                    const PlanningOptions& options = {});

// Returns what a device draws while it sends at a power: P/η + P^c. (E1)
[[nodiscard]] double DrawnPower(const PlanningProblem& problem, double power_w);

// FixedEnergy is what a device spends beside its uploads: E^c, in every round or each time that it
// takes part.
struct FixedEnergy {
  double always_j = 0;  // spent in every round, whether it takes part or not; (13)
  double drawn_j = 0;   // spent each time that it takes part
};
[[nodiscard]] FixedEnergy FixedEnergyOf(const PlanningProblem& problem, std::size_t device);

// Participation is what one device's plan means. Where the probability is 0, all fields but `limit`
// are 0.
struct Participation {
  double upload_s = 0;  // T(P*)
  double energy_j = 0;  // (P*/η + P^c)·T + E^c, the cost of taking part once
  Limit limit = Limit::kFull;
};
Participation Describe(const PlanningProblem& problem, const PlanView& plan, std::size_t device);

// Expectations are exact over the independent draws of one round (docs/mathematics.md, section 8).
struct Expectations {
  double participants = 0;
  double participants_sd = 0;
  double round_time_s = 0;  // time of the slowest participant, 0 in an empty round
  double round_energy_j = 0;
  double round_energy_sd_j = 0;
  double probability_empty_round = 0;
  double longest_upload_s = 0;  // of a single device that may take part
  std::array<std::size_t, kLimitCount> devices_by_limit{};
  std::size_t limited_by(Limit limit) const {
    return devices_by_limit[static_cast<std::size_t>(limit)];
  }
};
// Where there is a team, they are of the devices of all members.
Expectations Expect(const PlanningProblem& problem, const PlanView& plan, const Hands& hands = 1);

// Levers say what 1 % more of a resource of all devices would add to the expected participants of
// an optimal plan, to first order. (N1)
struct Levers {
  double bandwidth = 0, max_power = 0, time_limit = 0, energy_budget = 0;
};
// Returns the levers of an optimal plan, such as `Solve` returns by kExact or kBisection. Where the
// noise is a density, a wider band has more of it. The problem must not have steps, at which a
// probability jumps, so that what 1 % adds says nothing of what 10 % would.
Levers FindLevers(const PlanningProblem& problem, const PlanView& plan, bool noise_grows_with_band,
                  const Hands& hands = 1);

// StepCounts say how many of the devices that may take part send at which power and rate.
struct StepCounts {
  // The power is one of the list, or for levels in steps that many steps below the device's P^max.
  std::vector<std::size_t> devices_by_level;
  std::size_t at_least_power = 0;  // without levels, those that send at P^min
  std::vector<std::size_t> devices_by_row;
  std::size_t out_of_reach = 0;  // those whose P^max does not reach the first row
};
StepCounts CountSteps(const PlanningProblem& problem, const PlanView& plan);
// Returns the row of the rate table at which a device sends with this power, and nothing where
// there is no table or no row.
std::optional<std::size_t> RateRowOf(const PlanningProblem& problem, std::size_t device,
                                     double power_w);

// A Certificate judges a plan by another route than any solver: extended precision and the monotone
// feasibility oracle of docs/mathematics.md, section 6, (26), and docs/energy.md, (E8). Where
// powers or rates come in steps, every one of them is tried.
struct Certificate {
  double largest_violation = 0;  // relative, over all constraints and devices
  std::size_t violation_device = 0;
  double largest_gap = 0;  // bound on (a_optimal - a) / a_optimal
  std::size_t gap_device = 0;
  // This is a bound on (P - P_least) / P_least, P_least being the power that costs least at the
  // planned probability; with circuit power it also bounds (P_least - P) / P.
  double largest_excess_power = 0;
  std::size_t excess_power_device = 0;
};
// A plan keeps its constraints where `largest_violation` is at most this: rounding breaks none by
// more. An optimal plan has no larger `largest_gap`, either.
inline constexpr double kLargestViolation = 1e-9;
// `progress` is told the share of the devices that are checked, by any of the threads.
// Where there is a team, it is of the devices of all members, which it counts from the first.
Certificate CertifyPlan(const PlanningProblem& problem, const PlanView& plan,
                        const Hands& hands = 1, const std::function<void(double)>& progress = {});

// A Shortfall is a device that cannot reach a wanted probability, and what would let it: each
// number is what that resource alone would have to be, infinity where it alone does not help.
struct Shortfall {
  std::size_t device = 0;
  double probability = 0;
  double energy_budget_needed_j = 0;
  double time_limit_needed_s = 0;
  double max_power_needed_w = 0;
};
// A FloorReport counts the devices planned below `min_probability`, and describes at most `most` of
// them, in order.
struct FloorReport {
  std::size_t below = 0;
  std::vector<Shortfall> shortfalls;
};
FloorReport CheckFloor(const PlanningProblem& problem, const PlanView& plan, double min_probability,
                       std::size_t most);

}  // namespace airlot

#endif  // AIRLOT_PLANNING_H_
