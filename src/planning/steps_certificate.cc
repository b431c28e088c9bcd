#include "planning/steps_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace airlot::planning {
namespace {

using Real = long double;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
// A plan in double precision meets powers and thresholds only so well.
constexpr Real kMet = 1e-12L;

// A SteppedLink is what one device can do, from the columns of the problem.
class SteppedLink {
 public:
  SteppedLink(const PlanningProblem& problem, std::size_t i)
      : steps_(problem.steps),
        g_(Real{problem.noise_to_gain_w[i]} * problem.snr_gap),
        bits_per_hertz_(problem.nat_time_s[i] / std::log(2.0L)),
        max_power_w_(problem.max_power_w[i]),
        budget_j_(problem.energy_budget_j[i]),
        always_j_(problem.compute_rule == ComputeRule::kAlways ? problem.compute_energy_j[i] : 0),
        drawn_j_(problem.compute_rule == ComputeRule::kAlways ? 0 : problem.compute_energy_j[i]),
        limit_s_(problem.time_limit_s[i]),
        compute_s_(problem.compute_time_s[i]),
        cap_(problem.spectral_efficiency_cap),
        efficiency_(problem.amplifier_efficiency),
        circuit_w_(problem.circuit_power_w),
        deadline_(problem.time_rule == TimeRule::kDeadline) {}

  // Returns bit/s/Hz at a power: that of the best row of all whose SNR is reached.
  Real Rate(Real power_w) const {
    const Real snr = power_w / g_;
    if (steps_.rates.empty()) return std::min(std::log1p(snr) / std::log(2.0L), cap_);
    Real best = 0;
    for (const RateRow& row : steps_.rates) {
      if (snr >= row.snr * (1 - kMet)) best = std::max(best, Real{row.bit_per_s_per_hz});
    }
    return best;
  }
  Real UploadTime(Real power_w) const { return bits_per_hertz_ / Rate(power_w); }
  Real Energy(Real power_w) const {
    return (power_w / efficiency_ + circuit_w_) * UploadTime(power_w) + drawn_j_;
  }

  // Returns the largest probability that time and budget allow at a power.
  Real MostProbability(Real power_w) const {
    if (!(Rate(power_w) > 0)) return 0;
    const Real time_s = UploadTime(power_w) + compute_s_;
    const Real paid = std::max<Real>(budget_j_ - always_j_, 0) / Energy(power_w);
    if (deadline_) return time_s <= limit_s_ * (1 + kMet) ? std::min<Real>(1, paid) : 0;
    return std::min({Real{1}, limit_s_ / time_s, paid});
  }

  // Returns every power that is worth a look: all levels or, where any power from P^min to P^max
  // will do, P^min and those at which a row begins.
  std::vector<Real> Powers() const {
    std::vector<Real> powers_w;
    const auto add = [&](Real power_w) {
      if (power_w <= max_power_w_ * (1 + kMet)) powers_w.push_back(power_w);
    };
    if (!steps_.power_levels_w.empty()) {
      for (const double level_w : steps_.power_levels_w) add(level_w);
    } else if (steps_.power_step > 1) {
      const Real decibel = 10 * std::log10(Real{steps_.power_step});
      const auto level_w = [&](int k) {
        return max_power_w_ * std::pow(10.0L, -Real(k) * decibel / 10);
      };
      for (int k = 0; level_w(k) >= steps_.min_power_w * (1 - kMet); ++k) add(level_w(k));
    } else {
      if (steps_.min_power_w > 0) add(steps_.min_power_w);
      for (const RateRow& row : steps_.rates) {
        if (g_ * row.snr >= steps_.min_power_w) add(g_ * row.snr);
      }
    }
    return powers_w;
  }

  // Returns by how much a power misses what the device has, relative; <= 0 where it does not.
  Real PowerViolation(Real power_w) const {
    const Real above = power_w / max_power_w_ - 1;
    if (!steps_.has_levels()) {
      return steps_.min_power_w > 0 ? std::max(above, 1 - power_w / steps_.min_power_w) : above;
    }
    Real nearest = kInfinity;
    for (const Real level_w : Powers()) {
      nearest = std::min(nearest, std::abs(power_w / level_w - 1));
    }
    return std::max(above, nearest <= kMet ? Real{0} : nearest);
  }

  Real Violation(Real a, Real power_w) const {
    if (!(a >= 0 && power_w >= 0)) return kInfinity;
    if (a == 0) return power_w / max_power_w_ - 1;
    if (!(Rate(power_w) > 0)) return kInfinity;
    const Real time_s = (deadline_ ? 1 : a) * (UploadTime(power_w) + compute_s_);
    const Real spent_j = a * Energy(power_w) - (budget_j_ - always_j_);
    return std::max({a - 1, PowerViolation(power_w), time_s / limit_s_ - 1, spent_j / budget_j_});
  }

 private:
  const RadioSteps& steps_;
  Real g_, bits_per_hertz_, max_power_w_, budget_j_, always_j_, drawn_j_, limit_s_, compute_s_,
      cap_, efficiency_, circuit_w_;
  bool deadline_;
};

}  // namespace

bool IsCheckedByOptions(const PlanningProblem& problem, std::size_t device) {
  const RadioSteps& steps = problem.steps;
  if (!steps.any()) return false;
  if (steps.has_levels() || steps.has_rates()) return true;
  const Real g = Real{problem.noise_to_gain_w[device]} * problem.snr_gap;
  return std::log1p(steps.min_power_w / g) / std::log(2.0L) >= problem.spectral_efficiency_cap;
}

OptionsCheck CheckOptions(const PlanningProblem& problem, const PlanView& plan,
                          std::size_t device) {
  const SteppedLink link(problem, device);
  const Real a = plan.probability[device];
  const Real power_w = plan.power_w[device];
  OptionsCheck check{.violation = link.Violation(a, power_w)};
  if (!(a >= 0 && a <= 2)) return check;
  const std::vector<Real> powers_w = link.Powers();
  Real best = 0;
  for (const Real option_w : powers_w) best = std::max(best, link.MostProbability(option_w));
  if (best > 0) check.gap = std::max<Real>((best - a) / best, 0);
  if (a == 0 || check.violation == kInfinity) return check;
  // Among those that allow as much, none should cost less.
  for (const Real option_w : powers_w) {
    if (link.MostProbability(option_w) < a * (1 - kMet)) continue;
    if (link.Energy(option_w) >= link.Energy(power_w) * (1 - kMet)) continue;
    check.excess_power = std::max(check.excess_power, std::abs(power_w / option_w - 1));
  }
  return check;
}

}  // namespace airlot::planning
