#include "planning/airtime_buyer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "planning/concurrent_uploads.h"
#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostNats = 700;       // beyond it e^u overflows
constexpr double kSlowestNats = 1e-60;  // no device sends slower
constexpr double kMostLogPrice = 1e5;

// A Neighbours is where a predicate that is true on the left becomes false, between two numbers
// next to each other.
struct Neighbours {
  double left, right;
};
Neighbours Bisect(double left, double right, const std::function<bool(double)>& is_left) {
  for (;;) {
    const double middle = left > 0 && right > 2 * left ? std::sqrt(left) * std::sqrt(right)
                                                       : left + (right - left) / 2;
    if (!(middle > left && middle < right)) return {left, right};
    (is_left(middle) ? left : right) = middle;
  }
}

}  // namespace

AirtimeBuyer::AirtimeBuyer(const AirtimeProblem& problem, std::size_t device)
    : device_(DeviceAt(problem.devices, device)),
      weight_(problem.weight[device]),
      fairness_(problem.fairness),
      // The energies of a Device are scaled by η, and so is what a joule of them is worth.
      price_s_per_j_(problem.energy_price_s_per_j[device] / problem.devices.amplifier_efficiency),
      efficiency_(problem.devices.amplifier_efficiency),
      added_s_(problem.added_time_s[device]),
      least_(problem.least_probability[device]),
      most_(problem.most_probability[device]),
      is_power_limited_(problem.is_power_limited) {
  if (device_.nat_time_s == kNoBand || device_.energy_budget_j == 0 || most_ == 0) {
    most_ = least_ = 0;
    return;
  }
  top_nats_ = std::min(is_power_limited_ ? MaxNats(device_) : device_.max_nats, kMostNats);
  cheapest_nats_ = std::min(CheapestNats(device_), top_nats_);
  free_nats_ = FreeNats(price_s_per_j_);
  const double best = device_.energy_budget_j / Energy(cheapest_nats_);
  least_ = std::min({least_, most_, best});  // (A14)
  // Next to its least the energy is flat, and an equation in it would lose digits.
  const double slowest = std::max(cheapest_nats_, kSlowestNats);
  most_nats_ = most_ < best ? NatsOfEnergy(device_.energy_budget_j / most_) : slowest;
  least_nats_ = least_ == 0     ? free_nats_
                : least_ < best ? NatsOfEnergy(device_.energy_budget_j / least_)
                                : slowest;
}

// (A7)
double AirtimeBuyer::FreeNats(double price_s_per_j) const {
  if (price_s_per_j == 0) return top_nats_;
  const double slope = (1 / price_s_per_j + device_.circuit_power_w) / device_.noise_to_gain_w;
  return std::min(top_nats_, NatsOfPrice(std::log(slope)));
}

double AirtimeBuyer::Energy(double nats) const {
  return UploadEnergyAt(device_, nats) + device_.compute_energy_j;
}

double AirtimeBuyer::NatsOfEnergy(double energy_j) const {
  if (Energy(free_nats_) <= energy_j) return free_nats_;
  const double low = std::max(cheapest_nats_, kSlowestNats);
  return Bisect(low, free_nats_, [&](double u) { return Energy(u) <= energy_j; }).left;
}

double AirtimeBuyer::LogBudgetWorth(double nats) const {
  const double slope = device_.noise_to_gain_w * EnergySlope(nats) - device_.circuit_power_w;
  return slope > 0 ? std::log(Time(nats) + Energy(nats) / slope) : kInfinity;
}

AirtimeBought AirtimeBuyer::At(double log_price) const {
  if (most_ == 0) return {};
  const double budget_j = device_.energy_budget_j, free_j = Energy(free_nats_);
  const double log_weight = std::log(weight_);
  const double log_ratio =
      log_weight - std::log(Time(free_nats_) + price_s_per_j_ * free_j) - log_price;
  const double free = fairness_ == 0 ? (log_ratio > 0 ? most_ : least_)
                                     : std::exp(std::min(log_ratio / fairness_, 0.0));  // (A6)
  const double a = std::clamp(free, least_, most_);
  if (a * free_j <= budget_j) return {a, free_nats_};
  // The budget is used up, (A8), and the root of (A9) is wanted, where the left side rises, (A10).
  const auto is_left = [&](double u) {
    return log_weight + fairness_ * std::log(Energy(u) / budget_j) <= log_price + LogBudgetWorth(u);
  };
  const double high = std::min(least_nats_, free_nats_);
  double u = most_nats_;
  if (is_left(high)) {
    u = high;
  } else if (is_left(most_nats_)) {
    u = Bisect(most_nats_, high, is_left).left;
  }
  return {std::clamp(budget_j / Energy(u), least_, most_), u};
}

