// This file makes the certificate of an airtime plan. It shares no code with the solver: everything
// is computed again from the problem's columns, in extended precision, by the textbook formulas.
//
// With a price μ of a second and multipliers λ >= 0 of the budgets, the Lagrangian of (A4) falls
// apart into devices, and its maximum bounds every feasible plan from above, (A21):
//
//   Σ w·U(a) <= Σ max over a, u of (w·U(a) - a·c(u)) + Σ λ·E^max + μ·(goal),
//   c(u) = μ·(L/u + r + ν·e(u)) + λ·e(u).
//
// The inner minimum of c is where its derivative, which changes its sign once, does; the maximum
// over a is in closed form. The multipliers are read off the plan.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "airlot/airtime.h"
#include "base/check.h"
#include "base/shards.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64, "the check needs more digits than a double");
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kTight = 1e-7L;  // a budget that is used up to this counts as used up

// Returns 1 + (u - 1)·e^u, as the sum Σ (k-1)·u^k/k! where it would cancel.
Real EnergySlope(Real u) {
  if (u > 0.5L) return 1 + (u - 1) * std::exp(u);
  Real sum = 0, term = u * u / 2;
  for (int k = 2; k <= 20; ++k) {
    sum += static_cast<Real>(k - 1) * term;
    term *= u / static_cast<Real>(k + 1);
  }
  return sum;
}

// AirtimeTerms are one device in extended precision.
class AirtimeTerms {
 public:
  AirtimeTerms(const AirtimeProblem& problem, std::size_t i)
      : g_(Real{problem.devices.noise_to_gain_w[i]} * problem.devices.snr_gap),
        l_(problem.devices.nat_time_s[i]),
        efficiency_(problem.devices.amplifier_efficiency),
        circuit_w_(problem.devices.circuit_power_w),
        weight_(problem.weight[i]),
        fairness_(problem.fairness),
        price_s_per_j_(problem.energy_price_s_per_j[i]),
        added_s_(problem.added_time_s[i]),
        priced_s_(problem.priced_time_s[i]),
        most_(problem.most_probability[i]),
        max_power_w_(problem.is_power_limited ? Real{problem.devices.max_power_w[i]} : kInfinity),
        max_nats_(std::min(
            Real{problem.devices.spectral_efficiency_cap} * std::numbers::ln2_v<Real>, 700.0L)) {
    const bool is_always = problem.devices.compute_rule == ComputeRule::kAlways;
    const Real compute_j = problem.devices.compute_energy_j[i];
    drawn_j_ = is_always ? 0 : compute_j;
    budget_j_ = std::max(problem.devices.energy_budget_j[i] - (is_always ? compute_j : 0), Real{0});
    takes_part_ = std::isfinite(l_) && budget_j_ > 0 && most_ > 0;
    if (!takes_part_) return;
    top_ = std::min(max_nats_, std::log1p(max_power_w_ / g_));
    const Real cheapest = CheapestNats(0, 1), best = budget_j_ / Energy(cheapest);
    least_ = std::min({Real{problem.least_probability[i]}, most_, best});  // (A14)
    if (least_ == best) only_nats_ = cheapest;
  }

  bool takes_part() const { return takes_part_; }
  Real NatsOf(Real power_w) const { return std::log1p(power_w / g_); }
  Real Seconds(Real u) const { return l_ / u + added_s_; }
  // Returns what is worth more or less the same as a.
  Real Scale(Real a) const { return weight_ * std::pow(a, 1 - fairness_); }

  // Returns the largest relative amount by which (a, P, t) breaks a constraint.
  Real Violation(Real a, Real power_w, Real upload_s) const {
    if (!(a >= 0 && power_w >= 0 && upload_s >= 0)) return kInfinity;
    if (!takes_part_) return a > 0 ? kInfinity : 0;
    if (a == 0) return least_ > 0 ? 1 : 0;
    const Real u = NatsOf(power_w);
    Real largest = std::max({a / most_ - 1, u / max_nats_ - 1, a * Energy(u) / budget_j_ - 1,
                             std::abs(upload_s * u / l_ - 1)});
    if (max_power_w_ < kInfinity) largest = std::max(largest, power_w / max_power_w_ - 1);
    if (least_ > 0) largest = std::max(largest, 1 - a / least_);
    return largest;
  }

  // Returns by how much the device's part of the bound exceeds what it attains at (a, u).
  Real Gap(Real a, Real u, Real price) const {
    const Real attained = Utility(a) - (a > 0 ? price * a * Cost(u) : 0);
    if (only_nats_ > 0) return Utility(least_) - price * least_ * Cost(only_nats_) - attained;
    Real bound = Bound(price, 0);
    if (a > 0 && a * Energy(u) > budget_j_ * (1 - kTight)) {
      const Real slope = g_ / efficiency_ * EnergySlope(u) - circuit_w_;
      const Real by_rate = price * (1 / slope - price_s_per_j_);
      const Real by_probability = (weight_ * std::pow(a, -fairness_) - price * Cost(u)) / Energy(u);
      for (const Real worth : {by_rate, by_probability}) {
        if (worth > 0 && std::isfinite(worth)) bound = std::min(bound, Bound(price, worth));
      }
    }
    return bound - attained;
  }

 private:
  // Returns e(u) at the plug.
  Real Energy(Real u) const {
    return l_ * (g_ * std::expm1(u) / efficiency_ + circuit_w_) / u + drawn_j_;
  }
  Real Cost(Real u) const { return Seconds(u) + priced_s_ + price_s_per_j_ * Energy(u); }

