// A SampleLayout says how the numbers of one sample lie in an array of samples.
#ifndef AIRLOT_DATA_SAMPLE_LAYOUT_H_
#define AIRLOT_DATA_SAMPLE_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::data {

struct SampleLayout {
  int channels = 1;
  int height = 1;
  int width = 1;
  bool has_channels_last = false;  // in the array; in Images they come first

  std::size_t Numbers() const {
    return std::size_t(channels) * std::size_t(height) * std::size_t(width);
  }
  bool HasSizeOf(const SampleLayout& other) const {
    return channels == other.channels && height == other.height && width == other.width;
  }
  // Returns "28 x 28", or "3 x 32 x 32" where there is more than one channel.
  std::string Size() const;
};

// Finds the layout in the shape of an array, samples first: [sample][feature],
// [sample][row][column], [sample][channel][row][column] or [sample][row][column][channel]. Of four
// dimensions, the second counts the channels where it is 1 or 3, and else the last, where that is.
// The product of the dimensions must be below 2^31. An error does not name the array.
Result<SampleLayout> LayoutOf(std::span<const std::size_t> shape);

// Moves the channels of each sample to the front where they are last.
void PutChannelsFirst(const SampleLayout& layout, std::vector<std::uint8_t>& numbers);
void PutChannelsFirst(const SampleLayout& layout, std::vector<float>& numbers);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_SAMPLE_LAYOUT_H_