AirtimeBought AirtimeBuyer::SlowedDown(const AirtimeBought& bought,
                                       double extra_price_s_per_j) const {
  if (bought.probability == 0) return bought;
  const double slowest = std::max(cheapest_nats_, kSlowestNats);
  const double nats = FreeNats(price_s_per_j_ + extra_price_s_per_j / efficiency_);
  return {bought.probability, std::min(bought.nats, std::max(nats, slowest))};
}

double AirtimeBuyer::Power(double nats) const {
  const double power_w = PowerOf(device_, nats);
  if (!is_power_limited_) return power_w;
  const bool is_cap = nats >= NatsOf(device_, device_.max_power_w);
  return is_cap ? device_.max_power_w : std::min(power_w, device_.max_power_w);
}

AirtimePlan SolveAirtimePlainly(const AirtimeProblem& problem) {
  const std::size_t count = problem.devices.devices;
  const bool is_time = problem.goal == AirtimeGoal::kTime;
  const double goal = is_time ? problem.seconds : problem.participants;
  std::vector<AirtimeBuyer> buyers;
  for (std::size_t i = 0; i < count; ++i) buyers.emplace_back(problem, i);
  using Choice = std::function<AirtimeBought(const AirtimeBuyer&)>;
  const auto total = [&](const Choice& choose) {
    double sum = 0;
    for (const AirtimeBuyer& buyer : buyers) {
      const AirtimeBought bought = choose(buyer);
      if (bought.probability == 0) continue;
      sum += bought.probability * (is_time ? buyer.Time(bought.nats) : 1);
    }
    return sum;
  };
  const auto at = [](double log_price) {
    return [=](const AirtimeBuyer& buyer) { return buyer.At(log_price); };
  };
  const auto slowed_down = [](double price) {
    return [=](const AirtimeBuyer& buyer) { return buyer.SlowedDown(buyer.At(-kInfinity), price); };
  };

  AirtimePlan result;
  Choice first, second;  // what is mixed
  if (total(at(-kInfinity)) <= goal) {
    first = at(-kInfinity);
    if (is_time && total(first) < goal) {  // (A13)
      const double extra = Bisect(1e-299, 1e299, [&](double price) {
                             return total(slowed_down(price)) <= goal;
                           }).left;
      first = slowed_down(extra);
      result.extra_energy_price_s_per_j = extra;
    }
    second = first;
  } else if (total(at(kInfinity)) >= goal) {
    first = second = at(kInfinity);
    result.log_price = kInfinity;
  } else {  // (A11)
    const Neighbours prices = Bisect(-kMostLogPrice, kMostLogPrice,
                                     [&](double log_price) { return total(at(log_price)) > goal; });
    first = at(prices.left);
    second = at(prices.right);
    result.log_price = prices.right;
  }
  result.price = std::exp(result.log_price);

  // (A12)
  const double most = total(first), least = total(second);
  const double share = most > least ? std::clamp((goal - least) / (most - least), 0.0, 1.0) : 0;
  result.plan = {ColumnValues(count, 0), ColumnValues(count, 0)};
  result.upload_s.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const AirtimeBought x = first(buyers[i]), y = second(buyers[i]);
    const double a = share * x.probability + (1 - share) * y.probability;
    if (a == 0) continue;
    const double z = share * x.probability / x.nats + (1 - share) * y.probability / y.nats;
    const double u = x.nats == y.nats ? x.nats : a / z;
    result.plan.probability[i] = a;
    result.upload_s[i] = buyers[i].UploadTime(u);
    result.plan.power_w[i] = buyers[i].Power(u);
    result.seconds += a * buyers[i].Time(u);
    result.participants += a;
  }
  return result;
}

}  // namespace airlot::planning
