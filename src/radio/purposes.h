// What the radio's random streams are for.
#ifndef AIRLOT_RADIO_PURPOSES_H_
#define AIRLOT_RADIO_PURPOSES_H_

#include "base/random.h"

namespace airlot::radio {

inline constexpr base::Purpose kFading{30};

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_PURPOSES_H_
