// This file finds the trained model of a run, and the run of a trained model.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "airlot/kept_runs.h"
#include "runs/file_names.h"
#include "runs/manifest.h"
#include "runs/run_folder.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Returns nothing where the folder is not that of a run.
Result<std::optional<ModelOrigin>> OriginOf(const fs::path& folder) {
  std::error_code error;
  const fs::path absolute = fs::canonical(folder.empty() ? "." : folder, error);
  const fs::path directory = absolute.parent_path().parent_path();
  const auto seed = runs::SeedOf(absolute.filename().string());
  if (error || !seed || !HoldsRuns(directory)) return std::optional<ModelOrigin>();
  auto manifest = runs::FindManifest(directory);
  if (!manifest) return manifest.error();
  if (!*manifest) return std::optional<ModelOrigin>();
  return std::optional(
      ModelOrigin{.manifest = directory / runs::kManifestFile,
                  .strategy = absolute.parent_path().filename(),
                  .seed = *seed,
                  .scenario = std::move((*manifest)->scenario),
                  .dataset_digest = std::move((*manifest)->provenance.dataset_digest)});
}

// Returns the folder of the one run with a model in a run directory.
Result<fs::path> OnlyRunOf(const fs::path& directory) {
  const auto manifest = runs::FindManifest(directory);
  if (!manifest) return manifest.error();
  if (!*manifest) return Error{fmt::format("{}: holds no runs any more", directory.string())};
  std::size_t count = 0;
  fs::path first;
  for (const std::string& strategy : (*manifest)->strategies) {
    for (const std::uint64_t seed : (*manifest)->seeds) {
      const fs::path folder = runs::RunFolder(directory, strategy, seed);
      if (IsFile(folder / runs::kModelFile) && count++ == 0) first = folder;
    }
  }
  if (count == 1) return first;
  if (count == 0) {
    return Error{
        fmt::format("{}: no run in it has a {}: none is complete, or they are of an "
                    "earlier version",
                    directory.string(), runs::kModelFile)};
  }
  return Error{fmt::format("{}: holds {} trained models: give the folder of one, such as {}",
                           directory.string(), count, first.string())};
}

}  // namespace

Result<KeptModel> FindKeptModel(const std::string& path) {
  std::error_code ignored;
  fs::path file = path;
  if (fs::is_directory(path, ignored)) {
    fs::path folder = path;
    if (HoldsRuns(path)) {
      auto only = OnlyRunOf(path);
      if (!only) return only.error();
      folder = std::move(*only);
    }
    file = folder / runs::kModelFile;
    if (!IsFile(file)) {
      return Error{fmt::format("{}: holds no {}: give a file, or the folder of a complete run",
                               path, runs::kModelFile)};
    }
  }
  auto origin = OriginOf(file.parent_path());
  if (!origin) return origin.error();
  return KeptModel{.file = file, .origin = std::move(*origin)};
}

}  // namespace airlot
