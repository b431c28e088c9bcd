// This file makes the certificate of a plan. It shares no code with the solvers: everything is
// computed again from the problem's columns, in extended precision, by the textbook formulas.
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "airlot/planning.h"
#include "base/shards.h"
#include "planning/shape.h"
#include "planning/steps_certificate.h"

namespace airlot {
namespace {

using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64, "the check needs more digits than a double");
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// Constraints are a device's constraints (8), in extended precision.
class Constraints {
 public:
  Constraints(const PlanningProblem& problem, std::size_t i)
      : g_(Real{problem.noise_to_gain_w[i]} * problem.snr_gap),
        l_(problem.nat_time_s[i]),
        max_power_w_(problem.max_power_w[i]),
        budget_j_(problem.energy_budget_j[i]),
        always_j_(problem.compute_rule == ComputeRule::kAlways ? problem.compute_energy_j[i] : 0),
        drawn_j_(problem.compute_rule == ComputeRule::kAlways ? 0 : problem.compute_energy_j[i]),
        limit_s_(problem.time_limit_s[i]),
        compute_s_(problem.compute_time_s[i]),
        max_nats_(Real{problem.spectral_efficiency_cap} * std::numbers::ln2_v<Real>),
        efficiency_(problem.amplifier_efficiency),
        circuit_w_(problem.circuit_power_w),
        min_power_w_(problem.steps.min_power_w),
        deadline_(problem.time_rule == TimeRule::kDeadline),
        cheapest_w_(std::max(CheapestPower(), min_power_w_)) {}

  // Returns the largest relative amount by which (a, P) breaks a constraint, which is <= 0 where it
  // breaks none.
  Real Violation(Real a, Real power_w) const {
    if (!(a >= 0 && power_w >= 0)) return kInfinity;
    if (a == 0) return power_w / max_power_w_ - 1;
    const Real nats = std::log1p(power_w / g_);
    const Real upload_s = l_ / nats;
    const Real time_s = (deadline_ ? 1 : a) * (upload_s + compute_s_);
    return std::max({a - 1, power_w / max_power_w_ - 1,
                     min_power_w_ > 0 ? 1 - power_w / min_power_w_ : -1, nats / max_nats_ - 1,
                     time_s / limit_s_ - 1, Overspent(a, power_w, upload_s) / budget_j_});
  }

  bool has_circuit_power() const { return circuit_w_ > 0; }

  // Returns P_min(a), (25), or where an upload costs less sooner, that power, (E8). It is infinite
  // where no time is left to upload.
  Real LeastPower(Real a) const {
    const Real longest_s = LongestUpload(a);
    if (!(longest_s > 0)) return kInfinity;
    return std::max(g_ * std::expm1(l_ / longest_s), cheapest_w_);
  }

  // IsFeasible is the oracle (26), (E8): it says whether some power lets the device take part with
  // probability a > 0.
  bool IsFeasible(Real a) const {
    const Real longest_s = LongestUpload(a);
    if (a > 1 || !(longest_s > 0) || l_ / longest_s > max_nats_) return false;
    const Real power_w = LeastPower(a);
    const Real upload_s =
        cheapest_w_ > 0 ? std::min(l_ / std::log1p(power_w / g_), longest_s) : longest_s;
    return power_w <= max_power_w_ && Overspent(a, power_w, upload_s) <= 0;
  }

 private:
  // Returns the power, among all that the device has, whose upload costs least, and 0 without
  // circuit power, where less is always cheaper. The energy (P/η + P^c)·L/ln(1 + P/g) falls in P as
  // long as (1 + x)·ln(1 + x) - x < η·P^c/g, x = P/g; the left side is the integral of ln(1 + t),
  // so it increases. Where x is small it is x²/2 - x³/6 + ...
  Real CheapestPower() const {
    if (!has_circuit_power()) return 0;
    const Real target = efficiency_ * circuit_w_ / g_;
    const auto is_falling = [&](Real x) {
      Real sum = (1 + x) * std::log1p(x) - x;
      if (x < 0x1p-10L) {
        sum = x * x * (1 / 2.0L - x * (1 / 6.0L - x * (1 / 12.0L - x * (1 / 20.0L - x / 30))));
        sum += x * x * x * x * x * x * x * (1 / 42.0L - x / 56);
      }
      return sum < target;
    };
    Real falling = 0, rising = std::min(max_power_w_ / g_, std::expm1(max_nats_));
    if (is_falling(rising)) return rising * g_;
    // The search goes in powers of two first: the answer may be far smaller than the cap.
    while (!is_falling(rising / 2)) rising /= 2;
    for (falling = rising / 2; rising - falling > 0x1p-63L * rising;) {
      const Real middle = (falling + rising) / 2;
      if (middle == falling || middle == rising) break;
      (is_falling(middle) ? falling : rising) = middle;
    }
    return rising * g_;
  }

