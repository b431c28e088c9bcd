#include <algorithm>
#include <unordered_set>

#include "airlot/random.h"

namespace airlot {

// Floyd's algorithm takes as many draws as numbers are drawn, however many there are to draw from.
std::vector<std::uint32_t> DrawUniformly(std::span<const std::uint32_t> numbers, std::size_t count,
                                         RandomStream stream) {
  count = std::min(count, numbers.size());
  std::unordered_set<std::size_t> chosen;
  for (std::size_t last = numbers.size() - count; last < numbers.size(); ++last) {
    const std::size_t drawn = stream.Below(last + 1);
    chosen.insert(chosen.contains(drawn) ? last : drawn);
  }
  std::vector<std::size_t> places(chosen.begin(), chosen.end());
  std::ranges::sort(places);
  std::vector<std::uint32_t> drawn;
  drawn.reserve(count);
  for (const std::size_t place : places) drawn.push_back(numbers[place]);
  return drawn;
}

}  // namespace airlot
