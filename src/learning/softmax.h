// Softmax and cross-entropy of a panel of samples.
#ifndef AIRLOT_LEARNING_SOFTMAX_H_
#define AIRLOT_LEARNING_SOFTMAX_H_

#include <cstddef>
#include <cstdint>

namespace airlot::learning {

// `logits` is one panel by feature (classes x samples). Puts -ln softmax(logits)[label] of each
// sample into `losses`, and its gradient times the sample's weight in place of the logits.
// (44), (45). Finite for all finite logits whose differences are. Errors up to 40 classes: of a
// loss at most 2e-7 (1 + loss), of a gradient 3e-7 of the weight.
void SoftmaxGradient(std::size_t classes, const std::uint8_t* labels, const float* weights,
                     float* logits, float* losses);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_SOFTMAX_H_
