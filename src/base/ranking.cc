#include "base/ranking.h"

#include <algorithm>

namespace airlot::base {

double NumberAtRank(std::vector<double> numbers, std::size_t rank) {
  const auto at = numbers.begin() + std::ptrdiff_t(rank);
  std::nth_element(numbers.begin(), at, numbers.end());
  return *at;
}

std::vector<std::uint32_t> PositionsOfLargest(std::span<const double> numbers, std::size_t count) {
  count = std::min(count, numbers.size());
  if (count == 0) return {};
  const double last = NumberAtRank({numbers.begin(), numbers.end()}, numbers.size() - count);
  std::size_t equal = count;  // as many that equal the last belong to the largest
  for (const double number : numbers) equal -= number > last ? 1 : 0;
  std::vector<std::uint32_t> positions;
  positions.reserve(count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < last || (numbers[i] == last && equal == 0)) continue;
    if (numbers[i] == last) --equal;
    positions.push_back(std::uint32_t(i));
  }
  return positions;
}

}  // namespace airlot::base
