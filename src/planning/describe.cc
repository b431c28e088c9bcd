#include <algorithm>
#include <cmath>
#include <numbers>

#include "airlot/planning.h"
#include "planning/device.h"
#include "planning/steps.h"

namespace airlot {
namespace {

using planning::Device;

// Returns u at the largest power of a device, and the u that no power exceeds.
double TopNats(const RadioSteps& steps, const Device& device) {
  return planning::NatsAt(steps, device, TopPower(steps, device.max_power_w));
}
double LastNats(const RadioSteps& steps, const Device& device) {
  return steps.has_rates() ? steps.rates.back().bit_per_s_per_hz * std::numbers::ln2
                           : device.max_nats;
}

// Returns what stops a device that never takes part. Without a deadline any device that has a
// budget and is heard could; then its time was not worth it (`SolveTimeAware`). (D6)
Limit LimitOfAbsent(const RadioSteps& steps, const Device& device) {
  if (!device.has_samples) return Limit::kData;
  if (!(device.energy_budget_j > 0)) return Limit::kEnergy;
  if (device.nat_time_s == planning::kNoBand) return Limit::kBand;
  const double top_nats = TopNats(steps, device);
  if (top_nats == 0) return Limit::kPower;
  if (!device.deadline || device.time_limit_s <= device.compute_time_s) return Limit::kTime;
  const double needed = device.nat_time_s / (device.time_limit_s - device.compute_time_s);
  constexpr double kSlack = 1 + planning::kDeadlineSlack;
  if (needed > LastNats(steps, device) * kSlack) return Limit::kRate;
  return needed > top_nats * kSlack ? Limit::kPower : Limit::kEnergy;
}

// Returns what keeps the probability of a device that takes part from being larger; `nats` is u at
// its power. (D6)
Limit LimitOf(const RadioSteps& steps, const Device& device, double probability, double power_w,
              double nats) {
  if (planning::IsCertain(probability)) return Limit::kFull;
  if (device.deadline) return Limit::kEnergy;
  constexpr double kAlmost = 1 - 1e-9;  // constraints and caps are met to rounding
  const double time_s = TimeOfNats(device.nat_time_s, nats) + device.compute_time_s;
  if (probability * time_s < device.time_limit_s * kAlmost) return Limit::kEnergy;
  // Time binds. If the device could be quicker, it is the budget that keeps it from it.
  const bool is_at_top = power_w == TopPower(steps, device.max_power_w);
  if (!is_at_top && nats < TopNats(steps, device) * kAlmost) return Limit::kEnergy;
  return nats >= LastNats(steps, device) * kAlmost ? Limit::kRate : Limit::kPower;
}

}  // namespace

double DrawnPower(const PlanningProblem& problem, double power_w) {
  return DrawnPower(power_w, problem.amplifier_efficiency, problem.circuit_power_w);
}

FixedEnergy FixedEnergyOf(const PlanningProblem& problem, std::size_t device) {
  const planning::EnergyRule rule = planning::EnergyRuleOf(problem);
  const double compute_j = problem.compute_energy_j[device];
  return {.always_j = rule.always * compute_j, .drawn_j = rule.drawn * compute_j};
}

Participation Describe(const PlanningProblem& problem, const PlanView& plan,
                       std::size_t device_index) {
  const planning::Device device = planning::DeviceAt(problem, device_index);
  const double probability = plan.probability[device_index];
  const double power_w = plan.power_w[device_index];
  const RadioSteps& steps = problem.steps;
  if (!(probability > 0)) return {.limit = LimitOfAbsent(steps, device)};
  // A power of no step may be beyond the cap, where u no longer grows with it.
  const double sent_nats =
      steps.any() ? planning::NatsAt(steps, device, power_w) : planning::NatsOf(device, power_w);
  const double nats = std::min(sent_nats, LastNats(steps, device));
  Participation participation{.limit = LimitOf(steps, device, probability, power_w, nats)};
  participation.upload_s = TimeOfNats(device.nat_time_s, sent_nats);
  participation.energy_j = DrawnPower(problem, power_w) * participation.upload_s +
                           problem.compute_energy_j[device_index];
  return participation;
}

}  // namespace airlot
