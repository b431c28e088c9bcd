// A data set is a folder of four IDX files under their usual names. Images are
// [sample][row][column] or, with channels, as LayoutOf says.
#ifndef AIRLOT_DATA_IDX_FOLDER_H_
#define AIRLOT_DATA_IDX_FOLDER_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/result.h"

namespace airlot::data {

// The four files of a data set have this order everywhere.
enum IdxFile { kTrainImages, kTrainLabels, kTestImages, kTestLabels };
inline constexpr std::size_t kIdxFiles = 4;
inline constexpr std::array<std::string_view, kIdxFiles> kIdxNames = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte"};
// These are the names where images have channels.
inline constexpr std::array<std::string_view, kIdxFiles> kChannelIdxNames = {
    "train-images-idx4-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx4-ubyte",
    "t10k-labels-idx1-ubyte"};

// SpellingsOf returns the names that a file may have: "-idx" or ".idx", raw or ".gz", and for
// images "idx4" or "idx3", whichever number of dimensions they have. Where several files are there,
// the earliest of these names counts.
std::vector<std::string> SpellingsOf(IdxFile file);

// FindIdxFiles returns the paths of the four files.
using IdxPaths = std::array<std::string, kIdxFiles>;
Result<IdxPaths> FindIdxFiles(const std::string& folder);

// ReadIdxFolder reads the four files, and ReadIdxTrainingLabels only the labels to train with.
// Labels must be below `classes`. Where that is 0, there are as many classes as the largest label
// says, and at least 2.
Result<Dataset> ReadIdxFolder(const std::string& folder, int classes = 0);
Result<Labels> ReadIdxTrainingLabels(const std::string& folder, int classes = 0);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_IDX_FOLDER_H_
