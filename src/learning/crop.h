// Most pictures have an empty margin, and what is zero in every image of a micro-batch adds nothing
// to a sum or a gradient of the first layer. So the images are cropped: the first layer works on
// the columns of each row between the first and the last pixel that some image uses. The results
// are those of the whole images, but for the order of sums. Of MNIST's 784 pixels, 64 images use
// about 480.
#ifndef AIRLOT_LEARNING_CROP_H_
#define AIRLOT_LEARNING_CROP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace airlot::learning {

// A RowSpan is the columns [begin, end) of one row of an image, or none.
struct RowSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t Size() const { return end - begin; }
  bool operator==(const RowSpan&) const = default;
};

// A Crop has one span for each row of an image.
using Crop = std::vector<RowSpan>;

// SizeOf returns how many pixels lie inside of the crop.
std::size_t SizeOf(const Crop& crop);

// FindCrop returns the smallest crop outside of which all images are zero.
Crop FindCrop(std::span<const std::uint8_t* const> images, std::size_t height, std::size_t width);

// Unite returns the smallest crop that holds both.
Crop Unite(const Crop& a, const Crop& b);

// CropImage copies the pixels inside of the crop, row by row.
void CropImage(const std::uint8_t* image, std::size_t width, const Crop& crop, std::uint8_t* out);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_CROP_H_
