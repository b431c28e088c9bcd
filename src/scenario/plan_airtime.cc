// The airtime plan of a scenario.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "airlot/scenario_fleet.h"
#include "base/gather.h"
#include "base/shards.h"
#include "selection/airtime_rules.h"

namespace airlot {
namespace {

// Returns each device's share of the data, equal ones where the fleet knows of no samples.
ColumnValues DataShares(const Fleet& fleet, const Hands& hands) {
  const auto all_devices = static_cast<double>(base::SumOfMembers(hands, fleet.devices));
  ColumnValues shares(fleet.devices, 1 / all_devices);
  if (!fleet.samples) return shares;
  const long double sum = base::SumOfFleet(fleet.devices, hands, [&](std::size_t i) {
    return static_cast<long double>((*fleet.samples)[i]);
  });
  for (std::size_t i = 0; sum > 0 && i < fleet.devices; ++i) {
    shares[i] = static_cast<double>((*fleet.samples)[i] / sum);
  }
  return shares;
}

// The fields of an airtime problem come from these keys.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKeys = {{
    {"fairness", "strategy.airtime.fairness"},
    {"energy_price_s_per_j", "strategy.airtime.energy_price"},
    {"participants", "strategy.airtime.participants"},
    {"weight", "strategy.airtime.data_exponent"},
    {"least_probability", "strategy.airtime.floor"},
    {"seconds", "round.time_limit_s"},
}};

// Names the key of the field that an error is about.
Error WithKey(const Error& error) {
  for (const auto& [field, key] : kKeys) {
    if (error.field == field) return {std::string(key) + error.message.substr(field.size()), {}};
    if (error.message.find(fmt::format(" {} = ", field)) == std::string::npos) continue;
    return {fmt::format("{}: makes a value that no plan takes: {}", key, error.message), {}};
  }
  return {"the airtime plan: " + error.message, {}};
}

}  // namespace

Result<AirtimeCellPlan> PlanAirtime(const Scenario& scenario, const Fleet& fleet,
                                    const PlanningProblem& problem, const Plan& own_bands,
                                    const Hands& hands) {
  auto cell = CellOf(fleet, scenario, problem);
  if (!cell) return cell.error();
  AirtimeCellPlan planned{
      .rules = selection::AirtimeRulesOf({scenario.strategy, selection::kAirtimeStrategy}),
      .cell = *cell,
      .data_share = DataShares(fleet, hands)};
  planned.round = std::make_unique<AirtimeRound>(planned.rules);
  AirtimeRound& round = *planned.round;
  const auto status = base::AgreeOn(
      hands, round.Check(planned.cell, planned.data_share, own_bands.probability, hands));
  if (!status) {
    return WithKey(status.error());
  }
  round.Plan(planned.cell, planned.data_share, own_bands.probability, hands);
  return planned;
}

}  // namespace airlot
