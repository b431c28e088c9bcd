// A micro-batch is the samples that go through the network together.
#ifndef AIRLOT_LEARNING_MICRO_BATCH_H_
#define AIRLOT_LEARNING_MICRO_BATCH_H_

#include <cstddef>

namespace airlot::learning {

// So many samples are enough to use each weight often while it is in a cache, and few enough that
// their activations stay in one (docs/learning.md has the measurement). They are whole panels on
// every machine.
inline constexpr std::size_t kMicroBatch = 64;

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_MICRO_BATCH_H_
