#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "report/devices.h"

namespace airlot::report {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Indices of at most `most` devices. Where that is not all, each limit has its share, but never
// fewer than a tenth of the drawing if it has as many: what is rare is what one looks for.
std::vector<std::size_t> Choose(const std::vector<Limit>& limits, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (limits.size() <= most) {
    for (std::size_t i = 0; i < limits.size(); ++i) chosen.push_back(i);
    return chosen;
  }
  std::array<std::size_t, kLimitCount> counts{}, seen{}, wanted{};
  for (const Limit limit : limits) ++counts[std::size_t(limit)];
  for (std::size_t k = 0; k < kLimitCount; ++k) {
    const double share = double(counts[k]) / double(limits.size());
    wanted[k] = std::min(counts[k], std::max(std::size_t(share * double(most) / 2), most / 10));
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto k = std::size_t(limits[i]);
    // Evenly: the j-th of those wanted is number floor(j * count / wanted) of its kind.
    const std::size_t before = (seen[k] * wanted[k] + counts[k] - 1) / counts[k];
    const std::size_t after = ((seen[k] + 1) * wanted[k] + counts[k] - 1) / counts[k];
    if (after > before) chosen.push_back(i);
    ++seen[k];
  }
  return chosen;
}

}  // namespace

DeviceSample SampleOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan,
                      std::size_t most) {
  DeviceSample sample{.devices = fleet.devices, .direction_is_known = fleet.has_place};
  std::vector<Limit> limits(fleet.devices);
  for (std::size_t i = 0; i < fleet.devices; ++i) limits[i] = Describe(problem, plan, i).limit;
  std::string buffer;
  for (const std::size_t i : Choose(limits, most)) {
    const Participation once = Describe(problem, plan, i);
    Device device{.id = std::string(fleet.ids.Get(i, buffer)),
                  .x_m = kUnknown,
                  .y_m = kUnknown,
                  .distance_m = fleet.has_distance ? fleet.distance_m[i] : kUnknown,
                  .samples = fleet.has_samples ? fleet.samples[i] : kUnknown,
                  .probability = plan.probability[i],
                  .power_w = plan.power_w[i],
                  .upload_s = once.upload_s,
                  .energy_j = once.energy_j,
                  .budget_j = problem.energy_budget_j[i],
                  .limit = once.limit};
    if (fleet.has_place) {
      device.x_m = fleet.x_m[i];
      device.y_m = fleet.y_m[i];
    } else if (fleet.has_distance) {
      // Spread by the golden angle, so that no two directions come close.
      const double angle = double(i) * std::numbers::pi * (3 - std::sqrt(5.0));
      device.x_m = device.distance_m * std::cos(angle);
      device.y_m = device.distance_m * std::sin(angle);
    }
    sample.drawn.push_back(std::move(device));
  }
  return sample;
}

}  // namespace airlot::report
