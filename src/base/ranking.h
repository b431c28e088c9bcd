// Ranking finds the largest of many numbers without sorting all.
#ifndef AIRLOT_BASE_RANKING_H_
#define AIRLOT_BASE_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace airlot::base {

// Returns the number that would stand at `rank` (from 0) if the numbers were sorted, the least
// first. None of them may be NaN.
double NumberAtRank(std::vector<double> numbers, std::size_t rank);

// Returns the positions of the `count` largest numbers (of all, if there are fewer), in rising
// order; of equal numbers the first ones count.
std::vector<std::uint32_t> PositionsOfLargest(std::span<const double> numbers, std::size_t count);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_RANKING_H_
