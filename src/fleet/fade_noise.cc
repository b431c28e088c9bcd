#include <algorithm>
#include <cstddef>

#include "airlot/column.h"
#include "airlot/fleet.h"
#include "airlot/radio.h"

namespace airlot {

// (Q2)
void FadeNoise(const Fleet& fleet, const FadingModel& fading, const ChannelKnowledge& knowledge,
               std::uint64_t seed, std::uint64_t round, std::span<double> noise_to_gain_w) {
  constexpr std::size_t kPart = 2048;  // number of devices, so that their gains stay in the cache
  const ColumnView static_w = fleet.noise_to_gain_w;
  for (std::size_t begin = 0; begin < noise_to_gain_w.size(); begin += kPart) {
    const std::size_t size = std::min(kPart, noise_to_gain_w.size() - begin);
    // The gains become the noise over them in their place.
    const std::span<double> gains = noise_to_gain_w.subspan(begin, size);
    DrawFading(fading, fleet.rician_k, seed, round, begin, gains);
    if (knowledge.correlation < 1) {
      for (double& gain : gains) gain = KnownGain(knowledge, gain);
    }
    for (std::size_t i = 0; i < size; ++i) {
      // A deep fade must not leave what the planner computes with.
      gains[i] = std::min(static_w[begin + i] / gains[i], kLargestInput);
    }
  }
}

}  // namespace airlot
