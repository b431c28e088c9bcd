#include "learning/crop.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace airlot::learning {
namespace {

constexpr std::size_t kHeight = 5, kWidth = 7;
using Image = std::vector<std::uint8_t>;

Image ImageWith(const std::vector<std::pair<std::size_t, std::size_t>>& points) {
  Image image(kHeight * kWidth);
  for (const auto& [y, x] : points) image[y * kWidth + x] = 1;
  return image;
}

Box BoxOf(const std::vector<Image>& images) {
  std::vector<const std::uint8_t*> pointers;
  pointers.reserve(images.size());
  for (const Image& image : images) pointers.push_back(image.data());
  return FindBox(pointers, kHeight, kWidth);
}

TEST(Crop, BoxOfOnePixelAnywhere) {
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 0; x < kWidth; ++x) {
      EXPECT_EQ(BoxOf({ImageWith({{y, x}})}), (Box{y, x, 1, 1}));
    }
  }
}

TEST(Crop, BoxOfTwoPixels) {
  EXPECT_EQ(BoxOf({ImageWith({{1, 5}, {3, 2}})}), (Box{1, 2, 3, 4}));
  EXPECT_EQ(BoxOf({ImageWith({{0, 0}, {4, 6}})}), (Box{0, 0, 5, 7}));
}

TEST(Crop, BoxHoldsAllImages) {
  EXPECT_EQ(BoxOf({ImageWith({{1, 1}}), ImageWith({}), ImageWith({{2, 6}})}), (Box{1, 1, 2, 6}));
}

TEST(Crop, EmptyImagesHaveABoxOfOnePixel) {
  EXPECT_EQ(BoxOf({ImageWith({})}), (Box{0, 0, 1, 1}));
  EXPECT_EQ(BoxOf({ImageWith({}), ImageWith({})}), (Box{0, 0, 1, 1}));
}

TEST(Crop, CopiesTheBoxRowByRow) {
  Image image(kHeight * kWidth);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = std::uint8_t(i);
  Image out(2 * 3 + 1, 99);
  Crop(image.data(), kWidth, {2, 4, 2, 3}, out.data());
  EXPECT_EQ(out, (Image{18, 19, 20, 25, 26, 27, 99}));
}

TEST(Crop, WholeImage) {
  const Image image = ImageWith({{0, 0}, {2, 2}, {4, 6}});
  Image out(image.size());
  Crop(image.data(), kWidth, {0, 0, kHeight, kWidth}, out.data());
  EXPECT_EQ(out, image);
}

}  // namespace
}  // namespace airlot::learning
