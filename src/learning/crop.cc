#include "learning/crop.h"

#include <algorithm>

namespace airlot::learning {
namespace {

RowSpan SpanOf(std::span<const std::uint8_t> row) {
  const auto is_used = [](std::uint8_t pixel) { return pixel != 0; };
  const auto first = std::find_if(row.begin(), row.end(), is_used);
  if (first == row.end()) return {};
  const auto last = std::find_if(row.rbegin(), row.rend(), is_used);
  return {std::size_t(first - row.begin()), std::size_t(row.rend() - last)};
}

}  // namespace

std::size_t SizeOf(const Crop& crop) {
  std::size_t size = 0;
  for (const RowSpan& span : crop) size += span.Size();
  return size;
}

Crop FindCrop(std::span<const std::uint8_t* const> images, std::size_t height, std::size_t width) {
  std::vector<std::uint8_t> any(height * width);
  for (const std::uint8_t* image : images) {
    for (std::size_t i = 0; i < any.size(); ++i) any[i] |= image[i];
  }
  Crop crop;
  for (std::size_t y = 0; y < height; ++y) {
    crop.push_back(SpanOf(std::span(any).subspan(y * width, width)));
  }
  return crop;
}

Crop Unite(const Crop& a, const Crop& b) {
  Crop both = a;
  for (std::size_t y = 0; y < both.size(); ++y) {
    if (b[y].Size() == 0) continue;
    both[y] = both[y].Size() == 0
                  ? b[y]
                  : RowSpan{std::min(a[y].begin, b[y].begin), std::max(a[y].end, b[y].end)};
  }
  return both;
}

void CropImage(const std::uint8_t* image, std::size_t width, const Crop& crop, std::uint8_t* out) {
  for (const RowSpan& span : crop) {
    out = std::copy(image + span.begin, image + span.end, out);
    image += width;
  }
}

}  // namespace airlot::learning
