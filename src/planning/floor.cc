#include <algorithm>
#include <cmath>

#include "airlot/planning.h"
#include "planning/device.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using planning::Device;

// e(u) = g·L·(e^u - 1)/u, (9), with its limit at 0.
double UploadEnergyAt(const Device& device, double u) {
  return device.noise_to_gain_w * device.nat_time_s * (u > 0 ? std::expm1(u) / u : 1);
}

// The largest u <= max_u whose upload energy is at most `energy_j`; 0 if there is none. e(u)
// increases, so bisection finds it.
double LargestNatsWithin(const Device& device, double energy_j, double max_u) {
  if (UploadEnergyAt(device, max_u) <= energy_j) return max_u;
  double low = 0, high = max_u;
  for (int i = 0; i < 200 && UploadEnergyAt(device, 0) < energy_j; ++i) {
    const double middle = (low + high) / 2;
    (UploadEnergyAt(device, middle) <= energy_j ? low : high) = middle;
  }
  return low;
}

// What the upload takes and what the computation takes. Never less than the exact sum: after the
// computation enough must be left, however small a part of the sum that is.
double RoundedUpSum(double upload, double computation) {
  return computation > 0 ? std::nextafter(upload + computation, INFINITY) : upload;
}

// (15), one resource at a time.
Shortfall Explain(const PlanningProblem& problem, std::size_t i, double a, double min_probability) {
  const Device device = planning::DeviceAt(problem, i);
  const double target = min_probability;
  const double upload_s = planning::LongestUpload(device, target);
  const double u = upload_s > 0 ? device.nat_time_s / upload_s : INFINITY;
  const double max_u = std::min(device.max_nats, planning::NatsOf(device, device.max_power_w));
  const double energy_j = target * (UploadEnergyAt(device, u) + device.compute_energy_j);
  const double spent_anyway_j =
      problem.compute_rule == ComputeRule::kAlways ? problem.compute_energy_j[i] : 0;
  const double affordable_u =
      LargestNatsWithin(device, device.energy_budget_j / target - device.compute_energy_j, max_u);
  const double slowest_s = RoundedUpSum(device.nat_time_s / affordable_u, device.compute_time_s);
  Shortfall shortfall{.device = i, .probability = a};
  shortfall.energy_budget_needed_j = u <= max_u ? RoundedUpSum(energy_j, spent_anyway_j) : INFINITY;
  shortfall.max_power_needed_w = u <= device.max_nats && energy_j <= device.energy_budget_j
                                     ? planning::PowerOf(device, u)
                                     : INFINITY;
  shortfall.time_limit_needed_s = device.deadline ? slowest_s : target * slowest_s;
  return shortfall;
}

}  // namespace

FloorReport CheckFloor(const PlanningProblem& problem, const PlanView& plan, double min_probability,
                       std::size_t most) {
  planning::CheckShape(problem, plan);
  FloorReport report;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const double a = plan.probability[i];
    if (a >= min_probability * (1 - 1e-12)) continue;
    ++report.below;
    if (report.shortfalls.size() < most) {
      report.shortfalls.push_back(Explain(problem, i, a, min_probability));
    }
  }
  return report;
}

}  // namespace airlot
