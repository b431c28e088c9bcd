#include "data/idx_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "data/class_labels.h"
#include "data/idx.h"
#include "data/sample_layout.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

Result<std::string> FindIdxFile(const fs::path& folder, IdxFile file) {
  const std::vector<std::string> names = SpellingsOf(file);
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status)) return path.string();
    if (status.type() != fs::file_type::not_found) {
      return Error{fmt::format("{}: cannot read: {}", path.string(), error.message())};
    }
  }
  return Error{fmt::format("{}: has no file {} (nor {})", folder.string(), names[0],
                           fmt::join(std::span(names).subspan(1), ", "))};
}

Status CheckLabels(const std::string& path, const LabelBytes& labels, int classes) {
  const auto wrong = std::find_if(labels.begin(), labels.end(),
                                  [classes](std::uint8_t label) { return label >= classes; });
  if (wrong == labels.end()) return {};
  return Error{fmt::format("{}: label {} = {}: must be <= {}", path, wrong - labels.begin() + 1,
                           *wrong, classes - 1)};
}

struct BothLabels {
  LabelBytes train;
  LabelBytes test;
  int classes;
};

Result<BothLabels> ReadLabels(const IdxPaths& paths, int classes) {
  auto train = ReadIdx(paths[kTrainLabels], 1);
  if (!train) return train.error();
  auto test = ReadIdx(paths[kTestLabels], 1);
  if (!test) return test.error();
  BothLabels both{std::move(train->values), std::move(test->values), classes};
  if (classes == 0) both.classes = ClassesOf(both.train, both.test);
  if (auto status = CheckLabels(paths[kTrainLabels], both.train, both.classes); !status)
    return status.error();
  if (auto status = CheckLabels(paths[kTestLabels], both.test, both.classes); !status)
    return status.error();
  return both;
}

Status CheckCount(const std::string& path, std::size_t images, const std::string& labels_path,
                  std::size_t labels) {
  if (images == labels) return {};
  return Error{fmt::format("{}: has {} images, expected {}, as many as {} has labels", path, images,
                           labels, labels_path)};
}

// Images have three dimensions, or a fourth for their channels.
const Ranks kImageRanks{3, 4};

Result<SampleLayout> LayoutIn(const std::string& path,
                              const std::vector<std::uint32_t>& dimensions) {
  auto layout = LayoutOf(std::vector<std::size_t>(dimensions.begin(), dimensions.end()));
  if (!layout) return Error{fmt::format("{}: {}", path, layout.error().message)};
  return layout;
}

Result<Images> ReadImages(const std::string& path, const std::string& labels_path,
                          LabelBytes labels, int classes) {
  auto array = ReadIdx(path, kImageRanks);
  if (!array) return array.error();
  const auto layout = LayoutIn(path, array->dimensions);
  if (!layout) return layout.error();
  if (auto status = CheckCount(path, array->dimensions[0], labels_path, labels.size()); !status) {
    return status.error();
  }
  PutChannelsFirst(*layout, array->values);
  return Images{.height = layout->height,
                .width = layout->width,
                .classes = classes,
                .pixels = std::move(array->values),
                .labels = std::move(labels),
                .channels = layout->channels};
}

}  // namespace

std::vector<std::string> SpellingsOf(IdxFile file) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    names.push_back(name);
    name[name.rfind("-idx")] = '.';
    names.push_back(name);
    for (std::size_t i = names.size() - 2, end = names.size(); i < end; ++i) {
      names.push_back(names[i] + ".gz");
    }
  };
  add(std::string(kIdxNames[file]));
  if (kChannelIdxNames[file] != kIdxNames[file]) add(std::string(kChannelIdxNames[file]));
  return names;
}

Result<IdxPaths> FindIdxFiles(const std::string& folder) {
  IdxPaths paths;
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    auto path = FindIdxFile(folder, IdxFile(i));
    if (!path) return path.error();
    paths[i] = std::move(*path);
  }
  return paths;
}

Result<Dataset> ReadIdxFolder(const std::string& folder, int classes) {
  const auto paths = FindIdxFiles(folder);
  if (!paths) return paths.error();
  auto labels = ReadLabels(*paths, classes);
  if (!labels) return labels.error();
  auto train = ReadImages((*paths)[kTrainImages], (*paths)[kTrainLabels], std::move(labels->train),
                          labels->classes);
  if (!train) return train.error();
  auto test = ReadImages((*paths)[kTestImages], (*paths)[kTestLabels], std::move(labels->test),
                         labels->classes);
  if (!test) return test.error();
  const auto size_of = [](const Images& images) {
    return SampleLayout{images.channels, images.height, images.width}.Size();
  };
  if (size_of(*test) != size_of(*train)) {
    return Error{fmt::format("{}: has images of {}, expected {}, as {} has", (*paths)[kTestImages],
                             size_of(*test), size_of(*train), (*paths)[kTrainImages])};
  }
  return Dataset{folder, std::move(*train), std::move(*test)};
}

Result<Labels> ReadIdxTrainingLabels(const std::string& folder, int classes) {
  const auto paths = FindIdxFiles(folder);
  if (!paths) return paths.error();
  auto labels = ReadLabels(*paths, classes);
  if (!labels) return labels.error();
  const std::string& images = (*paths)[kTrainImages];
  const auto size = ReadIdxDimensions(images, kImageRanks);
  if (!size) return size.error();
  const auto layout = LayoutIn(images, *size);
  if (!layout) return layout.error();
  if (auto status = CheckCount(images, (*size)[0], (*paths)[kTrainLabels], labels->train.size());
      !status) {
    return status.error();
  }
  return Labels{std::move(labels->train), labels->classes, layout->height, layout->width,
                layout->channels};
}

}  // namespace airlot::data
