// The tests of several methods share these functions.
#ifndef AIRLOT_COMPRESSION_UPDATES_FOR_TESTS_H_
#define AIRLOT_COMPRESSION_UPDATES_FOR_TESTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "airlot/compression.h"
#include "base/random.h"

namespace airlot::compression {

using Numbers = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

inline constexpr base::Purpose kTest{970};

// Returns normal numbers, most of them small.
inline Numbers SomeUpdate(std::size_t size, std::uint64_t seed = 1) {
  base::RandomStream stream(seed, kTest, 0, 0);
  Numbers update(size);
  for (float& value : update) {
    const double normal = stream.Normal();
    value = float(0.01 * normal * normal * normal);
  }
  return update;
}

// Returns what the server makes of an update.
inline Numbers SentOf(const CompressionOptions& options, Numbers update, std::uint64_t round = 0) {
  Numbers memory;
  Compress(options, update, memory, 1, round, 0);
  return update;
}

inline double SquaredNorm(const Numbers& numbers) {
  double sum = 0;
  for (const float value : numbers) sum += double{value} * value;
  return sum;
}

inline double SquaredDistance(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  }
  return sum;
}

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_UPDATES_FOR_TESTS_H_
