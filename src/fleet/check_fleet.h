// These functions say what a whole fleet must be like.
#ifndef AIRLOT_FLEET_CHECK_FLEET_H_
#define AIRLOT_FLEET_CHECK_FLEET_H_

#include <string>

#include "airlot/fleet.h"
#include "airlot/result.h"

namespace airlot::fleet {

// Returns what begins a message on the columns of a file, "fleet.csv:1: "; nothing where there is
// no file.
std::string HeaderOf(const FleetRows& rows);

// Names the first device that stands where the path loss is not defined. `origin` begins the
// message.
Status CheckDistances(const Fleet& fleet, const Propagation& propagation,
                      const std::string& origin);

// Names the first derived value that the planner cannot take. `origin` begins the message; it is
// empty for a fleet that was drawn. `is_measured` says that the channel is not derived from
// distances.
Status CheckDerived(const Fleet& fleet, const std::string& origin, bool is_measured);

// Checks that every device has a power of the radio, and brings P^max down to the largest that it
// has where powers are listed: then P^max is one of them. (docs/radios.md, (D1))
Status FitMaxPower(const Radio& radio, const std::string& origin, Fleet& fleet);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_CHECK_FLEET_H_
