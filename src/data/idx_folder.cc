#include "data/idx_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "data/idx.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

using LabelBytes = std::vector<std::uint8_t>;

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

int ClassesOf(const LabelBytes& train, const LabelBytes& test) {
  const auto largest = [](const LabelBytes& labels) {
    return int(*std::max_element(labels.begin(), labels.end()));
  };
  return std::max({largest(train) + 1, largest(test) + 1, 2});
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

Result<Images> ReadImages(const std::string& path, const std::string& labels_path,
                          LabelBytes labels, int classes) {
  auto array = ReadIdx(path, 3);
  if (!array) return array.error();
  if (auto status = CheckCount(path, array->dimensions[0], labels_path, labels.size()); !status) {
    return status.error();
  }
  return Images{.height = int(array->dimensions[1]),
                .width = int(array->dimensions[2]),
                .classes = classes,
                .pixels = std::move(array->values),
                .labels = std::move(labels)};
}

}  // namespace

std::vector<std::string> SpellingsOf(IdxFile file) {
  const std::string dash(kIdxNames[file]);
  std::string dot = dash;
  dot[dash.rfind("-idx")] = '.';
  return {dash, dot, dash + ".gz", dot + ".gz"};
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
  if (test->height != train->height || test->width != train->width) {
    return Error{fmt::format("{}: has images of {} x {}, expected {} x {}, as {} has",
                             (*paths)[kTestImages], test->height, test->width, train->height,
                             train->width, (*paths)[kTrainImages])};
  }
  return Dataset{folder, std::move(*train), std::move(*test)};
}

Result<Labels> ReadIdxTrainingLabels(const std::string& folder, int classes) {
  const auto paths = FindIdxFiles(folder);
  if (!paths) return paths.error();
  auto labels = ReadLabels(*paths, classes);
  if (!labels) return labels.error();
  const std::string& images = (*paths)[kTrainImages];
  const auto size = ReadIdxDimensions(images, 3);
  if (!size) return size.error();
  if (auto status = CheckCount(images, (*size)[0], (*paths)[kTrainLabels], labels->train.size());
      !status) {
    return status.error();
  }
  return Labels{std::move(labels->train), labels->classes, int((*size)[1]), int((*size)[2])};
}

}  // namespace airlot::data
