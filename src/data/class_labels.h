// Labels are bytes; these functions find out how many classes they are of.
#ifndef AIRLOT_DATA_CLASS_LABELS_H_
#define AIRLOT_DATA_CLASS_LABELS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace airlot::data {

using LabelBytes = std::vector<std::uint8_t>;
inline constexpr int kLargestLabel = 255;

// Returns as many classes as the largest label says, and at least 2. Neither part is empty.
inline int ClassesOf(const LabelBytes& train, const LabelBytes& test) {
  return std::max({*std::ranges::max_element(train) + 1, *std::ranges::max_element(test) + 1, 2});
}

}  // namespace airlot::data

#endif  // AIRLOT_DATA_CLASS_LABELS_H_
