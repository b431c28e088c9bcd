#include "airlot/dataset.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "data/cache.h"
#include "data/digits.h"
#include "data/idx_folder.h"
#include "data/known_sets.h"
#include "data/numpy_set.h"
#include "data/set_files.h"
#include "data/sha256.h"
#include "data/table_set.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

// A Place says where a data set lies that is not drawn.
struct Place {
  std::string path;
  data::SetFiles files = data::SetFiles::kIdx;
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

// FilesIn finds out how a data set lies at a path.
Result<data::SetFiles> FilesIn(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return data::FilesOfFolder(path);
  if (fs::is_regular_file(status) && path.ends_with(".npz")) return data::SetFiles::kNumpy;
  if (fs::exists(status)) {
    return Error{path + ": is not a data set: must be a folder, or an .npz file"};
  }
  if (status.type() == fs::file_type::not_found) return NoSuchDataset(path);
  return Error{fmt::format("{}: cannot read: {}", path, error.message())};
}

Result<Place> Find(const std::string& name_or_path) {
  Place place{.path = name_or_path, .set = data::FindKnownSet(name_or_path)};
  if (place.set != nullptr) {
    auto folder = data::Locate(*place.set);
    if (!folder) return folder.error();
    place.path = std::move(*folder);
    std::error_code error;
    if (fs::is_directory(place.path, error)) return place;
  }
  const auto files = FilesIn(place.path);
  if (!files) return files.error();
  place.files = *files;
  return place;
}

// CheckBytes checks the length of a file of a known set. What is in the cache is not hashed again.
Status CheckBytes(const Place& place, data::IdxFile file, std::size_t bytes) {
  if (place.set == nullptr || bytes == place.set->files[file].bytes) return {};
  const auto& names = place.set->archive == nullptr ? data::kIdxNames : data::kChannelIdxNames;
  return Error{fmt::format("{}: {} has {} bytes, expected {}", place.path, names[file], bytes,
                           place.set->files[file].bytes)};
}

Status CheckImages(const Place& place, data::IdxFile file, std::size_t pixels, int channels) {
  const std::size_t header = channels == 1 ? 16 : 20;
  return CheckBytes(place, file, header + pixels);
}

// WithAdvice adds to an error how to fetch the set anew, where that is possible.
Error WithAdvice(const Place& place, const Error& error) {
  if (place.set == nullptr) return error;
  const std::string from = data::SourceOption(*place.set);
  return {fmt::format("{}: run \"airlot data fetch {}{}\"", error.message, place.set->name, from)};
}

Result<Dataset> ReadFiles(const Place& place) {
  if (place.files == data::SetFiles::kNumpy) return data::ReadNumpySet(place.path);
  if (place.files == data::SetFiles::kTables) return data::ReadTableSet(place.path);
  auto dataset = data::ReadIdxFolder(place.path, place.classes());
  if (!dataset) return dataset;
  const int channels = dataset->train.channels;
  auto status = CheckImages(place, data::kTrainImages, dataset->train.pixels.size(), channels);
  if (status) {
    status = CheckImages(place, data::kTestImages, dataset->test.pixels.size(), channels);
  }
  if (!status) return status.error();
  return dataset;
}

Result<Labels> ReadLabelFiles(const Place& place) {
  if (place.files == data::SetFiles::kNumpy) return data::ReadNumpyTrainingLabels(place.path);
  if (place.files == data::SetFiles::kTables) return data::ReadTableTrainingLabels(place.path);
  auto labels = data::ReadIdxTrainingLabels(place.path, place.classes());
  if (!labels) return labels;
  constexpr std::size_t kHeader = 8;
  const std::size_t count = labels->values.size();
  auto status = CheckBytes(place, data::kTrainLabels, kHeader + count);
  const std::size_t pixels = count * std::size_t(labels->channels) * std::size_t(labels->height) *
                             std::size_t(labels->width);
  if (status) status = CheckImages(place, data::kTrainImages, pixels, labels->channels);
  if (!status) return status.error();
  return labels;
}

template <class Numbers>
void AddSized(const Numbers& numbers, data::Sha256& hash) {
  const std::uint64_t size = numbers.size();
  hash.Update({reinterpret_cast<const std::uint8_t*>(&size), sizeof(size)});
  hash.Update(
      {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size() * sizeof(numbers[0])});
}

// What is not labelled grey images has its sizes in the digest, too.
void AddAll(const Images& images, data::Sha256& hash) {
  AddSized(std::array{images.channels, images.height, images.width, images.classes}, hash);
  AddSized(images.labels, hash);
  AddSized(images.pixels, hash);
  AddSized(images.values, hash);
  AddSized(images.targets, hash);
}

}  // namespace

Result<Dataset> ReadDataset(const std::string& name_or_path, int threads) {
  if (data::IsBuiltIn(name_or_path)) {
    Dataset digits =
        name_or_path == data::kDigitsName ? DrawDigits({}, threads) : DrawColourDigits({}, threads);
    digits.digest = DigestOf(digits);
    return digits;
  }
  const auto place = Find(name_or_path);
  if (!place) return place.error();
  auto dataset = ReadFiles(*place);
  if (!dataset) return WithAdvice(*place, dataset.error());
  dataset->name = name_or_path;
  dataset->digest = DigestOf(*dataset);
  return dataset;
}

std::vector<std::string> FilesOfDataset(const std::string& name_or_path) {
  if (data::IsBuiltIn(name_or_path)) return {};
  const auto place = Find(name_or_path);
  if (!place) return {};
  std::error_code error;
  if (!fs::is_directory(place->path, error)) return {place->path};
  const auto in_folder = [&](std::string_view name) {
    return (fs::path(place->path) / name).string();
  };
  std::vector<std::string> paths;
  switch (place->files) {
    case data::SetFiles::kIdx:
      if (const auto found = data::FindIdxFiles(place->path))
        paths.assign(found->begin(), found->end());
      break;
    case data::SetFiles::kNumpy:
      for (const std::string_view name : data::kNumpyNames) {
        paths.push_back(in_folder(std::string(name) + ".npy"));
      }
      break;
    case data::SetFiles::kTables:
      paths = {in_folder(data::kTrainTable), in_folder(data::kTestTable)};
  }
  return paths;
}

std::string DigestOf(const Dataset& dataset) {
  data::Sha256 hash;
  for (const Images* images : {&dataset.train, &dataset.test}) {
    const bool is_grey = images->channels == 1 && images->values.empty() && images->targets.empty();
    if (!is_grey) {
      AddAll(*images, hash);
      continue;
    }
    hash.Update(images->labels);
    hash.Update(images->pixels);
  }
  return hash.Hex();
}

Labels LabelsOf(const Images& images) {
  Labels labels{.values = images.labels,
                .classes = images.classes,
                .height = images.height,
                .width = images.width,
                .channels = images.channels};
  if (!images.targets.empty()) labels.values.assign(images.targets.size(), 0);
  return labels;
}

Result<Labels> ReadTrainingLabels(const std::string& name_or_path) {
  if (data::IsBuiltIn(name_or_path)) {
    Labels labels = data::DrawDigitLabels({});
    if (name_or_path == data::kColourDigitsName) labels.channels = 3;
    return labels;
  }
  const auto place = Find(name_or_path);
  if (!place) return place.error();
  auto labels = ReadLabelFiles(*place);
  if (!labels) return WithAdvice(*place, labels.error());
  return labels;
}

}  // namespace airlot
