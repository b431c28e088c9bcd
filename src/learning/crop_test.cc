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

Crop Find(const std::vector<Image>& images) {
  std::vector<const std::uint8_t*> pointers;
  pointers.reserve(images.size());
  for (const Image& image : images) pointers.push_back(image.data());
  return FindCrop(pointers, kHeight, kWidth);
}

TEST(Crop, OnePixelAnywhere) {
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 0; x < kWidth; ++x) {
      Crop expected(kHeight);
      expected[y] = {x, x + 1};
      EXPECT_EQ(Find({ImageWith({{y, x}})}), expected);
    }
  }
}

TEST(Crop, SpansFromTheFirstToTheLastPixelOfARow) {
  const Crop crop = Find({ImageWith({{1, 5}, {3, 2}, {3, 4}}), ImageWith({}), ImageWith({{1, 0}})});
  EXPECT_EQ(crop, (Crop{{}, {0, 6}, {}, {2, 5}, {}}));
  EXPECT_EQ(SizeOf(crop), 9U);
}

TEST(Crop, EmptyImages) {
  EXPECT_EQ(Find({ImageWith({}), ImageWith({})}), Crop(kHeight));
  EXPECT_EQ(SizeOf(Crop(kHeight)), 0U);
}

TEST(Crop, UniteHoldsBoth) {
  const Crop a{{}, {2, 3}, {1, 4}, {}, {0, 7}}, b{{}, {}, {3, 6}, {5, 6}, {2, 3}};
  EXPECT_EQ(Unite(a, b), (Crop{{}, {2, 3}, {1, 6}, {5, 6}, {0, 7}}));
  EXPECT_EQ(Unite(a, b), Unite(b, a));
  EXPECT_EQ(Unite(a, Crop(kHeight)), a);
}

TEST(Crop, CopiesWhatIsInsideRowByRow) {
  Image image(kHeight * kWidth);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = std::uint8_t(i);
  Image out(2 + 3 + 1, 99);
  CropImage(image.data(), kWidth, {{}, {}, {4, 6}, {}, {0, 3}}, out.data());
  EXPECT_EQ(out, (Image{18, 19, 28, 29, 30, 99}));
}

TEST(Crop, WholeImage) {
  const Image image = ImageWith({{0, 0}, {2, 2}, {4, 6}});
  Image out(image.size());
  CropImage(image.data(), kWidth, Crop(kHeight, {0, kWidth}), out.data());
  EXPECT_EQ(out, image);
}

}  // namespace
}  // namespace airlot::learning
