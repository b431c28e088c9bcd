// This header draws who takes part in a round, device by device and independently, as the strategy
// `probabilistic` does.
#ifndef AIRLOT_DRAW_H_
#define AIRLOT_DRAW_H_

#include <cstdint>
#include <span>
#include <vector>

namespace airlot {

// Returns the numbers of the devices that are drawn in a round, in rising order: each on its own
// with its probability, (53). The same probabilities, seed and round give the same devices,
// whatever else is drawn, in any order of rounds: those of a run of the strategy `probabilistic` by
// that plan. Rounds of runs count from 1.
std::vector<std::uint32_t> DrawParticipants(std::span<const double> probability, std::uint64_t seed,
                                            std::uint64_t round);

}  // namespace airlot

#endif  // AIRLOT_DRAW_H_
