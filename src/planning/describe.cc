#include <cmath>

#include "airlot/planning.h"
#include "planning/device.h"
#include "planning/steps.h"

namespace airlot {
namespace {

// Returns what stops a device that never takes part. Under a deadline it is perhaps that no power
// meets it. With a budget and without a deadline any device could; then its time was not worth it
// (`SolveTimeAware`).
Limit LimitOfAbsent(const planning::Device& device) {
  if (!device.has_samples) return Limit::kData;
  if (device.nat_time_s == planning::kNoBand) {
    return device.energy_budget_j > 0 ? Limit::kBand : Limit::kEnergy;
  }
  if (!device.deadline) return device.energy_budget_j > 0 ? Limit::kTime : Limit::kEnergy;
  if (device.time_limit_s <= device.compute_time_s) return Limit::kTime;
  const double u = device.nat_time_s / (device.time_limit_s - device.compute_time_s);
  if (u > device.max_nats) return Limit::kRate;
  return u > planning::NatsOf(device, device.max_power_w) ? Limit::kPower : Limit::kEnergy;
}

Limit LimitOf(const planning::Device& device, double probability, double power_w) {
  constexpr double kCertain = 1 - 1e-12;  // a split of the band rounds
  if (probability >= kCertain) return Limit::kFull;
  if (probability <= 0) return LimitOfAbsent(device);
  // A deadline fixes the power, unless sending sooner than it asks for is cheaper, (E7).
  constexpr double kAbove = 1 + 1e-9;
  if (device.deadline && planning::UploadTime(device, power_w) * kAbove >=
                             device.time_limit_s - device.compute_time_s) {
    return Limit::kEnergy;
  }
  // Iterative solvers meet a cap only to rounding.
  constexpr double kAlmost = 1 - 1e-9;
  if (power_w >= device.max_power_w * kAlmost) return Limit::kPower;
  if (planning::NatsOf(device, power_w) >= device.max_nats * kAlmost) return Limit::kRate;
  return Limit::kEnergy;
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
  Participation participation{
      .limit = steps.any() ? planning::LimitWithSteps(steps, device, probability, power_w)
                           : LimitOf(device, probability, power_w)};
  if (probability > 0) {
    participation.upload_s =
        steps.any() ? TimeOfNats(device.nat_time_s, planning::NatsAt(steps, device, power_w))
                    : planning::UploadTime(device, power_w);
    participation.energy_j = DrawnPower(problem, power_w) * participation.upload_s +
                             problem.compute_energy_j[device_index];
  }
  return participation;
}

}  // namespace airlot
