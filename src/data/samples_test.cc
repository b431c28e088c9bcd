// Colour images in IDX files and drawn ones, standardised samples, and digests of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "data/scratch_folder_for_tests.h"
#include "data/sha256.h"

namespace airlot::data {
namespace {

// --- IDX files with four dimensions --------------------------------------------------------------

class ColourIdxTest : public ScratchFolder {
 protected:
  void WriteImages(const std::string& train, const std::string& test) const {
    Write("set/train-images-idx4-ubyte", train);
    Write("set/train-labels-idx1-ubyte", Idx({1}, {1}));
    Write("set/t10k-images-idx3-ubyte.gz", Gzip(test));
    Write("set/t10k-labels-idx1-ubyte", Idx({1}, {0}));
  }
};

TEST_F(ColourIdxTest, ChannelsFirstOrLast) {
  WriteImages(Idx({1, 3, 1, 2}, "aAbBcC"), Idx({1, 1, 2, 3}, "abcABC"));
  // The second image is [row][column][channel] only in our reading: its second dimension is 1.
  EXPECT_EQ(ReadDataset(Path("set")).error().message,
            Path("set/t10k-images-idx3-ubyte.gz") +
                ": has images of 2 x 3, expected 3 x 1 x 2, as " +
                Path("set/train-images-idx4-ubyte") + " has");
  WriteImages(Idx({1, 3, 2, 2}, "abcdABCD1234"), Idx({1, 2, 2, 3}, "aA1bB2cC3dD4"));
  const auto set = ReadDataset(Path("set"));
  ASSERT_TRUE(set) << set.error().message;
  for (const Images* images : {&set->train, &set->test}) {
    EXPECT_EQ(images->channels, 3);
    EXPECT_EQ(images->height, 2);
    EXPECT_EQ(images->width, 2);
    EXPECT_EQ(std::string(images->pixels.begin(), images->pixels.end()), "abcdABCD1234");
  }
  const auto labels = ReadTrainingLabels(Path("set"));
  ASSERT_TRUE(labels) << labels.error().message;
  EXPECT_EQ(labels->channels, 3);
  EXPECT_EQ(labels->height, 2);
}

TEST_F(ColourIdxTest, OtherChannels) {
  WriteImages(Idx({1, 2, 1, 2}, "abcd"), Idx({1, 2, 1, 2}, "abcd"));
  const std::string error =
      ": has the shape (1, 2, 1, 2): of four dimensions, the second or the "
      "last must be 1 or 3, the number of channels";
  EXPECT_EQ(ReadDataset(Path("set")).error().message, Path("set/train-images-idx4-ubyte") + error);
  EXPECT_EQ(ReadTrainingLabels(Path("set")).error().message,
            Path("set/train-images-idx4-ubyte") + error);
  WriteImages(Idx({1, 1, 1, 1, 1}, "a"), Idx({1, 1, 1, 1, 1}, "a"));
  EXPECT_EQ(ReadDataset(Path("set")).error().message,
            Path("set/train-images-idx4-ubyte") + ": has 5 dimensions, expected 3 to 4");
}

// --- Digits in colour ----------------------------------------------------------------------------

TEST(ColourDigits, AreTheDigitsInTwoColours) {
  const DigitsOptions options{.train_samples = 300, .test_samples = 50, .seed = 5};
  const Dataset grey = DrawDigits(options);
  const Dataset colour = DrawColourDigits(options, 2);
  EXPECT_EQ(colour.name, "digits-colour");
  EXPECT_EQ(colour.train.labels, grey.train.labels);
  EXPECT_EQ(colour.test.labels, grey.test.labels);
  ASSERT_EQ(colour.train.channels, 3);
  ASSERT_EQ(colour.train.pixels.size(), 3 * grey.train.pixels.size());
  std::set<std::vector<int>> backgrounds;
  for (std::size_t i = 0; i < grey.train.size(); ++i) {
    const auto shades = grey.train.Image(i);
    const auto pixels = colour.train.Image(i);
    // Behind the ink every channel has one shade; where ink is dark, it is far from that.
    const auto paper = std::size_t(std::ranges::find(shades, 0) - shades.begin());
    const auto darkest = std::size_t(std::ranges::max_element(shades) - shades.begin());
    std::vector<int> background;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const auto plane = pixels.subspan(channel * shades.size(), shades.size());
      background.push_back(plane[paper]);
      for (std::size_t p = 0; p < shades.size(); ++p) {
        if (shades[p] == 0) {
          ASSERT_EQ(plane[p], plane[paper]);
        }
      }
      const int contrast = std::abs(int(plane[darkest]) - int(plane[paper]));
      ASSERT_GE(contrast, 64 * shades[darkest] / 255 - 1) << i;
    }
    backgrounds.insert(background);
  }
  EXPECT_GT(backgrounds.size(), 290u);
}

TEST(ColourDigits, DependOnSeedAndPlaceAlone) {
  const Dataset few = DrawColourDigits({.train_samples = 5, .test_samples = 5, .seed = 1});
  const Dataset more = DrawColourDigits({.train_samples = 9, .test_samples = 6, .seed = 1}, 3);
  const Dataset other = DrawColourDigits({.train_samples = 5, .test_samples = 5, .seed = 2});
  EXPECT_TRUE(
      std::equal(few.train.pixels.begin(), few.train.pixels.end(), more.train.pixels.begin()));
  EXPECT_NE(few.train.pixels, other.train.pixels);
  EXPECT_NE(few.train.pixels, few.test.pixels);
  EXPECT_EQ(ReadTrainingLabels("digits-colour")->channels, 3);
}

// --- Standardised samples ------------------------------------------------------------------------

TEST(Standardised, FeaturesOfATable) {
  Dataset set;
  set.train = {
      .height = 1, .width = 3, .classes = 2, .labels = {0, 1}, .values = {1, 0.1F, 4, 3, 0.1F, 8}};
  set.test = {.height = 1, .width = 3, .classes = 2, .labels = {0}, .values = {2, 0.4F, 12}};
  Standardise(set);
  EXPECT_EQ(set.train.values, (std::vector<float>{-1, 0, -1, 1, 0, 1}));
  // What does not vary is only shifted: 0.4 - 0.1.
  EXPECT_EQ(set.test.values, (std::vector<float>{0, float(double{0.4F} - double{0.1F}), 3}));
}

TEST(Standardised, ChannelsOfImages) {
  Dataset set;
  set.train = {.height = 2,
               .width = 1,
               .classes = 2,
               .pixels = {0, 2, 10, 20, 0, 2, 30, 60},
               .labels = {0, 1},
               .channels = 2};
  set.test = {.height = 2,
              .width = 1,
              .classes = 2,
              .pixels = {1, 3, 30, 30},
              .labels = {0},
              .channels = 2};
  Standardise(set);
  EXPECT_TRUE(set.train.pixels.empty());
  ASSERT_EQ(set.train.values.size(), 8u);
  EXPECT_EQ(set.train.values[0], -1);
  EXPECT_EQ(set.train.values[1], 1);
  // The second channel has mean 30 and variance (400 + 100 + 0 + 900) / 4 = 350.
  EXPECT_FLOAT_EQ(set.train.values[2], float(-20 / std::sqrt(350.0)));
  EXPECT_FLOAT_EQ(set.train.values[7], float(30 / std::sqrt(350.0)));
  EXPECT_EQ(set.test.values, (std::vector<float>{0, 2, 0, 0}));
}

TEST(Standardised, StaysFinite) {
  Dataset set;
  set.train = {.height = 1, .width = 1, .classes = 2, .labels = {0, 1}, .values = {0, 1e-30F}};
  set.test = {.height = 1, .width = 1, .classes = 2, .labels = {0}, .values = {3e38F}};
  Standardise(set);
  EXPECT_TRUE(std::isfinite(set.test.values[0]));
}

// --- Digests -------------------------------------------------------------------------------------

TEST(Digest, OfGreyImagesIsThatOfTheirBytes) {
  Dataset set;
  set.train = {.height = 1, .width = 1, .classes = 2, .pixels = {7, 8}, .labels = {0, 1}};
  set.test = {.height = 1, .width = 1, .classes = 2, .pixels = {9}, .labels = {1}};
  Sha256 sha256;
  sha256.Update(std::vector<std::uint8_t>{0, 1, 7, 8, 1, 9});
  EXPECT_EQ(DigestOf(set), sha256.Hex());
}

TEST(Digest, CoversWhatOthersHave) {
  Dataset set;
  set.train = {.height = 2, .width = 1, .classes = 2, .labels = {0, 1}, .channels = 3};
  set.train.pixels.resize(12, 5);
  set.test = set.train;
  std::set<std::string> digests{DigestOf(set)};
  const auto expect_new = [&](Dataset other) {
    EXPECT_TRUE(digests.insert(DigestOf(other)).second) << digests.size();
  };
  Dataset other = set;
  std::swap(other.train.height, other.train.width);
  expect_new(other);
  other = set;
  other.test.pixels[0] = 6;
  expect_new(other);
  other = set;
  other.train.values.assign(12, 5);
  other.train.pixels.clear();
  expect_new(other);
  other.train.values[3] = 6;
  expect_new(other);
  other.train.labels.clear();
  other.train.classes = 0;
  other.train.targets = {1, 2};
  expect_new(other);
  other.train.targets = {1, 3};
  expect_new(other);
}

}  // namespace
}  // namespace airlot::data
