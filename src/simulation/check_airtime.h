// CheckAirtime says whether airtime can be planned, and divided in a run, in a scenario.
#ifndef AIRLOT_SIMULATION_CHECK_AIRTIME_H_
#define AIRLOT_SIMULATION_CHECK_AIRTIME_H_

#include <string_view>

#include "airlot/result.h"
#include "airlot/scenario.h"

namespace airlot::simulation {

// The scenario must bound the mean round, and leave the band to those who are drawn. `otherwise`
// ends the advice: "leave --airtime out".
Status CheckAirtime(const Scenario& scenario, std::string_view otherwise);

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_CHECK_AIRTIME_H_
