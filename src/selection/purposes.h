// These purposes tell the random streams of selection apart.
#ifndef AIRLOT_SELECTION_PURPOSES_H_
#define AIRLOT_SELECTION_PURPOSES_H_

#include "airlot/random.h"

namespace airlot::selection {

inline constexpr RandomPurpose kProbabilistic{60};
inline constexpr RandomPurpose kUniform{61};
inline constexpr RandomPurpose kAnyStrategy{62};

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_PURPOSES_H_
