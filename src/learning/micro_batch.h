// How many samples go through the network together.
#ifndef AIRLOT_LEARNING_MICRO_BATCH_H_
#define AIRLOT_LEARNING_MICRO_BATCH_H_

#include <cstddef>

namespace airlot::learning {

// Enough to use each weight often while it is in a cache, few enough that their activations stay in
// one (docs/learning.md has the measurement). Whole panels on every machine.
inline constexpr std::size_t kMicroBatch = 64;

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_MICRO_BATCH_H_
