#include "airlot/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "data/cache.h"
#include "data/scratch_folder_for_tests.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

class DatasetTest : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    setenv("AIRLOT_DATA_DIR", Path("cache").c_str(), 1);
    WriteSet("set");
  }

  // Writes a set of three images to train and two to test, of 1 x 2 pixels.
  void WriteSet(const std::string& folder) const {
    Write(folder + "/train-images-idx3-ubyte", Idx({3, 1, 2}, "aabbcc"));
    Write(folder + "/train-labels-idx1-ubyte", Idx({3}, {0, 2, 1}));
    Write(folder + "/t10k-images-idx3-ubyte", Idx({2, 1, 2}, "ddee"));
    Write(folder + "/t10k-labels-idx1-ubyte", Idx({2}, {3, 0}));
  }

  // Returns what is wrong with a set, with "DIR/" for the folder of the test.
  std::string ErrorOf(const std::string& name_or_folder) const {
    const auto dataset = ReadDataset(name_or_folder);
    if (dataset) return "none";
    std::string message = dataset.error().message;
    const std::string prefix = folder_.string() + "/";
    for (std::size_t at; (at = message.find(prefix)) != std::string::npos;) {
      message.replace(at, prefix.size(), "DIR/");
    }
    return message;
  }
};

TEST_F(DatasetTest, ReadsAFolder) {
  const auto dataset = ReadDataset(Path("set"));
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->name, Path("set"));
  EXPECT_EQ(dataset->train.size(), 3u);
  EXPECT_EQ(dataset->train.height, 1);
  EXPECT_EQ(dataset->train.width, 2);
  EXPECT_EQ(dataset->train.classes, 4);  // the largest label is one of the test's
  EXPECT_EQ(dataset->test.classes, 4);
  EXPECT_EQ(dataset->train.Image(1)[1], 'b');
  EXPECT_EQ(dataset->test.Image(1)[0], 'e');
  EXPECT_EQ(dataset->train.labels, (std::vector<std::uint8_t>{0, 2, 1}));
  EXPECT_EQ(dataset->test.labels, (std::vector<std::uint8_t>{3, 0}));
}

TEST_F(DatasetTest, TrainingLabelsAlone) {
  fs::remove(Path("set/train-images-idx3-ubyte"));
  Write("set/train-images-idx3-ubyte.gz", Gzip(Idx({3, 5, 7}, "")));  // the pixels are not read
  const auto labels = ReadTrainingLabels(Path("set"));
  ASSERT_TRUE(labels) << labels.error().message;
  EXPECT_EQ(labels->values, (std::vector<std::uint8_t>{0, 2, 1}));
  EXPECT_EQ(labels->classes, 4);
  EXPECT_EQ(labels->height, 5);
  EXPECT_EQ(labels->width, 7);
}

TEST_F(DatasetTest, TrainingLabelsOfOtherImages) {
  const std::string images = Write("set/train-images-idx3-ubyte", Idx({2, 1, 1}, "ab"));
  EXPECT_EQ(ReadTrainingLabels(Path("set")).error().message,
            images + ": has 2 images, expected 3, as many as " +
                Path("set/train-labels-idx1-ubyte") + " has labels");
  Write("set/train-images-idx3-ubyte", Idx({3, 1, 1}, "ab"));
  EXPECT_EQ(ReadTrainingLabels(Path("set")).error().message,
            images + ": has 18 bytes, expected 19 for 3 x 1 x 1");
}

TEST_F(DatasetTest, TheListSaysWhatDigitsAre) {
  const auto labels = *ReadTrainingLabels("digits");
  const DatasetEntry& digits =
      *std::ranges::find(Datasets(), std::string_view("digits"), &DatasetEntry::name);
  EXPECT_EQ(labels.height, digits.height);
  EXPECT_EQ(labels.width, digits.width);
  EXPECT_EQ(labels.classes, digits.classes);
}

TEST_F(DatasetTest, AtLeastTwoClasses) {
  Write("set/train-labels-idx1-ubyte", Idx({3}, {0, 0, 0}));
  Write("set/t10k-labels-idx1-ubyte", Idx({2}, {0, 0}));
  EXPECT_EQ(ReadDataset(Path("set"))->train.classes, 2);
}

TEST_F(DatasetTest, OtherSpellingsAndRawBeforeCompressed) {
  fs::rename(Path("set/train-images-idx3-ubyte"), Path("set/train-images.idx3-ubyte"));
  fs::remove(Path("set/t10k-images-idx3-ubyte"));
  Write("set/t10k-images.idx3-ubyte.gz", Gzip(Idx({2, 1, 2}, "ffgg")));
  Write("set/train-labels-idx1-ubyte.gz", "not read");
  const auto dataset = ReadDataset(Path("set"));
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->train.Image(0)[0], 'a');
  EXPECT_EQ(dataset->test.Image(0)[0], 'f');
}

