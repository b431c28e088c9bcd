// The largest of many numbers, found without sorting all.
#ifndef AIRLOT_BASE_RANKING_H_
#define AIRLOT_BASE_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace airlot::base {

// The number that would stand at `rank` (from 0) if they were sorted, the least first; of some
// numbers, none of them NaN.
double NumberAtRank(std::vector<double> numbers, std::size_t rank);

// Positions of the `count` largest (of all, if there are fewer), in rising order; of equal numbers
// the first.
std::vector<std::uint32_t> PositionsOfLargest(std::span<const double> numbers, std::size_t count);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_RANKING_H_
