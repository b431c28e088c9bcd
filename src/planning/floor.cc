#include <algorithm>
#include <cmath>

#include "airlot/planning.h"
#include "planning/device.h"

namespace airlot {
namespace {

using planning::Device;

// e(u) = g·L·(e^u - 1)/u, (9), with its limit at 0.
double UploadEnergyAt(const Device& device, double u) {
  return device.g * device.l * (u > 0 ? std::expm1(u) / u : 1);
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
  const double upload_s = (device.deadline ? device.tau : device.tau / target) - device.t_c;
  const double u = upload_s > 0 ? device.l / upload_s : INFINITY;
  const double max_u = std::min(device.max_u, planning::NatsOf(device, device.max_p));
  const double energy_j = target * (UploadEnergyAt(device, u) + device.e_c);
  const double spent_anyway_j =
      problem.compute_rule == ComputeRule::kAlways ? problem.compute_energy_j[i] : 0;
  const double affordable_u = LargestNatsWithin(device, device.e_max / target - device.e_c, max_u);
  const double slowest_s = RoundedUpSum(device.l / affordable_u, device.t_c);
  Shortfall shortfall{.device = i, .probability = a};
  shortfall.energy_budget_needed_j = u <= max_u ? RoundedUpSum(energy_j, spent_anyway_j) : INFINITY;
  shortfall.max_power_needed_w =
      u <= device.max_u && energy_j <= device.e_max ? planning::PowerOf(device, u) : INFINITY;
  shortfall.time_limit_needed_s = device.deadline ? slowest_s : target * slowest_s;
  return shortfall;
}

}  // namespace

FloorReport CheckFloor(const PlanningProblem& problem, const Plan& plan, double min_probability,
                       std::size_t most) {
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
