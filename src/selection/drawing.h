// Drawing devices uniformly, without replacement.
#ifndef AIRLOT_SELECTION_DRAWING_H_
#define AIRLOT_SELECTION_DRAWING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "airlot/selection.h"
#include "base/random.h"

namespace airlot::selection {

// `count` of the devices, or all where they are fewer, in the order of
// `devices`. (53)
std::vector<std::uint32_t> DrawUniformly(std::span<const std::uint32_t> devices, std::size_t count,
                                         base::RandomStream stream);

// The same as a selection, with the probability that each device had.
void SelectUniformly(std::span<const std::uint32_t> devices, std::size_t count,
                     base::RandomStream stream, Selection& selection);

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_DRAWING_H_
