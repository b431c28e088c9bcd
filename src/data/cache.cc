#include "data/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/atomic_folder.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockFile = ".lock";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string HowToGet(const KnownSet& set) {
  if (set.debian_package.empty()) {
    return fmt::format("run \"airlot data fetch {}{}\"", set.name, SourceOption(set));
  }
  return fmt::format("install the Debian package {} (apt install {})", set.debian_package,
                     set.debian_package);
}

Error CannotUse(const std::string& cache, const std::string& reason) {
  return {fmt::format(
      "{}: cannot use this cache folder: {}: set AIRLOT_DATA_DIR to a folder that can be written",
      cache, reason)};
}

}  // namespace

Result<std::string> CacheFolder() {
  const std::string own = Environment("AIRLOT_DATA_DIR");
  if (!own.empty()) return own;
  const std::string caches = Environment("XDG_CACHE_HOME");
  if (caches.starts_with('/')) return caches + "/airlot";  // to XDG, other paths do not count
  const std::string home = Environment("HOME");
  if (!home.empty()) return home + "/.cache/airlot";
  return Error{"there is no cache folder, because HOME is not set: set AIRLOT_DATA_DIR"};
}

Result<std::string> Locate(const KnownSet& set) {
  auto cache = CacheFolder();
  if (!cache) return cache.error();
  const fs::path folder = fs::path(*cache) / set.name;
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status)) return folder.string();
  if (status.type() != fs::file_type::not_found) {
    return Error{fmt::format("{}: cannot read: {}", folder.string(), error.message())};
  }
  const std::string packaged(set.debian_folder);
  if (!packaged.empty() && fs::exists(packaged, error)) return packaged;
  return Error{fmt::format("{}: is not in the cache ({}): {}, or use the built-in data set \"{}\"",
                           set.name, folder.string(), HowToGet(set),
                           set.archive != nullptr ? kColourDigitsName : kDigitsName)};
}

Result<CacheLock> CacheLock::Take(const std::string& cache, const KnownSet& set) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) return CannotUse(cache, error.message());
  if (::access(cache.c_str(), W_OK) != 0) {
    return CannotUse(cache, std::generic_category().message(errno));
  }
  auto lock = base::LockFile::Take(fs::path(cache) / kLockFile);
  if (!lock) return CannotUse(cache, lock.error().message);
  // Fetches do each other no harm where the file system has no locks, either; only what killed
  // fetches leave stays there.
  if (lock->is_exclusive()) base::AtomicFolder::CleanUp(fs::path(cache) / set.name);
  return CacheLock(std::move(*lock));
}

void CleanUpAfterKills(const std::string& cache, const KnownSet& set) {
  const auto attempt = base::LockFile::Try(fs::path(cache) / kLockFile);
  const bool is_alone = attempt && attempt->lock && attempt->lock->is_exclusive();
  if (is_alone) base::AtomicFolder::CleanUp(fs::path(cache) / set.name);
}

}  // namespace airlot::data
