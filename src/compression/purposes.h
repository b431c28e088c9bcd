// These are what the random streams of compression are for.
#ifndef AIRLOT_COMPRESSION_PURPOSES_H_
#define AIRLOT_COMPRESSION_PURPOSES_H_

#include "base/random.h"

namespace airlot::compression {

inline constexpr base::Purpose kRandKSeed{70};
inline constexpr base::Purpose kRandKPositions{71};  // drawn from the seed that rand-k sends
inline constexpr base::Purpose kQsgd{72};

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_PURPOSES_H_
