// Draws by weight, without replacement.
#ifndef AIRLOT_BASE_WEIGHTED_DRAW_H_
#define AIRLOT_BASE_WEIGHTED_DRAW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace airlot::base {

// Positions of `count` of the weights (of all, if there are fewer), in rising order: drawn one
// after another, each with probability in proportion to its weight among those that are left. (115)
// Weights are finite and >= 0; those of 0 come after all others, and among themselves evenly.
std::vector<std::uint32_t> DrawByWeight(std::span<const double> weight, std::size_t count,
                                        RandomStream& stream);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_WEIGHTED_DRAW_H_