  Real Utility(Real a) const {
    if (fairness_ == 1) return weight_ * std::log(a);
    return weight_ * std::pow(a, 1 - fairness_) / (1 - fairness_);
  }

  // Returns the u <= u_top at which time·L/u + energy·e(u) is least. Its derivative has the sign of
  // energy·(g·h(u)/η - P^c) - time.
  Real CheapestNats(Real time, Real energy) const {
    const auto is_falling = [&](Real u) {
      return energy * (g_ / efficiency_ * EnergySlope(u) - circuit_w_) < time;
    };
    if (is_falling(top_)) return top_;
    Real rising = top_;
    while (rising > 1e-60L && !is_falling(rising / 2)) rising /= 2;
    for (Real falling = rising / 2; rising - falling > 0x1p-60L * rising;) {
      const Real middle = (falling + rising) / 2;
      (is_falling(middle) ? falling : rising) = middle;
    }
    return rising;
  }

  // Returns the maximum of w·U(a) - a·c(u) over a and u, plus λ·E^max.
  Real Bound(Real price, Real budget_worth) const {
    const Real u = CheapestNats(price, price * price_s_per_j_ + budget_worth);
    const Real cost = price * Cost(u) + budget_worth * Energy(u);
    Real a = most_;
    if (fairness_ == 0) {
      a = weight_ > cost ? most_ : least_;
    } else if (cost > 0) {
      a = std::clamp(std::pow(weight_ / cost, 1 / fairness_), least_, most_);
    }
    return Utility(a) - a * cost + budget_worth * budget_j_;
  }

  Real g_, l_, efficiency_, circuit_w_, weight_, fairness_, price_s_per_j_, added_s_, priced_s_,
      most_;
  Real max_power_w_, max_nats_;
  Real drawn_j_ = 0, budget_j_ = 0, top_ = 0, least_ = 0;
  // A floor that takes all of the budget leaves no choice: this is u, and 0 where there is no such.
  Real only_nats_ = 0;
  bool takes_part_ = false;
};

// Findings are those of a part of the fleet.
struct Findings {
  AirtimeCertificate worst;
  Real gap = 0, scale = 0, seconds = 0, participants = 0;

  void Violate(Real value, std::size_t device) {
    if (static_cast<double>(value) > worst.largest_violation || std::isnan(value)) {
      worst.largest_violation =
          std::isnan(value) ? static_cast<double>(kInfinity) : static_cast<double>(value);
      worst.violation_device = device;
    }
  }
  void FallShort(Real value, std::size_t device) {
    if (static_cast<double>(value) > worst.largest_own_gap) {
      worst.largest_own_gap = static_cast<double>(value);
      worst.gap_device = device;
    }
  }
};

Findings CheckShard(const AirtimeProblem& problem, const AirtimePlan& plan, Real price,
                    const base::Shard& shard) {
  Findings findings;
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    const AirtimeTerms terms(problem, i);
    const Real a = plan.plan.probability[i], power_w = plan.plan.power_w[i];
    findings.Violate(terms.Violation(a, power_w, plan.upload_s[i]), i);
    if (!terms.takes_part()) continue;
    const Real u = terms.NatsOf(power_w);
    const Real gap = terms.Gap(a, u, price);
    findings.gap += gap;
    findings.FallShort(gap, i);
    if (!(a > 0)) continue;
    findings.scale += terms.Scale(a);
    findings.seconds += a * terms.Seconds(u);
    findings.participants += a;
  }
  return findings;
}

Real PriceOf(const AirtimePlan& plan) {
  if (plan.price > 0 && std::isfinite(plan.price)) return plan.price;
  return std::exp(Real{plan.log_price});
}

}  // namespace

AirtimeCertificate CertifyAirtime(const AirtimeProblem& problem, const AirtimePlan& plan,
                                  const Hands& hands) {
  planning::CheckShape(problem);
  planning::CheckShape(problem.devices, plan.plan);
  AIRLOT_CHECK(plan.upload_s.size() == problem.devices.devices, "{} times for {} devices",
               plan.upload_s.size(), problem.devices.devices);
  const Real price = PriceOf(plan);
  Findings all;
  const std::size_t devices = base::SumOfMembers(hands, problem.devices.devices);
  for (const Findings& part :
       base::MapFleet(problem.devices.devices, hands, [&](const base::Shard& shard) {
         Findings found = CheckShard(problem, plan, price, shard);
         found.worst.violation_device += problem.devices.first_device;
         found.worst.gap_device += problem.devices.first_device;
         return found;
       })) {
    all.Violate(part.worst.largest_violation, part.worst.violation_device);
    all.FallShort(part.worst.largest_own_gap, part.worst.gap_device);
    all.gap += part.gap;
    all.scale += part.scale;
    all.seconds += part.seconds;
    all.participants += part.participants;
  }
  if (problem.goal == AirtimeGoal::kTime) {
    all.Violate(all.seconds / problem.seconds - 1, devices);
    // Seconds that have a price and are not used would be worth it.
    if (price > 0) all.gap += price * std::max(problem.seconds - all.seconds, Real{0});
  } else {
    const Real excess = all.participants / problem.participants - 1;
    all.Violate(price > 0 ? std::abs(excess) : excess, devices);
  }
  const Real scale = all.scale > 0 ? all.scale : 1;
  all.worst.gap = static_cast<double>(all.gap / scale);
  if (std::isnan(all.worst.gap)) all.worst.gap = static_cast<double>(kInfinity);
  all.worst.largest_own_gap = static_cast<double>(all.worst.largest_own_gap / scale);
  return all.worst;
}

}  // namespace airlot
