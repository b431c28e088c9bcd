#include "runs/nobody_able.h"

#include <fmt/format.h>

namespace airlot::runs {

Error NobodyAble(const Setting& setting) {
  const Scenario& scenario = setting.scenario;
  if (scenario.round.time_weight > 0) {
    return {fmt::format(
        "{}, seed {}: no device can ever take part, because none is worth its time, or none has "
        "the energy or the time for it: lower round.time_weight = {}, or raise "
        "fleet.energy_budget_j or round.time_limit_s",
        scenario.name, setting.seed, scenario.round.time_weight)};
  }
  return {
      fmt::format("{}, seed {}: no device can ever take part, because none has the energy or the "
                  "time for it: raise fleet.energy_budget_j or round.time_limit_s",
                  scenario.name, setting.seed)};
}

}  // namespace airlot::runs
