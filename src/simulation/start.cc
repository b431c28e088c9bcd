// This file says where a run begins, and where it goes on.
#include <fmt/format.h>

#include <utility>

#include "airlot/simulation.h"
#include "simulation/air_losses.h"
#include "simulation/state_parts.h"
#include "simulation/update_steps.h"

namespace airlot {
namespace {

using simulation::Batteries;
using simulation::ClassAccuracies;
using simulation::LostUpdates;
using simulation::PlannedProbabilities;
using simulation::StrategyMemory;

std::vector<double> FullCharges(const DeviceBatteries& batteries, std::size_t devices) {
  std::vector<double> charge_j(devices);
  for (std::size_t i = 0; i < devices; ++i) charge_j[i] = batteries.capacity_j[i];
  return charge_j;
}

// Every feature of the setting adds its part.
StateParts PartsOf(const Setting& setting) {
  StateParts parts;
  const Fleet& fleet = setting.fleet;
  if (fleet.batteries) parts.Get<Batteries>(FullCharges(*fleet.batteries, fleet.devices));
  if (fleet.batteries || setting.scenario.radio.fading.kind != Fading::kNone ||
      setting.scenario.budget == BudgetRule::kStrict) {
    parts.Get<PlannedProbabilities>(fleet.devices);
  }
  if (simulation::AirLosses(setting).may_lose()) parts.Get<LostUpdates>(fleet.devices);
  parts.Get<StrategyMemory>();
  parts.Get<ClassAccuracies>();
  const auto rule = MakeTrainingRule(setting.scenario.learning, parts);
  const simulation::UpdateSteps steps(setting, *rule, parts);  // The steps add their parts, too.
  return parts;
}

}  // namespace

RunState StartOf(const Setting& setting) {
  RunState state;
  state.setting_digest = setting.digest;
  state.parameters = InitialParameters(ModelOf(setting.scenario.model),
                                       ShapeOf(setting.dataset->train), setting.seed);
  state.participations.resize(setting.fleet.devices);
  state.energy_spent_j.resize(setting.fleet.devices);
  state.parts = PartsOf(setting);
  return state;
}

Status CheckBooks(const RunState& state) {
  if (auto status =
          CheckSize(state.participations.size(), state.energy_spent_j.size(), "energy_spent_j");
      !status) {
    return status;
  }
  const bool has_begun = state.round > 0 || !state.records.empty();
  if (auto status = CheckSize(has_begun ? state.round + 1 : 0, state.records.size(), "records");
      !status) {
    return status;
  }
  for (std::size_t i = 0; i < state.records.size(); ++i) {
    if (state.records[i].round == i) continue;
    return Error{fmt::format("records: round = {}: must be {}", state.records[i].round, i)};
  }
  return {};
}

Status Restore(const Setting& setting, Strategy& strategy, RunState& state) {
  const RunSizes sizes{.devices = setting.fleet.devices,
                       .parameters = ParameterCount(ModelOf(setting.scenario.model),
                                                    ShapeOf(setting.dataset->train))};
  if (state.setting_digest != setting.digest) {
    return Error{
        "the fleet or the data have changed since the run began: put them back, or start it anew"};
  }
  if (auto status = CheckSize(sizes.parameters, state.parameters.size(), "parameters"); !status) {
    return status;
  }
  if (auto status = CheckSize(sizes.devices, state.participations.size(), "participations");
      !status) {
    return status;
  }
  if (auto status = CheckBooks(state); !status) return status;
  StateParts parts = PartsOf(setting);
  // Updates of devices elsewhere may be lost in any setting.
  for (const auto& part : state.parts.all()) {
    if (part->name() == LostUpdates().name()) parts.Get<LostUpdates>(setting.fleet.devices);
  }
  strategy.Bind(parts);
  if (auto status = parts.LoadFrom(state.parts, sizes); !status) return status;
  state.parts = std::move(parts);
  return {};
}

}  // namespace airlot