TEST_F(DatasetTest, MissingFile) {
  fs::remove(Path("set/t10k-labels-idx1-ubyte"));
  EXPECT_EQ(ErrorOf(Path("set")),
            "DIR/set: has no file t10k-labels-idx1-ubyte (nor t10k-labels.idx1-ubyte, "
            "t10k-labels-idx1-ubyte.gz, t10k-labels.idx1-ubyte.gz)");
}

TEST_F(DatasetTest, DirectoryInPlaceOfAFile) {
  fs::remove(Path("set/t10k-labels-idx1-ubyte"));
  fs::create_directory(Path("set/t10k-labels-idx1-ubyte"));
  EXPECT_EQ(ErrorOf(Path("set")), "DIR/set/t10k-labels-idx1-ubyte: is a directory, not a file");
}

TEST_F(DatasetTest, ImagesAgainstLabels) {
  Write("set/train-labels-idx1-ubyte", Idx({2}, {0, 2}));
  EXPECT_EQ(ErrorOf(Path("set")),
            "DIR/set/train-images-idx3-ubyte: has 3 images, expected 2, as many as "
            "DIR/set/train-labels-idx1-ubyte has labels");
}

TEST_F(DatasetTest, TestAgainstTrainingImages) {
  Write("set/t10k-images-idx3-ubyte", Idx({2, 2, 1}, "ddee"));
  EXPECT_EQ(ErrorOf(Path("set")),
            "DIR/set/t10k-images-idx3-ubyte: has images of 2 x 1, expected 1 x 2, as "
            "DIR/set/train-images-idx3-ubyte has");
}

TEST_F(DatasetTest, NoSuchSet) {
  EXPECT_EQ(ErrorOf("mnits"), "mnits: no such data set or folder: did you mean mnist?");
  EXPECT_EQ(ErrorOf("imagenet-21k"),
            "imagenet-21k: no such data set or folder: known by name are mnist, fashion-mnist, "
            "cifar10, cifar100, digits, digits-colour");
  EXPECT_EQ(ErrorOf(Write("file", "x")),
            "DIR/file: is not a data set: must be a folder, or an .npz file");
}

TEST_F(DatasetTest, NotInTheCache) {
  EXPECT_EQ(
      ErrorOf("mnist"),
      "mnist: is not in the cache (DIR/cache/mnist): run \"airlot data fetch mnist\", or use the "
      "built-in data set \"digits\"");
  KnownSet packaged = *FindKnownSet("fashion-mnist");
  packaged.debian_folder = "/no-such-folder";
  EXPECT_EQ(Locate(packaged).error().message,
            "fashion-mnist: is not in the cache (" + Path("cache/fashion-mnist") +
                "): install the Debian package dataset-fashion-mnist (apt install "
                "dataset-fashion-mnist), or use the built-in data set \"digits\"");
  packaged.debian_folder = "/usr";
  EXPECT_EQ(*Locate(packaged), "/usr");
}

TEST_F(DatasetTest, ANamedSetHasTenClassesAndItsSize) {
  WriteSet("cache/mnist");
  EXPECT_EQ(ErrorOf("mnist"),
            "DIR/cache/mnist: train-images-idx3-ubyte has 22 bytes, expected 47040016: run "
            "\"airlot data fetch mnist\"");
  EXPECT_EQ(ReadTrainingLabels("mnist").error().message,
            Path("cache/mnist") +
                ": train-labels-idx1-ubyte has 11 bytes, expected 60008: run "
                "\"airlot data fetch mnist\"");
  Write("cache/mnist/train-labels-idx1-ubyte", Idx({3}, {0, 10, 1}));
  EXPECT_EQ(
      ErrorOf("mnist"),
      "DIR/cache/mnist/train-labels-idx1-ubyte: label 2 = 10: must be <= 9: run \"airlot data "
      "fetch mnist\"");
}

TEST_F(DatasetTest, DigitsNeedNoFiles) {
  const auto digits = ReadDataset("digits", 2);
  ASSERT_TRUE(digits);
  EXPECT_EQ(digits->train.size(), 60000u);
  EXPECT_EQ(digits->test.size(), 10000u);
  EXPECT_EQ(ReadTrainingLabels("digits")->values, digits->train.labels);
}

TEST_F(DatasetTest, TheCacheFolder) {
  EXPECT_EQ(*CacheFolder(), Path("cache"));
  setenv("AIRLOT_DATA_DIR", "", 1);
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(*CacheFolder(), "/xdg/airlot");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(*CacheFolder(), "/home/me/.cache/airlot");
  unsetenv("HOME");
  EXPECT_EQ(CacheFolder().error().message,
            "there is no cache folder, because HOME is not set: set AIRLOT_DATA_DIR");
}

}  // namespace
}  // namespace airlot::data
