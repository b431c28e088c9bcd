// A data set has samples to train on, and others to test with: images or rows of a table, each with
// a label or a number to predict. It is known by name, drawn by the program, or in files of the
// user (docs/formats.md, "Data sets").
#ifndef AIRLOT_DATASET_H_
#define AIRLOT_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot {

// Images are the samples of one size that a model learns from, with a label or a number to predict
// for each. A row of a table is an image of one row and one channel.
struct Images {
  int height = 0;
  int width = 0;
  int classes = 0;  // 0: there are `targets` to predict, and no labels
  // The pixels come image by image, channel by channel, row by row; 0 is the background. They are
  // empty where `values` are given.
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;  // each below `classes`
  int channels = 1;                  // 1: grey; 3: red, green, blue
  std::vector<float> values;         // finite numbers in the order of pixels, instead of them
  std::vector<float> targets;        // finite; empty where there are labels

  std::size_t size() const { return targets.empty() ? labels.size() : targets.size(); }
  std::size_t PixelsPerImage() const {
    return std::size_t(channels) * std::size_t(height) * std::size_t(width);
  }
  std::span<const std::uint8_t> Image(std::size_t i) const {
    return {pixels.data() + i * PixelsPerImage(), PixelsPerImage()};
  }
};

struct Dataset {
  std::string name;
  Images train;
  Images test;
  std::optional<std::string> digest;  // what DigestOf returns for it, where that is known
};
// Returns the SHA-256 of all labels or targets and all pixels or values, which is another one for
// any other set.
std::string DigestOf(const Dataset& dataset);

// A DatasetEntry is a data set that is known by name.
struct DatasetEntry {
  std::string_view name;
  std::string_view summary;
  int height = 0;
  int width = 0;
  int classes = 0;
  int channels = 1;
};
std::span<const DatasetEntry> Datasets();

// DigitsOptions say how many digits to draw, and which.
struct DigitsOptions {
  std::size_t train_samples = 60000;
  std::size_t test_samples = 10000;
  std::uint64_t seed = 0;
};

// Draws the built-in data set `digits`: strokes of the ten digits under random affine distortion,
// thickness and noise, 28 x 28. Image i of a seed is the same whatever the number of samples.
Dataset DrawDigits(const DigitsOptions& options, int threads = 1);

// Draws the built-in data set `digits-colour`: the same digits with the same labels, each in two
// random colours, 3 x 28 x 28.
Dataset DrawColourDigits(const DigitsOptions& options, int threads = 1);

// Reads a data set: one that is known by name (from the cache, or drawn), or else a folder of IDX
// files, NumPy files or tables, or an .npz file. An error says how to get what is missing.
Result<Dataset> ReadDataset(const std::string& name_or_path, int threads = 1);

// Returns the paths of the files that ReadDataset reads, none where the set is drawn or cannot be
// found.
std::vector<std::string> FilesOfDataset(const std::string& name_or_path);

// Shifts and scales each feature of a table, or each channel of images, to mean 0 and standard
// deviation 1 over the training samples, those of the test in the same way. One that does not vary
// becomes 0. Pixels become values; targets stay as they are.
void Standardise(Dataset& dataset);

// Labels are those of the training images (0 for each where there are targets), with the size of
// the images, for partitions and models. They are quick to read even where images are large.
struct Labels {
  std::vector<std::uint8_t> values;
  int classes = 0;
  int height = 0;
  int width = 0;
  int channels = 1;
};
Result<Labels> ReadTrainingLabels(const std::string& name_or_path);
// Returns the labels of images that are in memory.
Labels LabelsOf(const Images& images);

}  // namespace airlot

#endif  // AIRLOT_DATASET_H_
