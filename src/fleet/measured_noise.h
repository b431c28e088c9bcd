// A measured noise remembers the band that it was measured in (docs/fleets.md).
#ifndef AIRLOT_FLEET_MEASURED_NOISE_H_
#define AIRLOT_FLEET_MEASURED_NOISE_H_

#include "airlot/column.h"
#include "airlot/fleet.h"
#include "airlot/radio.h"
#include "airlot/result.h"

namespace airlot::fleet {

// Brings noise_to_gain_w and noise_dbm of the rows into the devices' own bands, (F3), where the
// noise grows with the band; else they stay what they are. Fails where it grows and the rows say
// neither the band that was measured in nor the devices' own.
Status BringNoiseIntoOwnBands(FleetRows& rows, const Column& bandwidth_hz, bool bands_are_of_rows,
                              const Radio& radio);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_MEASURED_NOISE_H_
