// Images are evaluated part by part, and the parts put together.
#ifndef AIRLOT_LEARNING_EVALUATION_H_
#define AIRLOT_LEARNING_EVALUATION_H_

#include <cstddef>
#include <span>
#include <vector>

#include "airlot/training.h"
#include "learning/network.h"

namespace airlot::learning {

// A Tally holds sums over some images, by class.
struct Tally {
  double loss = 0;
  std::vector<std::size_t> images, right;
};
Tally TallyImages(Network& network, const Images& images, std::span<const float> parameters,
                  std::size_t begin, std::size_t end);

// Returns the evaluation of all images, of which there are some.
Evaluation EvaluationOf(std::span<const Tally> tallies, const Images& images);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_EVALUATION_H_