  Real LongestUpload(Real a) const { return (deadline_ ? limit_s_ : limit_s_ / a) - compute_s_; }
  // Returns what is spent on average less what may be. What goes into computing in every round is
  // taken off the budget first, (13), so that a small rest does not drown in rounding.
  Real Overspent(Real a, Real power_w, Real upload_s) const {
    return a * ((power_w / efficiency_ + circuit_w_) * upload_s + drawn_j_) -
           (budget_j_ - always_j_);
  }

  Real g_, l_, max_power_w_, budget_j_, always_j_, drawn_j_, limit_s_, compute_s_, max_nats_,
      efficiency_, circuit_w_, min_power_w_;  // P^min is 0 where there is none
  bool deadline_;
  Real cheapest_w_;
};

// Returns an upper bound on (a* - a)/a*. Feasibility is monotone in a (26), so once a·(1 + ε) is
// infeasible the optimum lies below it.
Real Gap(const Constraints& constraints, Real a) {
  if (a == 0) return constraints.IsFeasible(1e-300L) ? 1 : 0;
  Real infeasible = 1e-17L;
  while (constraints.IsFeasible(a * (1 + infeasible))) infeasible *= 2;
  if (infeasible > 1e-12L) {  // it is worth knowing better than within a factor of two
    Real feasible = infeasible / 2;
    for (int i = 0; i < 30; ++i) {
      const Real middle = (feasible + infeasible) / 2;
      (constraints.IsFeasible(a * (1 + middle)) ? feasible : infeasible) = middle;
    }
  }
  return infeasible / (1 + infeasible);
}

// Keeps the largest value and where it was.
void Raise(double& largest, std::size_t& device, Real value, std::size_t i) {
  if (static_cast<double>(value) > largest) {
    largest = static_cast<double>(value);
    device = i;
  }
}

Certificate CheckShard(const PlanningProblem& problem, const PlanView& plan,
                       const base::Shard& shard) {
  Certificate worst;
  planning::OptionsChecker options(problem);
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    if (planning::IsCheckedByOptions(problem, i)) {
      const auto [violation, gap, excess] = options.Check(plan, i);
      Raise(worst.largest_violation, worst.violation_device, violation, i);
      Raise(worst.largest_gap, worst.gap_device, gap, i);
      Raise(worst.largest_excess_power, worst.excess_power_device, excess, i);
      continue;
    }
    const Constraints constraints(problem, i);
    const Real a = plan.probability[i];
    const Real power_w = plan.power_w[i];
    Raise(worst.largest_violation, worst.violation_device, constraints.Violation(a, power_w), i);
    if (!(a >= 0 && a <= 2)) continue;  // not a probability: already an infinite violation
    Raise(worst.largest_gap, worst.gap_device, Gap(constraints, a), i);
    if (a > 0) {
      // This is the least power for the next larger double: where computation takes almost all of
      // the time, the last digit of a decides over much of the power.
      const Real next = a * (1 + std::numeric_limits<double>::epsilon());
      Raise(worst.largest_excess_power, worst.excess_power_device,
            power_w / constraints.LeastPower(next) - 1, i);
      if (constraints.has_circuit_power()) {  // too low a power costs more as well
        const Real previous = a * (1 - std::numeric_limits<double>::epsilon());
        Raise(worst.largest_excess_power, worst.excess_power_device,
              constraints.LeastPower(previous) / power_w - 1, i);
      }
    }
  }
  return worst;
}

}  // namespace

Certificate CertifyPlan(const PlanningProblem& problem, const PlanView& plan, const Hands& hands,
                        const std::function<void(double)>& progress) {
  planning::CheckShape(problem, plan);
  std::atomic<std::size_t> checked = 0;
  const auto partials = base::MapFleet(problem.devices, hands, [&](const base::Shard& shard) {
    Certificate found = CheckShard(problem, plan, shard);
    for (std::size_t* const device :
         {&found.violation_device, &found.gap_device, &found.excess_power_device}) {
      *device += problem.first_device;
    }
    checked += shard.end - shard.begin;
    if (progress) progress(static_cast<double>(checked) / static_cast<double>(problem.devices));
    return found;
  });
  Certificate worst;
  for (const Certificate& part : partials) {
    Raise(worst.largest_violation, worst.violation_device, part.largest_violation,
          part.violation_device);
    Raise(worst.largest_gap, worst.gap_device, part.largest_gap, part.gap_device);
    Raise(worst.largest_excess_power, worst.excess_power_device, part.largest_excess_power,
          part.excess_power_device);
  }
  return worst;
}

}  // namespace airlot
