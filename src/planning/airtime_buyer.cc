#include "planning/airtime_buyer.h"

#include <algorithm>
#include <cmath>

#include "planning/concurrent_uploads.h"
#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr double kMostNats = 700;  // beyond it e^u overflows

}  // namespace

AirtimeBuyer::AirtimeBuyer(const AirtimeProblem& problem, std::size_t device)
    : device_(DeviceAt(problem.devices, device)),
      weight_(problem.weight[device]),
      fairness_(problem.fairness),
      // The energies of a Device are scaled by η, and so is what a joule of them is worth.
      price_s_per_j_(problem.energy_price_s_per_j[device] / problem.devices.amplifier_efficiency),
      added_s_(problem.added_time_s[device]),
      least_(problem.least_probability[device]),
      most_(problem.most_probability[device]) {
  const bool has_band = device_.nat_time_s != kNoBand;
  if (!has_band || device_.energy_budget_j == 0 || most_ == 0) {
    most_ = least_ = 0;
    return;
  }
  const double top = std::min(problem.is_power_limited ? MaxNats(device_) : device_.max_nats, kMostNats);
  cheapest_nats_ = std::min(CheapestNats(device_), top);
  free_nats_ = top;
  if (price_s_per_j_ > 0) {  // (A7)
    const double scaled = (1 / price_s_per_j_ + device_.circuit_power_w) / device_.noise_to_gain_w;
    free_nats_ = std::min(top, NatsOfPrice(std::log(scaled)));
  }
  free_cost_s_ = Cost(free_nats_);
  free_energy_j_ = Energy(free_nats_);
  const double least_energy_j =
      cheapest_nats_ > 0 ? Energy(cheapest_nats_) : device_.nat_time_s * device_.noise_to_gain_w + device_.compute_energy_j;
  least_ = std::min({least_, most_, device_.energy_budget_j / least_energy_j});
  most_nats_ = NatsOfEnergy(device_.energy_budget_j / most_);
  least_nats_ = least_ > 0 ? NatsOfEnergy(device_.energy_budget_j / least_) : free_nats_;
}

double AirtimeBuyer::Energy(double nats) const {
  return UploadEnergyAt(device_, nats) + device_.compute_energy_j;
}

double AirtimeBuyer::Cost(double nats) const {
  return UploadTime(nats) + added_s_ + price_s_per_j_ * Energy(nats);
}

// Returns the u in [u_0, u_free] at which taking part takes this energy, or the end that is nearer.
double AirtimeBuyer::NatsOfEnergy(double energy_j) const {
  if (free_energy_j_ <= energy_j) return free_nats_;
  double low = cheapest_nats_, high = free_nats_;
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double middle = low > 0 && high > 2 * low ? std::sqrt(low * high) : (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (Energy(middle) <= energy_j ? low : high) = middle;
  }
  return low > 0 ? low : high;
}

// (A9)
double AirtimeBuyer::BudgetWorth(double nats) const {
  const double slope = device_.noise_to_gain_w * EnergySlope(nats) - device_.circuit_power_w;
  return added_s_ + UploadTime(nats) + Energy(nats) / slope;
}

AirtimeBought AirtimeBuyer::At(double price) const {
  if (most_ == 0) return {0, free_nats_};
  double a = fairness_ == 0 ? (weight_ > price * free_cost_s_ ? most_ : least_)
                            : std::pow(weight_ / (price * free_cost_s_), 1 / fairness_);
  a = std::clamp(a, least_, most_);
  if (a * free_energy_j_ <= device_.energy_budget_j) return {a, free_nats_};
  // The budget is used up: a = E^max/e(u), and the root of (A9) is wanted, where the left side rises.
  const auto excess = [&](double u) {
    return std::log(weight_ / price) +
           fairness_ * std::log(Energy(u) / device_.energy_budget_j) - std::log(BudgetWorth(u));
  };
  double low = most_nats_, high = std::min(least_nats_, free_nats_);
  if (excess(low) >= 0) return {most_nats_ > cheapest_nats_ && most_nats_ < free_nats_ ? std::min(most_, device_.energy_budget_j / Energy(low)) : std::min(most_, device_.energy_budget_j / Energy(low)), low};
  if (excess(high) > 0) {
    for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
      const double middle = low > 0 && high > 2 * low ? std::sqrt(low * high) : (low + high) / 2;
      if (middle <= low || middle >= high) break;
      (excess(middle) <= 0 ? low : high) = middle;
    }
  }
  return {std::min(most_, device_.energy_budget_j / Energy(high)), high};
}

}  // namespace airlot::planning
