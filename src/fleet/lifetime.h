// A battery and the lifetime that is wanted of it give the energy budget of a round
// (docs/fleets.md).
#ifndef AIRLOT_FLEET_LIFETIME_H_
#define AIRLOT_FLEET_LIFETIME_H_

#include "airlot/fleet.h"
#include "airlot/result.h"

namespace airlot::fleet {

// Returns the charge of a battery in joules. (F4)
double BatteryEnergy(double battery_mah, double battery_v);

// Sets the budgets of a fleet whose batteries are set, from the lifetimes of the rows. (F5) Fails
// where there is no battery, or where nobody says how often a round is held.
Status SetLifetimeBudgets(Fleet& fleet, const FleetRows& rows, const FleetDefaults& defaults);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_LIFETIME_H_
