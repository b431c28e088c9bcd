// These are what the simulation's random streams are for.
#ifndef AIRLOT_SIMULATION_PURPOSES_H_
#define AIRLOT_SIMULATION_PURPOSES_H_

#include "airlot/random.h"

namespace airlot::simulation {

inline constexpr RandomPurpose kChannelError{80};
inline constexpr RandomPurpose kPackets{81};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_PURPOSES_H_
