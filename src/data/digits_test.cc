#include "data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/digit_strokes.h"

namespace airlot {
namespace {

// The hash is FNV-1a with 64 bits.
std::uint64_t HashOf(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

const Dataset& Some() {
  static const Dataset dataset =
      DrawDigits({.train_samples = 20000, .test_samples = 2000, .seed = 0}, 2);
  return dataset;
}

// The images are part of every result that is drawn from them, so they must never change.
TEST(DigitsTest, AreTheSameBytesForEver) {
  const Dataset zero = DrawDigits({.train_samples = 100, .test_samples = 100, .seed = 0});
  const Dataset seven = DrawDigits({.train_samples = 100, .test_samples = 100, .seed = 7});
  EXPECT_EQ(HashOf(zero.train.pixels), 0xeeb722e028a2616du);
  EXPECT_EQ(HashOf(zero.train.labels), 0x85ff0768d33fe0f9u);
  EXPECT_EQ(HashOf(zero.test.pixels), 0x68227eed1ea0ac7u);
  EXPECT_EQ(HashOf(seven.train.pixels), 0xec8761d20579f88du);
  EXPECT_EQ(HashOf(seven.test.labels), 0xe37651598c7fffdfu);
}

TEST(DigitsTest, HaveTheShapeOfMnist) {
  EXPECT_EQ(Some().name, "digits");
  for (const Images* images : {&Some().train, &Some().test}) {
    EXPECT_EQ(images->height, 28);
    EXPECT_EQ(images->width, 28);
    EXPECT_EQ(images->classes, 10);
    EXPECT_EQ(images->pixels.size(), 784 * images->size());
  }
  EXPECT_EQ(Some().train.size(), 20000u);
  EXPECT_EQ(Some().test.size(), 2000u);
  EXPECT_EQ(DigitsOptions().train_samples, 60000u);
  EXPECT_EQ(DigitsOptions().test_samples, 10000u);
}

TEST(DigitsTest, AnImageDoesNotDependOnHowManyThereAre) {
  const Dataset few = DrawDigits({.train_samples = 17000, .test_samples = 3, .seed = 0});
  EXPECT_TRUE(std::ranges::equal(few.train.pixels,
                                 std::span(Some().train.pixels).first(few.train.pixels.size())));
  EXPECT_TRUE(std::ranges::equal(few.test.pixels,
                                 std::span(Some().test.pixels).first(few.test.pixels.size())));
  EXPECT_TRUE(
      std::ranges::equal(few.train.labels, std::span(Some().train.labels).first(few.train.size())));
}

TEST(DigitsTest, DoNotDependOnThreads) {
  const Dataset three = DrawDigits({.train_samples = 20000, .test_samples = 2000, .seed = 0}, 3);
  EXPECT_EQ(three.train.pixels, Some().train.pixels);
  EXPECT_EQ(three.train.labels, Some().train.labels);
  EXPECT_EQ(three.test.pixels, Some().test.pixels);
}

TEST(DigitsTest, LabelsCanBeDrawnAlone) {
  const Labels labels = data::DrawDigitLabels({.train_samples = 20000, .seed = 0});
  EXPECT_EQ(labels.values, Some().train.labels);
  EXPECT_EQ(labels.classes, 10);
}

TEST(DigitsTest, EveryLabelIsAboutEquallyFrequent) {
  std::vector<int> counts(10);
  for (const std::uint8_t label : Some().train.labels) ++counts.at(label);
  for (const int count : counts) EXPECT_NEAR(count, 2000, 4.5 * 42.4);  // sd = sqrt(20000*.1*.9)
}

TEST(DigitsTest, SeedsAndPartsDiffer) {
  const Dataset other = DrawDigits({.train_samples = 2, .test_samples = 2, .seed = 1});
  const auto same = [](std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    return std::ranges::equal(a, b);
  };
  for (const std::size_t i : {0, 1}) {
    EXPECT_FALSE(same(other.train.Image(i), Some().train.Image(i)));
    EXPECT_FALSE(same(Some().test.Image(i), Some().train.Image(i)));
  }
  EXPECT_FALSE(same(Some().train.Image(0), Some().train.Image(1)));
}

// The background is exactly 0, as in MNIST, but for a few specks; every digit has ink.
TEST(DigitsTest, InkIsOnABlankGround) {
  const Images& images = Some().train;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto image = images.Image(i);
    const auto ink = std::ranges::count_if(image, [](std::uint8_t pixel) { return pixel > 0; });
    ASSERT_GE(ink, 10) << i;
    ASSERT_LE(ink, 400) << i;
    ASSERT_GE(*std::ranges::max_element(image), 60) << i;
  }
  const auto blank = std::ranges::count(images.pixels, 0);
  EXPECT_GT(double(blank) / double(images.pixels.size()), 0.7);
  EXPECT_EQ(*std::ranges::max_element(images.pixels), 255);
}

// The mean images of two classes differ, so a label says what is drawn.
TEST(DigitsTest, ClassesLookDifferent) {
  std::vector<std::vector<double>> means(10, std::vector<double>(784));
  for (std::size_t i = 0; i < Some().train.size(); ++i) {
    for (std::size_t p = 0; p < 784; ++p) {
      means[Some().train.labels[i]][p] += Some().train.Image(i)[p] / 2000.0;
    }
  }
  for (std::size_t a = 0; a < 10; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double difference = 0;
      for (std::size_t p = 0; p < 784; ++p) difference += std::abs(means[a][p] - means[b][p]);
      EXPECT_GT(difference / 784, 4) << a << " and " << b;
    }
  }
}

TEST(DigitsTest, CanBeNone) {
  const Dataset none = DrawDigits({.train_samples = 0, .test_samples = 0});
  EXPECT_EQ(none.train.size() + none.test.size(), 0u);
  EXPECT_EQ(none.train.classes, 10);
  EXPECT_TRUE(data::DrawDigitLabels({.train_samples = 0}).values.empty());
}

TEST(DigitStrokesTest, EveryGlyphStartsWithItsPenDownAndFitsItsBox) {
  for (int digit = 0; digit < 10; ++digit) {
    ASSERT_GE(data::GlyphsOf(digit).size(), 2u);
    for (const data::Glyph glyph : data::GlyphsOf(digit)) {
      EXPECT_EQ(glyph.front().kind, data::Knot::Kind::kStart);
      EXPECT_NE(glyph.back().kind, data::Knot::Kind::kStart);
      for (const data::Knot& knot : glyph) {
        EXPECT_LE(std::abs(knot.x), 0.8F);
        EXPECT_LE(std::abs(knot.y), 1.2F);
      }
    }
  }
}

}  // namespace
}  // namespace airlot
