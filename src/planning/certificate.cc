// The certificate of a plan. It shares no code with the solvers: everything is computed again from
// the problem's columns, in extended precision, by the textbook formulas.
#include <cmath>
#include <limits>
#include <numbers>

#include "airlot/planning.h"
#include "base/shards.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64, "the check needs more digits than a double");
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// A device's constraints (8), in extended precision.
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
        deadline_(problem.time_rule == TimeRule::kDeadline) {}

  // The largest relative amount by which (a, P) breaks a constraint; <= 0 where it breaks none.
  Real Violation(Real a, Real power_w) const {
    if (!(a >= 0 && power_w >= 0)) return kInfinity;
    if (a == 0) return power_w / max_power_w_ - 1;
    const Real nats = std::log1p(power_w / g_);
    const Real upload_s = l_ / nats;
    const Real time_s = (deadline_ ? 1 : a) * (upload_s + compute_s_);
    return std::max({a - 1, power_w / max_power_w_ - 1, nats / max_nats_ - 1, time_s / limit_s_ - 1,
                     Overspent(a, power_w, upload_s) / budget_j_});
  }

  // P_min(a), (21).
  Real LeastPower(Real a) const { return g_ * std::expm1(l_ / LongestUpload(a)); }

  // The oracle (22): whether some power lets the device take part with probability a > 0.
  bool IsFeasible(Real a) const {
    const Real upload_s = LongestUpload(a);
    if (a > 1 || !(upload_s > 0) || l_ / upload_s > max_nats_) return false;
    const Real power_w = LeastPower(a);
    return power_w <= max_power_w_ && Overspent(a, power_w, upload_s) <= 0;
  }

 private:
  Real LongestUpload(Real a) const { return (deadline_ ? limit_s_ : limit_s_ / a) - compute_s_; }
  // What is spent on average less what may be. What goes into computing in every round is taken off
  // the budget first, (13), so that a small rest does not drown in rounding.
  Real Overspent(Real a, Real power_w, Real upload_s) const {
    return a * (power_w * upload_s + drawn_j_) - (budget_j_ - always_j_);
  }

  Real g_, l_, max_power_w_, budget_j_, always_j_, drawn_j_, limit_s_, compute_s_, max_nats_;
  bool deadline_;
};

// An upper bound on (a* - a)/a*. Feasibility is monotone in a (22), so once a·(1 + ε) is infeasible
// the optimum lies below it.
Real Gap(const Constraints& constraints, Real a) {
  if (a == 0) return constraints.IsFeasible(1e-300L) ? 1 : 0;
  Real infeasible = 1e-17L;
  while (constraints.IsFeasible(a * (1 + infeasible))) infeasible *= 2;
  if (infeasible > 1e-12L) {  // worth knowing better than within a factor of two
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
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    const Constraints constraints(problem, i);
    const Real a = plan.probability[i];
    const Real power_w = plan.power_w[i];
    Raise(worst.largest_violation, worst.violation_device, constraints.Violation(a, power_w), i);
    if (!(a >= 0 && a <= 2)) continue;  // not a probability: already an infinite violation
    Raise(worst.largest_gap, worst.gap_device, Gap(constraints, a), i);
    if (a > 0) {
      // The least power for the next larger double: where computation takes almost all of the time,
      // the last digit of a decides over much of the power.
      const Real next = a * (1 + std::numeric_limits<double>::epsilon());
      Raise(worst.largest_excess_power, worst.excess_power_device,
            power_w / constraints.LeastPower(next) - 1, i);
    }
  }
  return worst;
}

}  // namespace

Certificate Check(const PlanningProblem& problem, const PlanView& plan, int threads) {
  planning::CheckShape(problem, plan);
  const auto partials = base::MapShards(problem.devices, threads, [&](const base::Shard& shard) {
    return CheckShard(problem, plan, shard);
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
