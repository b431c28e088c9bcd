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

// LevelRatios are 10^(-k·step/10), the levels of a device whose P^max is 1 W, for as many k as were
// asked for: a power takes longer than all else that is done with a level.
class LevelRatios {
 public:
  explicit LevelRatios(const RadioSteps& steps)
      : step_db_(10 * std::log10(Real{steps.power_step})) {}
  Real operator[](std::size_t k) {
    while (ratios_.size() <= k) {
      ratios_.push_back(std::pow(10.0L, -Real(ratios_.size()) * step_db_ / 10));
    }
    return ratios_[k];
  }

 private:
  Real step_db_;
  std::vector<Real> ratios_;
};

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

  // An Option is what a power means: time and energy of taking part once, and the largest
  // probability that time and budget allow.
  struct Option {
    Real power_w, time_s = kInfinity, energy_j = kInfinity, most_probability = 0;
  };
  Option OptionAt(Real power_w) const {
    Option option{power_w};
    const Real rate = Rate(power_w);
    if (!(rate > 0)) return option;
    const Real upload_s = bits_per_hertz_ / rate;
    option.time_s = upload_s + compute_s_;
    option.energy_j = (power_w / efficiency_ + circuit_w_) * upload_s + drawn_j_;
    const Real paid = std::max<Real>(budget_j_ - always_j_, 0) / option.energy_j;
    if (!deadline_) {
      option.most_probability = std::min({Real{1}, limit_s_ / option.time_s, paid});
    } else if (option.time_s <= limit_s_ * (1 + kMet)) {
      option.most_probability = std::min<Real>(1, paid);
    }
    return option;
  }

  // Finds every option that is worth a look: all levels or, where any power from P^min to P^max
  // will do, P^min and those at which a row begins.
  void FindOptions(LevelRatios& ratios, std::vector<Option>& options) const {
    options.clear();
    const auto add = [&](Real power_w) {
      if (power_w <= max_power_w_ * (1 + kMet)) options.push_back(OptionAt(power_w));
    };
    if (!steps_.power_levels_w.empty()) {
      for (const double level_w : steps_.power_levels_w) add(level_w);
    } else if (steps_.power_step > 1) {
      for (std::size_t k = 0;; ++k) {
        const Real level_w = max_power_w_ * ratios[k];
        if (!(level_w >= steps_.min_power_w * (1 - kMet))) break;
        add(level_w);
      }
    } else {
      if (steps_.min_power_w > 0) add(steps_.min_power_w);
      for (const RateRow& row : steps_.rates) {
        if (g_ * row.snr >= steps_.min_power_w) add(g_ * row.snr);
      }
    }
  }

  // Returns by how much a power misses what the device has, relative; <= 0 where it does not.
  Real PowerViolation(Real power_w, const std::vector<Option>& options) const {
    const Real above = power_w / max_power_w_ - 1;
    if (!steps_.has_levels()) {
      return steps_.min_power_w > 0 ? std::max(above, 1 - power_w / steps_.min_power_w) : above;
    }
    Real nearest = kInfinity;
    for (const Option& level : options) {
      nearest = std::min(nearest, std::abs(power_w / level.power_w - 1));
    }
    return std::max(above, nearest <= kMet ? Real{0} : nearest);
  }

  Real Violation(Real a, const Option& planned, const std::vector<Option>& options) const {
    const Real power_w = planned.power_w;
    if (!(a >= 0 && power_w >= 0)) return kInfinity;
    if (a == 0) return power_w / max_power_w_ - 1;
    if (planned.time_s == kInfinity) return kInfinity;
    const Real time_s = (deadline_ ? 1 : a) * planned.time_s;
    const Real spent_j = a * planned.energy_j - (budget_j_ - always_j_);
    return std::max(
        {a - 1, PowerViolation(power_w, options), time_s / limit_s_ - 1, spent_j / budget_j_});
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

struct OptionsChecker::Radio {
  const PlanningProblem& problem;
  LevelRatios ratios;
  std::vector<SteppedLink::Option> options;  // of the device at hand
};

OptionsChecker::OptionsChecker(const PlanningProblem& problem)
    : radio_(new Radio{problem, LevelRatios(problem.steps), {}}) {}
OptionsChecker::~OptionsChecker() = default;

OptionsCheck OptionsChecker::Check(const PlanView& plan, std::size_t device) {
  const SteppedLink link(radio_->problem, device);
  const Real a = plan.probability[device];
  const SteppedLink::Option planned = link.OptionAt(plan.power_w[device]);
  std::vector<SteppedLink::Option>& options = radio_->options;
  link.FindOptions(radio_->ratios, options);
  OptionsCheck check{.violation = link.Violation(a, planned, options)};
  if (!(a >= 0 && a <= 2)) return check;
  Real best = 0;
  for (const auto& option : options) best = std::max(best, option.most_probability);
  if (best > 0) check.gap = std::max<Real>((best - a) / best, 0);
  if (a == 0 || check.violation == kInfinity) return check;
  // Among those that allow as much, none should cost less.
  for (const auto& option : options) {
    if (option.most_probability < a * (1 - kMet)) continue;
    if (option.energy_j >= planned.energy_j * (1 - kMet)) continue;
    check.excess_power =
        std::max(check.excess_power, std::abs(planned.power_w / option.power_w - 1));
  }
  return check;
}

}  // namespace airlot::planning
