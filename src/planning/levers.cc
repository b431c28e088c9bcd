#include <cmath>
#include <cstddef>

#include "airlot/planning.h"
#include "base/check.h"
#include "base/shards.h"
#include "planning/device.h"
#include "planning/shape.h"
#include "planning/steps.h"

namespace airlot {
namespace {

using planning::Device;

// A Change is how the logarithms of a device's quantities move together.
struct Change {
  double noise_to_gain = 0, nat_time = 0, max_power = 0, budget = 0, time_limit = 0;
};

// Probability and nats of a device's optimum, and how they follow a change of its quantities.
class Optimum {
 public:
  Optimum(const Device& device, double probability, double power_w)
      : device_(device), nats_(planning::NatsOf(device, power_w)) {
    const double upload_s = TimeOfNats(device.nat_time_s, nats_);
    const double round_s = device.deadline ? upload_s + device.compute_time_s
                                           : probability * (upload_s + device.compute_time_s);
    constexpr double kAlmost = 1 - 1e-9;  // solvers meet a constraint to rounding
    is_time_tight_ = round_s >= device.time_limit_s * kAlmost;
    is_at_power_ = power_w >= device.max_power_w * kAlmost;
    is_at_rate_ = nats_ >= device.max_nats * kAlmost;
    if (is_at_power_) nats_per_power_ = -std::expm1(-nats_) / nats_;
    upload_share_of_time_ = upload_s / (upload_s + device.compute_time_s);
    const double energy_j = planning::UploadEnergyAt(device, nats_);
    const double total_j = energy_j + device.compute_energy_j;
    upload_share_ = energy_j / total_j;
    radiated_share_ = device.nat_time_s * power_w / nats_ / total_j;
    energy_slope_ =
        device.nat_time_s *
        (device.noise_to_gain_w * planning::EnergySlope(nats_) - device.circuit_power_w) / nats_ /
        total_j;
  }

  // Returns by how much ln a* moves. (N2)
  double Follow(const Change& change) const {
    const double nats = NatsFollow(change);
    const bool is_by_time = !device_.deadline && is_time_tight_;
    return is_by_time ? ByTime(change, nats) : ByEnergy(change, nats);
  }

 private:
  // These are d ln a where time or energy bounds it, d ln u being `nats`. (N2)
  double ByTime(const Change& change, double nats) const {
    return change.time_limit + upload_share_of_time_ * (nats - change.nat_time);
  }
  double ByEnergy(const Change& change, double nats) const {
    return change.budget - upload_share_ * change.nat_time -
           radiated_share_ * change.noise_to_gain - energy_slope_ * nats;
  }
  // Returns d ln u of what decides u. (N3)
  double NatsFollow(const Change& change) const {
    if (device_.deadline && is_time_tight_) {
      return change.nat_time - change.time_limit * device_.time_limit_s /
                                   (device_.time_limit_s - device_.compute_time_s);
    }
    if (is_at_power_) {
      return nats_per_power_ * (change.max_power - change.noise_to_gain);
    }
    if (is_at_rate_) return 0;
    if (!is_time_tight_) return 0;  // the cheapest u, at which e(u) has no slope
    return (ByEnergy(change, 0) - ByTime(change, 0)) / (upload_share_of_time_ + energy_slope_);
  }

  const Device& device_;
  double nats_;
  bool is_time_tight_, is_at_power_, is_at_rate_;
  double nats_per_power_ = 0;    // d ln u/d ln P at the largest power
  double upload_share_of_time_;  // T/(T + T^c)
  double upload_share_;          // e/(e + E^c)
  double radiated_share_;        // P·T/(e + E^c)
  double energy_slope_;          // de/dln u / (e + E^c)
};

Levers SumShard(const PlanningProblem& problem, const PlanView& plan, bool noise_grows_with_band,
                const base::Shard& shard) {
  const double noise_by_band = noise_grows_with_band ? 1 : 0;
  Levers levers;
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    const double a = plan.probability[i];
    // Nothing adds to certainty, and no percent to nothing.
    if (!(a > 0) || planning::IsCertain(a)) continue;
    const Device device = planning::DeviceAt(problem, i);
    const double budget_j = problem.energy_budget_j[i];
    const double spent_anyway_j = FixedEnergyOf(problem, i).always_j;
    const Optimum optimum(device, a, plan.power_w[i]);
    const auto adds = [&](const Change& change) { return 0.01 * a * optimum.Follow(change); };
    levers.bandwidth += adds({.noise_to_gain = noise_by_band, .nat_time = -1});
    levers.max_power += adds({.max_power = 1});
    levers.time_limit += adds({.time_limit = 1});
    levers.energy_budget += adds({.budget = budget_j / (budget_j - spent_anyway_j)});
  }
  return levers;
}

}  // namespace

Levers FindLevers(const PlanningProblem& problem, const PlanView& plan, bool noise_grows_with_band,
                  const Hands& hands) {
  planning::CheckShape(problem, plan);
  AIRLOT_CHECK(!problem.steps.any(), "levers of a radio with {}", NameOfSteps(problem.steps));
  Levers total;
  for (const Levers& part : base::MapFleet(problem.devices, hands, [&](const base::Shard& shard) {
         return SumShard(problem, plan, noise_grows_with_band, shard);
       })) {
    total.bandwidth += part.bandwidth;
    total.max_power += part.max_power;
    total.time_limit += part.time_limit;
    total.energy_budget += part.energy_budget;
  }
  return total;
}

}  // namespace airlot
