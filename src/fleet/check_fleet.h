// These functions say what a whole fleet must be like.
#ifndef AIRLOT_FLEET_CHECK_FLEET_H_
#define AIRLOT_FLEET_CHECK_FLEET_H_

#include <string>

#include "airlot/fleet.h"
#include "airlot/result.h"

namespace airlot::fleet {

// Returns what begins a message on the columns of a file, "fleet.csv:1: " or "fleet.npz: "; nothing
// where there is no file.
std::string HeaderOf(const FleetRows& rows);

// The messages of these functions begin with the file and the line of `rows`, of which the fleet
// was made. Names the first device that stands where the path loss is not defined.
Status CheckDistances(const Fleet& fleet, const Propagation& propagation, const FleetRows& rows,
                      int threads);

// Names the first derived value that the planner cannot take. `is_measured` says that the channel
// is not derived from distances.
Status CheckDerived(const Fleet& fleet, const FleetRows& rows, bool is_measured, int threads);

// Checks that every device has a power of the radio, and brings P^max down to the largest that it
// has where powers are listed: then P^max is one of them. (docs/radios.md, (D1))
Status FitMaxPower(const Radio& radio, const FleetRows& rows, Fleet& fleet);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_CHECK_FLEET_H_
