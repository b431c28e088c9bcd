#include <algorithm>
#include <cstddef>

#include "airlot/column.h"
#include "airlot/fleet.h"
#include "airlot/radio.h"

namespace airlot {

// (191)
void FadeNoise(const Fleet& fleet, const Radio& radio, std::uint64_t seed, std::uint64_t round,
               std::span<double> noise_to_gain_w) {
  const std::span<double> gains = noise_to_gain_w;  // first they, in the same place
  DrawFading(radio, fleet.rician_k, seed, round, 0, gains);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    // A deep fade must not leave what the planner computes with.
    noise_to_gain_w[i] = std::min(fleet.noise_to_gain_w[i] / gains[i], kLargestInput);
  }
}

}  // namespace airlot
