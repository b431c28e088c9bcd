// Drawing some of many numbers uniformly, without replacement.
#ifndef AIRLOT_BASE_UNIFORM_DRAW_H_
#define AIRLOT_BASE_UNIFORM_DRAW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace airlot::base {

// Draws `count` of the numbers, or all where they are fewer; they come in the order of `numbers`.
// (53)
std::vector<std::uint32_t> DrawUniformly(std::span<const std::uint32_t> numbers, std::size_t count,
                                         RandomStream stream);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_UNIFORM_DRAW_H_
