// These purposes tell the random streams of learning apart.
#ifndef AIRLOT_LEARNING_PURPOSES_H_
#define AIRLOT_LEARNING_PURPOSES_H_

#include "base/random.h"

namespace airlot::learning {

inline constexpr base::Purpose kInitialParameters{40};
inline constexpr base::Purpose kBatch{41};
inline constexpr base::Purpose kQuestionBatch{42};
inline constexpr base::Purpose kDropoutMask{43};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_PURPOSES_H_
