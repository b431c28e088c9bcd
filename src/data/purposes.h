// These purposes tell the random streams of data sets and partitions apart.
#ifndef AIRLOT_DATA_PURPOSES_H_
#define AIRLOT_DATA_PURPOSES_H_

#include "base/random.h"

namespace airlot::data {

inline constexpr base::Purpose kDigits{20};
inline constexpr base::Purpose kPartition{21};
inline constexpr base::Purpose kDigitColours{22};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_PURPOSES_H_
