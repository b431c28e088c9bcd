#include "airlot/draw.h"

#include <cstddef>

#include "selection/independent_draws.h"

namespace airlot {

std::vector<std::uint32_t> DrawParticipants(std::span<const double> probability, std::uint64_t seed,
                                            std::uint64_t round) {
  std::vector<std::uint32_t> drawn;
  selection::VisitDraws(probability, seed, round, [&](std::size_t i, bool is_drawn) {
    if (is_drawn) drawn.push_back(static_cast<std::uint32_t>(i));
  });
  return drawn;
}

}  // namespace airlot
