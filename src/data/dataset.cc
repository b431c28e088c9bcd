#include "airlot/dataset.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "data/cache.h"
#include "data/digits.h"
#include "data/idx_folder.h"
#include "data/known_sets.h"
#include "data/sha256.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

// A Place says where a data set lies that is not drawn.
struct Place {
  std::string folder;
  const data::KnownSet* set = nullptr;  // null where the data set is not known by name

  int classes() const { return set == nullptr ? 0 : set->classes; }
};

// NoSuchDataset says that there is no data set under that name.
Error NoSuchDataset(const std::string& name) {
  std::vector<std::string_view> names;
  for (const DatasetEntry& entry : Datasets()) names.push_back(entry.name);
  const auto nearest = base::NearestName(name, names);
  return {fmt::format("{}: no such data set or folder: {}", name,
                      nearest ? fmt::format("did you mean {}?", *nearest)
                              : fmt::format("known by name are {}", fmt::join(names, ", ")))};
}

Status CheckFolder(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status)) return {};
  if (fs::exists(status)) return Error{folder + ": is not a folder of IDX files"};
  if (status.type() == fs::file_type::not_found) return NoSuchDataset(folder);
  return Error{fmt::format("{}: cannot read: {}", folder, error.message())};
}

Result<Place> Find(const std::string& name_or_folder) {
  Place place{name_or_folder, data::FindKnownSet(name_or_folder)};
  if (place.set != nullptr) {
    auto folder = data::Locate(*place.set);
    if (!folder) return folder.error();
    place.folder = std::move(*folder);
  }
  if (auto status = CheckFolder(place.folder); !status) return status.error();
  return place;
}

// CheckBytes checks the length of a file of a known set. What is in the cache is not hashed again.
Status CheckBytes(const Place& place, data::IdxFile file, std::size_t bytes) {
  if (place.set == nullptr || bytes == place.set->files[file].bytes) return {};
  return Error{fmt::format("{}: {} has {} bytes, expected {}", place.folder, data::kIdxNames[file],
                           bytes, place.set->files[file].bytes)};
}

Status CheckImages(const Place& place, data::IdxFile file, std::size_t pixels) {
  constexpr std::size_t kHeader = 16;
  return CheckBytes(place, file, kHeader + pixels);
}

// WithAdvice adds to an error how to fetch the set anew, where that is possible.
Error WithAdvice(const Place& place, const Error& error) {
  if (place.set == nullptr) return error;
  return {fmt::format("{}: run \"airlot data fetch {}\"", error.message, place.set->name)};
}

}  // namespace

Result<Dataset> ReadDataset(const std::string& name_or_folder, int threads) {
  if (name_or_folder == data::kDigitsName) {
    Dataset digits = DrawDigits({}, threads);
    digits.digest = DigestOf(digits);
    return digits;
  }
  const auto place = Find(name_or_folder);
  if (!place) return place.error();
  auto dataset = data::ReadIdxFolder(place->folder, place->classes());
  if (!dataset) return WithAdvice(*place, dataset.error());
  auto status = CheckImages(*place, data::kTrainImages, dataset->train.pixels.size());
  if (status) status = CheckImages(*place, data::kTestImages, dataset->test.pixels.size());
  if (!status) return WithAdvice(*place, status.error());
  dataset->name = name_or_folder;
  dataset->digest = DigestOf(*dataset);
  return dataset;
}

std::string DigestOf(const Dataset& dataset) {
  data::Sha256 hash;
  for (const Images* images : {&dataset.train, &dataset.test}) {
    hash.Update(images->labels);
    hash.Update(images->pixels);
  }
  return hash.Hex();
}

Labels LabelsOf(const Images& images) {
  return {images.labels, images.classes, images.height, images.width};
}

Result<Labels> ReadTrainingLabels(const std::string& name_or_folder) {
  if (name_or_folder == data::kDigitsName) return data::DrawDigitLabels({});
  const auto place = Find(name_or_folder);
  if (!place) return place.error();
  auto labels = data::ReadIdxTrainingLabels(place->folder, place->classes());
  if (!labels) return WithAdvice(*place, labels.error());
  constexpr std::size_t kHeader = 8;
  const std::size_t count = labels->values.size();
  auto status = CheckBytes(*place, data::kTrainLabels, kHeader + count);
  const std::size_t pixels = count * std::size_t(labels->height) * std::size_t(labels->width);
  if (status) status = CheckImages(*place, data::kTrainImages, pixels);
  if (!status) return WithAdvice(*place, status.error());
  return labels;
}

}  // namespace airlot
