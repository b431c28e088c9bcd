// Cropping: most pictures have an empty margin, and what is zero in every image of a micro-batch
// adds nothing to a sum or a gradient of the first layer. So the first layer works on the smallest
// box around the rest. The results are those of the whole images, but for the order of sums; on
// MNIST, whose digits fill 20 x 20 of 28 x 28 pixels, it halves the work.
#ifndef AIRLOT_LEARNING_CROP_H_
#define AIRLOT_LEARNING_CROP_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace airlot::learning {

// Rows and columns of an image.
struct Box {
  std::size_t top = 0;
  std::size_t left = 0;
  std::size_t height = 0;
  std::size_t width = 0;

  std::size_t Size() const { return height * width; }
  bool operator==(const Box&) const = default;
};

// The smallest box of at least one pixel outside of which all images are zero.
Box FindBox(std::span<const std::uint8_t* const> images, std::size_t height, std::size_t width);

// Copies the pixels of the box, row by row.
void Crop(const std::uint8_t* image, std::size_t width, const Box& box, std::uint8_t* out);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_CROP_H_
