// A folder of the four IDX files that make a data set, under their usual names.
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

// In this order everywhere.
enum IdxFile { kTrainImages, kTrainLabels, kTestImages, kTestLabels };
inline constexpr std::size_t kIdxFiles = 4;
inline constexpr std::array<std::string_view, kIdxFiles> kIdxNames = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte"};

// The names that a file may have, the one that counts first: "-idx" or ".idx", raw or ".gz".
std::vector<std::string> SpellingsOf(IdxFile file);

// The paths of the four files.
using IdxPaths = std::array<std::string, kIdxFiles>;
Result<IdxPaths> FindIdxFiles(const std::string& folder);

// Reads the four files. Labels must be below `classes`; 0: there are as many as the largest label
// says, at least 2.
Result<Dataset> ReadIdxFolder(const std::string& folder, int classes = 0);
Result<Labels> ReadIdxTrainingLabels(const std::string& folder, int classes = 0);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_IDX_FOLDER_H_
