#include "runs/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/replacement.h"
#include "runs/file_names.h"

namespace airlot::runs {
namespace {

namespace fs = std::filesystem;

Error Failed(const fs::path& path, std::string_view what, const std::error_code& why) {
  return {fmt::format("{}: {}: {}", path.string(), what, why.message())};
}

}  // namespace

bool IsNamedLikeOurs(const std::string& path) {
  const std::string name = fs::path(base::FollowLinks(path)).filename().string();
  const auto is_in = [&](const auto& names) {
    return std::ranges::find(names, name) != names.end();
  };
  return is_in(kTopFiles) || is_in(kRunFiles) || is_in(kSweepFiles) || name == kLockFile;
}

bool IsLeftByAKill(const std::string& file) {
  const auto is_temporary_for = [&](std::string_view name) {
    return base::IsTemporaryFor(name, file);
  };
  return std::ranges::any_of(kRunFiles, is_temporary_for) ||
         std::ranges::any_of(kTopFiles, is_temporary_for) ||
         std::ranges::any_of(kSweepFiles, is_temporary_for);
}

Result<bool> MakeFolder(const fs::path& path) {
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  if (error) return Failed(path, "cannot make this folder", error);
  const bool is_new = fs::create_directory(folder, error);
  if (error) return Failed(path, "cannot make this folder", error);
  return is_new;
}

Result<std::vector<fs::path>> PathsIn(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    paths.push_back(entry->path());
  }
  if (error) return Failed(folder, "cannot read this folder", error);
  return paths;
}

Status RemoveFiles(const fs::path& folder, std::span<const std::string_view> names) {
  const auto paths = PathsIn(folder);
  if (!paths) return paths.error();
  for (const fs::path& path : *paths) {
    const std::string file = path.filename();
    const bool is_named = std::ranges::find(names, file) != names.end();
    std::error_code error;
    if (!(is_named || IsLeftByAKill(file)) || fs::is_directory(fs::symlink_status(path, error))) {
      continue;
    }
    if (!fs::remove(path, error) && error) return Failed(path, "cannot remove", error);
  }
  return {};
}

Result<bool> IsFolder(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) return Failed(path, "cannot open", error);
  if (fs::is_directory(status)) return true;
  return Error{path.string() + ": is in the way and is not a folder: remove it first"};
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

void RemoveIfEmpty(const fs::path& folder) {
  std::error_code not_empty;
  fs::remove(folder, not_empty);
}

}  // namespace airlot::runs
