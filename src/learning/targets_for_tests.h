// The tests share this header: it runs them with each set of vector instructions in turn, and draws
// numbers and images to compute with.
#ifndef AIRLOT_LEARNING_TARGETS_FOR_TESTS_H_
#define AIRLOT_LEARNING_TARGETS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "airlot/dataset.h"
#include "airlot/model.h"
#include "base/random.h"
#include "base/targets_for_tests.h"
#include "learning/crop.h"
#include "learning/panels.h"

namespace airlot::learning {

using base::ForcedTarget;
using base::OnEveryTarget;

// TestStream returns random numbers for tests; each name is a stream of its own.
inline base::RandomStream TestStream(std::uint64_t name) {
  return {name, base::Purpose{900}, 0, 0};
}

// Quarters returns random multiples of 1/4 in [-2, 2]. Products of two are multiples of 1/16, and a
// float holds sums of 2^18 of them exactly, so that the order of a sum does not matter and tests
// may ask for equality. Many numbers are equal, so the largest of some is often a tie.
inline Floats Quarters(std::size_t count, base::RandomStream& stream) {
  Floats numbers(count);
  for (float& number : numbers) number = (float(stream.Below(17)) - 8) / 4;
  return numbers;
}

// A Box is a rectangle of an image.
struct Box {
  std::size_t top = 0, left = 0, height = 0, width = 0;
};

inline Crop CropOf(const Box& box, std::size_t image_height) {
  Crop crop(image_height);
  for (std::size_t y = 0; y < box.height; ++y) crop[box.top + y] = {box.left, box.left + box.width};
  return crop;
}

// DrawImages returns images with noise inside of `box`, nothing outside, and random labels.
inline Images DrawImages(std::size_t count, const ImageShape& shape, const Box& box,
                         base::RandomStream& stream) {
  Images images{shape.height, shape.width, shape.classes, {}, {}};
  images.pixels.resize(count * images.PixelsPerImage());
  for (std::size_t i = 0; i < count; ++i) {
    images.labels.push_back(std::uint8_t(stream.Below(std::uint64_t(shape.classes))));
    std::uint8_t* image = images.pixels.data() + i * images.PixelsPerImage();
    for (std::size_t y = box.top; y < box.top + box.height; ++y) {
      for (std::size_t x = box.left; x < box.left + box.width; ++x) {
        image[y * std::size_t(shape.width) + x] = std::uint8_t(stream.Below(256));
      }
    }
  }
  return images;
}

// At returns number (r, c) of a matrix, by the definition of panels.h.
template <class T>
T& At(const MatrixOf<T>& matrix, std::size_t r, std::size_t c) {
  const std::size_t width = PanelWidth();
  return matrix.data[c / width * matrix.panel + r * matrix.row + c % width];
}

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_TARGETS_FOR_TESTS_H_
