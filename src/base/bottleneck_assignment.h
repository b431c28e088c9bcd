// An assignment says who gets which block of the band.
#ifndef AIRLOT_BASE_BOTTLENECK_ASSIGNMENT_H_
#define AIRLOT_BASE_BOTTLENECK_ASSIGNMENT_H_

#include <cstddef>
#include <span>
#include <vector>

namespace airlot::base {

// Returns the block of each device, so that the slowest is as fast as possible (S7):
//
//   minimise max_i time_s(i, block(i))   s.t.   no two devices have the same
//   block.
//
// `time_s` holds a row of `blocks` times, none NaN, for each device, or a single
// time where all blocks are alike to it; at most as many devices as blocks.
//
// At most T is possible if the pairs that take at most T hold a matching of all
// devices. The least such T is one of the times, and not less than any device's
// or, where all blocks are used, any block's best; it is found by bisection,
// with the matchings of Hopcroft and Karp. Where that bound is reached, nothing
// is sorted or searched, and where all blocks are alike, nothing is matched.
std::vector<std::size_t> FastestAssignment(std::span<const double> time_s, std::size_t devices,
                                           std::size_t blocks);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_BOTTLENECK_ASSIGNMENT_H_
