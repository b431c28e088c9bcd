// From the columns that a file gives, or none, to a whole fleet.
#ifndef AIRLOT_FLEET_COMPLETE_H_
#define AIRLOT_FLEET_COMPLETE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "airlot/fleet.h"
#include "airlot/result.h"

namespace airlot::fleet {

// Columns as a file has them; an empty one was not given.
struct GivenColumns {
  Values distance_m, noise_to_gain_w, bandwidth_hz, max_power_w, energy_budget_j, compute_energy_j,
      compute_time_s, samples, cycles_per_sample, cpu_hz, kappa, update_bits, time_limit_s,
      receive_energy_j, battery_j, harvest_w;
};

// Draws what was not given and derives the rest. An error from defaults.samples_of, or where the
// path loss is not defined for the radio or the area. Given distances are not checked.
Result<Fleet> Complete(std::size_t devices, GivenColumns given, const FleetDefaults& defaults,
                       int threads);

// Names the first device that stands where the path loss is not defined.
Status CheckDistances(const Fleet& fleet, const Radio& radio, const std::string& origin);

// Names the first derived value that the planner cannot take. `origin` begins the message; it is
// empty for a fleet that was drawn.
Status CheckDerived(const Fleet& fleet, const std::string& origin);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_COMPLETE_H_
