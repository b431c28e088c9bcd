#include "fleet/lifetime.h"

#include <fmt/format.h>

#include <utility>

#include "fleet/check_fleet.h"

namespace airlot::fleet {
namespace {

constexpr double kSecondsPerDay = 86400;
constexpr double kCoulombsPerMilliampereHour = 3.6;

}  // namespace

double BatteryEnergy(double battery_mah, double battery_v) {
  return kCoulombsPerMilliampereHour * battery_mah * battery_v;
}

Status SetLifetimeBudgets(Fleet& fleet, const FleetRows& rows, const FleetDefaults& defaults) {
  if (!fleet.batteries) {
    return Error{fmt::format(
        "{}column lifetime_days: there is no battery that could last so long: add battery_mah "
        "and battery_v, or battery_j",
        HeaderOf(rows))};
  }
  if (rows.round_period_s.empty() && !defaults.round_period_s) {
    return Error{fmt::format(
        "{}column lifetime_days: how often a round is held is not known: set round.period_s, "
        "or add a column round_period_s",
        HeaderOf(rows))};
  }
  ColumnValues budget_j(fleet.devices);
  for (std::size_t i = 0; i < fleet.devices; ++i) {  // (F5)
    const double period_s =
        rows.round_period_s.empty() ? *defaults.round_period_s : rows.round_period_s[i];
    const double lifetime_s = kSecondsPerDay * rows.lifetime_days[i];
    budget_j[i] =
        (fleet.batteries->capacity_j[i] / lifetime_s + fleet.batteries->harvest_w[i]) * period_s;
  }
  fleet.energy_budget_j = std::move(budget_j);
  return {};
}

}  // namespace airlot::fleet
