#include "data/sample_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/npy.h"

namespace airlot::data {
namespace {

bool IsChannelCount(std::size_t count) { return count == 1 || count == 3; }

template <class Number>
void MoveChannels(const SampleLayout& layout, std::vector<Number>& numbers) {
  if (!layout.has_channels_last || layout.channels == 1) return;
  const std::size_t channels = std::size_t(layout.channels);
  const std::size_t pixels = std::size_t(layout.height) * std::size_t(layout.width);
  std::vector<Number> sample(layout.Numbers());
  for (std::size_t begin = 0; begin < numbers.size(); begin += sample.size()) {
    Number* place = numbers.data() + begin;
    std::copy_n(place, sample.size(), sample.data());
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (std::size_t i = 0; i < pixels; ++i) *place++ = sample[i * channels + channel];
    }
  }
}

}  // namespace

std::string SampleLayout::Size() const {
  const std::string size = fmt::format("{} x {}", height, width);
  return channels == 1 ? size : fmt::format("{} x {}", channels, size);
}

Result<SampleLayout> LayoutOf(std::span<const std::size_t> shape) {
  const auto size = [&](std::size_t i) { return int(shape[i]); };
  switch (shape.size()) {
    case 2:
      return SampleLayout{.width = size(1)};
    case 3:
      return SampleLayout{.height = size(1), .width = size(2)};
    case 4:
      if (IsChannelCount(shape[1])) {
        return SampleLayout{.channels = size(1), .height = size(2), .width = size(3)};
      }
      if (IsChannelCount(shape[3])) {
        return SampleLayout{
            .channels = size(3), .height = size(1), .width = size(2), .has_channels_last = true};
      }
      return Error{
          fmt::format("has the shape {}: of four dimensions, the second or the last must be 1 or "
                      "3, the number of channels",
                      base::ShapeText(shape))};
    default:
      return Error{fmt::format(
          "has the shape {}: must be samples by features, by rows and columns, or by channels, "
          "rows and columns",
          base::ShapeText(shape))};
  }
}

void PutChannelsFirst(const SampleLayout& layout, std::vector<std::uint8_t>& numbers) {
  MoveChannels(layout, numbers);
}

void PutChannelsFirst(const SampleLayout& layout, std::vector<float>& numbers) {
  MoveChannels(layout, numbers);
}

}  // namespace airlot::data
