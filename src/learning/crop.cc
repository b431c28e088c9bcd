#include "learning/crop.h"

#include <algorithm>
#include <vector>

namespace airlot::learning {
namespace {

// The first and one past the last of [0, size) for which `is_used` holds; [0, 1) where it never
// does.
template <class IsUsed>
std::pair<std::size_t, std::size_t> RangeOf(std::size_t size, const IsUsed& is_used) {
  std::size_t begin = 0, end = size;
  while (begin < size && !is_used(begin)) ++begin;
  if (begin == size) return {0, 1};
  while (!is_used(end - 1)) --end;
  return {begin, end};
}

}  // namespace

Box FindBox(std::span<const std::uint8_t* const> images, std::size_t height, std::size_t width) {
  std::vector<std::uint8_t> any(height * width);
  for (const std::uint8_t* image : images) {
    for (std::size_t i = 0; i < any.size(); ++i) any[i] |= image[i];
  }
  const auto is_row_used = [&](std::size_t y) {
    const auto* row = any.data() + y * width;
    return std::any_of(row, row + width, [](std::uint8_t pixel) { return pixel != 0; });
  };
  const auto [top, bottom] = RangeOf(height, is_row_used);
  const auto is_column_used = [&](std::size_t x) {
    for (std::size_t y = 0; y < height; ++y) {
      if (any[y * width + x] != 0) return true;
    }
    return false;
  };
  const auto [left, right] = RangeOf(width, is_column_used);
  return {top, left, bottom - top, right - left};
}

void Crop(const std::uint8_t* image, std::size_t width, const Box& box, std::uint8_t* out) {
  for (std::size_t y = 0; y < box.height; ++y) {
    std::copy_n(image + (box.top + y) * width + box.left, box.width, out + y * box.width);
  }
}

}  // namespace airlot::learning
