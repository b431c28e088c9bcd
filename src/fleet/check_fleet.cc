#include "fleet/check_fleet.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/shards.h"
#include "base/text.h"

namespace airlot::fleet {
namespace {

// Returns where a device stands and its name, such as "fleet.csv:4: device 3 (roof)".
std::string DeviceName(const Fleet& fleet, const FleetRows& rows, std::size_t i) {
  std::string buffer;
  std::string name = rows.origin;
  if (!rows.lines.empty()) name += fmt::format(":{}", rows.lines.LineOf(i));
  name += fmt::format("{}device {}", name.empty() ? "" : ": ", fleet.first_device + i + 1);
  return fleet.ids.empty() ? name : fmt::format("{} ({})", name, fleet.ids.Get(i, buffer));
}

// Returns the first of `devices` for which `is_wrong` holds.
template <class IsWrong>
std::optional<std::size_t> FindFirst(std::size_t devices, int threads, const IsWrong& is_wrong) {
  const auto found = base::MapShards(devices, threads, [&](const base::Shard& shard) {
    std::size_t i = shard.begin;
    while (i < shard.end && !is_wrong(i)) ++i;
    return i < shard.end ? std::optional(i) : std::nullopt;
  });
  for (const auto& first : found) {
    if (first) return first;
  }
  return std::nullopt;
}

}  // namespace

std::string HeaderOf(const FleetRows& rows) {
  if (rows.origin.empty()) return "";
  return rows.origin + (rows.lines.empty() ? ": " : ":1: ");
}

Status CheckDistances(const Fleet& fleet, const Propagation& propagation, const FleetRows& rows,
                      int threads) {
  const auto check = [&](std::size_t i) {
    return CheckDistance(propagation, (*fleet.distance_m)[i]);
  };
  const auto wrong =
      FindFirst(fleet.devices, threads, [&](std::size_t i) { return !check(i).ok(); });
  if (!wrong) return {};
  return Error{
      fmt::format("{}: {}", DeviceName(fleet, rows, *wrong), check(*wrong).error().message)};
}

Status CheckDerived(const Fleet& fleet, const FleetRows& rows, bool is_measured, int threads) {
  const struct {
    std::string_view name, source;
    ColumnView column;
    bool may_be_zero;
  } columns[] = {
      {"noise_to_gain_w",
       is_measured ? "the measured channel, the noise and its band" : "distance_m and bandwidth_hz",
       fleet.noise_to_gain_w, false},
      {"battery_j", "battery_mah and battery_v",
       fleet.batteries ? ColumnView(fleet.batteries->capacity_j) : ColumnView(1.0), false},
      {"energy_budget_j", "the battery, lifetime_days and the period of the rounds",
       fleet.energy_budget_j, true},
      {"nat_time_s", "update_bits and bandwidth_hz", fleet.nat_time_s, false},
      {"compute_energy_j", "samples, cycles_per_sample, cpu_hz and kappa", fleet.compute_energy_j,
       true},
      {"fixed_energy_j", "compute_energy_j and receive_energy_j", fleet.FixedEnergy(), true},
      {"compute_time_s", "samples, cycles_per_sample and cpu_hz",
       fleet.compute_time_s ? ColumnView(*fleet.compute_time_s) : ColumnView(0.0), true},
  };
  for (const auto& checked : columns) {
    const ColumnView column = checked.column;
    const bool may_be_absent = checked.name == "nat_time_s" && fleet.samples;
    const auto wrong =
        FindFirst(column.is_constant() ? 1 : fleet.devices, threads, [&](std::size_t i) {
          return !IsInput(column[i], checked.may_be_zero) &&
                 !(may_be_absent && (*fleet.samples)[i] == 0);
        });
    if (!wrong) continue;
    return Error{fmt::format("{}: {} = {}, which follows from {}: must be {}{} to {}",
                             DeviceName(fleet, rows, *wrong), checked.name,
                             base::FormatNumber(column[*wrong]), checked.source,
                             checked.may_be_zero ? "0 or " : "", base::FormatNumber(kSmallestInput),
                             base::FormatNumber(kLargestInput))};
  }
  return {};
}

// An error names the key where all devices have the same P^max, and the device where they do not.
Status FitMaxPower(const Radio& radio, const FleetRows& rows, Fleet& fleet) {
  const RadioSteps steps = StepsOf(radio);
  const auto& levels_w = steps.power_levels_w;
  const double least_w = levels_w.empty() ? steps.min_power_w : levels_w.front();
  if (least_w == 0) return {};
  const std::string_view key = levels_w.empty() ? "radio.min_power_w" : "radio.power_levels_w";
  const auto number = [](double value) { return base::FormatNumber(value); };
  if (fleet.max_power_w.is_constant()) {
    const double max_w = fleet.max_power_w[0];
    const double most_w = levels_w.empty() ? least_w : levels_w.back();
    if (most_w * (1 - kStepSlack) > max_w) {
      return Error{fmt::format("{} = {}: must be at most fleet.max_power_w = {}", key,
                               number(most_w), number(max_w))};
    }
  }
  for (std::size_t i = 0; i < (fleet.max_power_w.is_constant() ? 1 : fleet.devices); ++i) {
    if (least_w * (1 - kStepSlack) <= fleet.max_power_w[i]) continue;
    return Error{fmt::format("{}: max_power_w = {}: must be at least {}, the least power of {}",
                             DeviceName(fleet, rows, i), number(fleet.max_power_w[i]),
                             number(least_w), key)};
  }
  if (levels_w.empty()) return {};
  if (fleet.max_power_w.is_constant()) {
    fleet.max_power_w = TopPower(steps, fleet.max_power_w[0]);
    return {};
  }
  ColumnValues top_w(fleet.devices);
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    top_w[i] = TopPower(steps, fleet.max_power_w[i]);
  }
  fleet.max_power_w = std::move(top_w);
  return {};
}

}  // namespace airlot::fleet
