// These are what the radio's random streams are for.
#ifndef AIRLOT_RADIO_PURPOSES_H_
#define AIRLOT_RADIO_PURPOSES_H_

#include "base/random.h"

namespace airlot::radio {

// These purposes have one word for each device and round: how large a gain is, which angle it has,
// whether to accept it, and a power of it.
inline constexpr base::Purpose kFading{30}, kFadingPhase{31}, kFadingAccept{32}, kFadingPower{33};
// This purpose has a stream for what was not accepted.
inline constexpr base::Purpose kFadingAgain{34};

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_PURPOSES_H_
