#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "base/csv.h"
#include "base/text.h"
#include "report/devices.h"

namespace airlot::report {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Indices of at most `most` devices. Where that is not all, half of them are shared out by how
// often a limit occurs, but each has a tenth of `most` if it has as many: what is rare is what one
// looks for. With five limits that is never more than `most`.
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

DeviceSample SampleOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan) {
  DeviceSample sample{.devices = fleet.devices, .direction_is_known = fleet.has_place};
  std::vector<Limit> limits(fleet.devices);
  for (std::size_t i = 0; i < fleet.devices; ++i) limits[i] = Describe(problem, plan, i).limit;
  std::string buffer;
  for (const std::size_t i : Choose(limits, kMostDrawn)) {
    const Participation once = Describe(problem, plan, i);
    Device device{.index = i,
                  .id = std::string(fleet.ids.Get(i, buffer)),
                  .x_m = fleet.has_place ? fleet.x_m[i] : kUnknown,
                  .y_m = fleet.has_place ? fleet.y_m[i] : kUnknown,
                  .distance_m = fleet.has_distance ? fleet.distance_m[i] : kUnknown,
                  .samples = fleet.has_samples ? fleet.samples[i] : kUnknown,
                  .probability = plan.probability[i],
                  .power_w = plan.power_w[i],
                  .upload_s = once.upload_s,
                  .energy_j = once.energy_j,
                  .budget_j = problem.energy_budget_j[i],
                  .limit = once.limit};
    sample.drawn.push_back(std::move(device));
  }
  return sample;
}

// Spreads devices without a place, but with a distance, by the golden angle, so that no two
// directions come close.
void PlaceByDistance(DeviceSample& sample) {
  for (Device& device : sample.drawn) {
    if (std::isfinite(device.x_m) || !std::isfinite(device.distance_m)) continue;
    const double angle = double(device.index) * std::numbers::pi * (3 - std::sqrt(5.0));
    device.x_m = device.distance_m * std::cos(angle);
    device.y_m = device.distance_m * std::sin(angle);
    sample.direction_is_known = false;
  }
}

// The columns of devices.csv that figures need.
constexpr std::array<std::string_view, 8> kColumns = {
    "x_m", "y_m", "distance_m", "samples", "probability", "power_w", "upload_s", "energy_j"};

}  // namespace

FleetView ViewOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan) {
  FleetView view{.sample = SampleOf(fleet, problem, plan)};
  PlaceByDistance(view.sample);
  view.probability.assign(plan.probability.begin(), plan.probability.end());
  view.power_w.reserve(fleet.devices);
  view.upload_s.reserve(fleet.devices);
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    if (!(plan.probability[i] > 0)) continue;
    view.power_w.push_back(plan.power_w[i]);
    view.upload_s.push_back(Describe(problem, plan, i).upload_s);
  }
  return view;
}

Result<FleetView> ReadView(const std::string& path) {
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  std::array<std::size_t, kColumns.size()> columns{};
  for (std::size_t k = 0; k < kColumns.size(); ++k) {
    const auto found = std::ranges::find(csv->header(), kColumns[k]);
    if (found == csv->header().end()) {
      return Error{fmt::format("{}:1: has no column {}", path, kColumns[k])};
    }
    columns[k] = std::size_t(found - csv->header().begin());
  }
  FleetView view;
  std::vector<Device> devices;
  for (;;) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    std::array<double, kColumns.size()> values{};
    for (std::size_t k = 0; k < kColumns.size(); ++k) {
      values[k] = base::ParseNumber(csv->fields()[columns[k]]).value_or(kUnknown);
    }
    const auto [x_m, y_m, distance_m, samples, probability, power_w, upload_s, energy_j] = values;
    view.probability.push_back(probability);
    if (probability > 0) {
      view.power_w.push_back(power_w);
      view.upload_s.push_back(upload_s);
    }
    devices.push_back({.index = devices.size(),
                       .id = std::string(csv->fields()[0]),
                       .x_m = x_m,
                       .y_m = y_m,
                       .distance_m = distance_m,
                       .samples = samples,
                       .probability = probability,
                       .power_w = power_w,
                       .upload_s = upload_s,
                       .energy_j = energy_j,
                       .budget_j = kUnknown});
  }
  view.sample.devices = devices.size();
  const std::size_t stride =
      std::max<std::size_t>((devices.size() + kMostDrawn - 1) / kMostDrawn, 1);
  for (std::size_t i = 0; i < devices.size(); i += stride) {
    view.sample.drawn.push_back(std::move(devices[i]));
  }
  PlaceByDistance(view.sample);
  return view;
}

std::size_t CountDifferences(const FleetView& file, const FleetView& again) {
  const std::size_t devices = file.probability.size();
  if (devices != again.probability.size()) return devices;
  std::size_t count = 0;
  // A fleet that is drawn in part is drawn in another part from each source.
  const bool has_all = file.sample.drawn.size() == devices;
  for (std::size_t i = 0; i < devices; ++i) {
    if (has_all && again.sample.drawn.size() == devices) {
      const Device &one = file.sample.drawn[i], &other = again.sample.drawn[i];
      if (one.id != other.id || one.samples != other.samples) {
        ++count;
        continue;
      }
    }
    // Files have all digits; other processors may round the last ones in another way.
    const double a = file.probability[i], b = again.probability[i];
    count += std::abs(a - b) <= 1e-9 * std::max(a, b) ? 0 : 1;
  }
  return count;
}

}  // namespace airlot::report
