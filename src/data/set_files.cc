#include "data/set_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "data/idx_folder.h"
#include "data/numpy_set.h"
#include "data/table_set.h"

namespace airlot::data {
namespace {

// A KindOfFiles is the names by which files of one kind are known.
struct KindOfFiles {
  SetFiles files;
  std::vector<std::string> names;
};

std::vector<KindOfFiles> KindsOfFiles() {
  KindOfFiles idx{SetFiles::kIdx, {}};
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    for (std::string& name : SpellingsOf(IdxFile(i))) idx.names.push_back(std::move(name));
  }
  KindOfFiles numpy{SetFiles::kNumpy, {}};
  for (const std::string_view name : kNumpyNames)
    numpy.names.push_back(fmt::format("{}.npy", name));
  KindOfFiles tables{SetFiles::kTables, {std::string(kTrainTable), std::string(kTestTable)}};
  return {std::move(idx), std::move(numpy), std::move(tables)};
}

// Returns the first of the names that is there.
Result<std::optional<std::string>> FirstThere(const std::string& folder, const KindOfFiles& kind) {
  for (const std::string& name : kind.names) {
    std::error_code error;
    const auto path = std::filesystem::path(folder) / name;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status)) return std::optional(name);
    if (status.type() != std::filesystem::file_type::not_found) {
      return Error{fmt::format("{}: cannot read: {}", path.string(), error.message())};
    }
  }
  return std::optional<std::string>();
}

}  // namespace

Result<SetFiles> FilesOfFolder(const std::string& folder) {
  std::optional<SetFiles> found;
  std::string found_name;
  for (const KindOfFiles& kind : KindsOfFiles()) {
    auto name = FirstThere(folder, kind);
    if (!name) return name.error();
    if (!*name) continue;
    if (found) {
      return Error{fmt::format("{}: has both {} and {}: keep files of one data set in a folder",
                               folder, found_name, **name)};
    }
    found = kind.files;
    found_name = **name;
  }
  if (found) return *found;
  return Error{fmt::format("{}: has no data set: no {} (IDX files), no {}.npy (NumPy files), no {}",
                           folder, kIdxNames[kTrainImages], kNumpyNames[0], kTrainTable)};
}

}  // namespace airlot::data
