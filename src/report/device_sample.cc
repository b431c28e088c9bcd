#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "report/devices.h"

namespace airlot::report {
namespace {

// Returns the indices of at most `most` of `devices`. Where that is not all, half of `most` is
// shared out by how often a limit occurs, but each limit has its equal part of the other half if it
// has as many: what is rare is what one looks for. Where no limits are known, the indices are
// evenly spread.
std::vector<std::size_t> Choose(std::size_t devices, const std::vector<Limit>& limits,
                                std::size_t most) {
  std::vector<std::size_t> chosen;
  if (devices <= most || limits.empty()) {
    const std::size_t stride = std::max<std::size_t>((devices + most - 1) / most, 1);
    for (std::size_t i = 0; i < devices; i += stride) chosen.push_back(i);
    return chosen;
  }
  std::array<std::size_t, kLimitCount> counts{}, seen{}, wanted{};
  for (const Limit limit : limits) ++counts[std::size_t(limit)];
  for (std::size_t k = 0; k < kLimitCount; ++k) {
    const double share = double(counts[k]) / double(limits.size());
    const std::size_t at_least = most / (2 * kLimitCount);
    wanted[k] = std::min(counts[k], std::max(std::size_t(share * double(most) / 2), at_least));
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto k = std::size_t(limits[i]);
    // The choice is even: the j-th of those wanted is number floor(j * count / wanted) of its kind.
    const std::size_t before = (seen[k] * wanted[k] + counts[k] - 1) / counts[k];
    const std::size_t after = ((seen[k] + 1) * wanted[k] + counts[k] - 1) / counts[k];
    if (after > before) chosen.push_back(i);
    ++seen[k];
  }
  return chosen;
}

// Spreads devices without a place, but with a distance, by the golden angle, so that no two
// directions come close.
void PlaceByDistance(DeviceSample& sample) {
  for (Device& device : sample.drawn) {
    if (device.place || !device.distance_m) continue;
    const double angle = double(device.index) * std::numbers::pi * (3 - std::sqrt(5.0));
    device.place = {.x_m = *device.distance_m * std::cos(angle),
                    .y_m = *device.distance_m * std::sin(angle)};
    sample.direction_is_known = false;
  }
}

// Makes the view of a fleet, of which `device_at` tells each device. `limits` is empty where they
// are not known.
template <class DeviceAt>
FleetView MakeView(std::size_t devices, const std::vector<Limit>& limits,
                   const DeviceAt& device_at) {
  FleetView view{.sample = {.devices = devices}};
  const std::vector<std::size_t> chosen = Choose(devices, limits, kMostDrawn);
  auto next = chosen.begin();
  for (std::size_t i = 0; i < devices; ++i) {
    Device device = device_at(i);
    view.probability.push_back(device.probability);
    if (device.probability > 0) {
      view.power_w.push_back(device.power_w);
      view.upload_s.push_back(device.upload_s);
    }
    if (next == chosen.end() || *next != i) continue;
    view.sample.drawn.push_back(std::move(device));
    ++next;
  }
  PlaceByDistance(view.sample);
  return view;
}

template <class Numbers>
std::optional<double> ValueIn(const std::optional<Numbers>& column, std::size_t device) {
  return column ? std::optional<double>((*column)[device]) : std::nullopt;
}

template <class Places>
std::optional<Place> PlaceIn(const std::optional<Places>& places, std::size_t device) {
  if (!places) return std::nullopt;
  return Place{.x_m = places->x_m[device], .y_m = places->y_m[device]};
}

}  // namespace

FleetView ViewOf(const Fleet& fleet, const PlanFile& rows) {
  std::string buffer;
  return MakeView(fleet.devices, rows.limits, [&](std::size_t i) {
    return Device{.index = i,
                  .id = std::string(fleet.ids.Get(i, buffer)),
                  .place = PlaceIn(fleet.places, i),
                  .distance_m = ValueIn(fleet.distance_m, i),
                  .samples = ValueIn(fleet.samples, i),
                  .probability = rows.plan.probability[i],
                  .power_w = rows.plan.power_w[i],
                  .upload_s = rows.upload_s[i],
                  .energy_j = rows.energy_j[i],
                  .budget_j = fleet.energy_budget_j[i],
                  .limit = rows.limits[i]};
  });
}

FleetView ViewOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan) {
  PlanFile rows;
  rows.plan.probability.assign(plan.probability.begin(), plan.probability.end());
  rows.plan.power_w.assign(plan.power_w.begin(), plan.power_w.end());
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    const Participation once = Describe(problem, plan, i);
    rows.upload_s.push_back(once.upload_s);
    rows.energy_j.push_back(once.energy_j);
    rows.limits.push_back(once.limit);
  }
  return ViewOf(fleet, rows);
}

FleetView ViewOf(const DeviceTable& table) {
  const std::vector<Limit> limits = table.limit.value_or(std::vector<Limit>());
  return MakeView(table.devices(), limits, [&](std::size_t i) {
    return Device{.index = i,
                  .id = table.id[i],
                  .place = PlaceIn(table.places, i),
                  .distance_m = ValueIn(table.distance_m, i),
                  .samples = double(table.samples[i]),
                  .probability = table.probability[i],
                  .power_w = table.power_w[i],
                  .upload_s = table.upload_s[i],
                  .energy_j = table.energy_j[i],
                  .budget_j = ValueIn(table.energy_budget_j, i),
                  .limit = table.limit ? std::optional((*table.limit)[i]) : std::nullopt};
  });
}

}  // namespace airlot::report
