#include "data/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/atomic_folder.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string HowToGet(const KnownSet& set) {
  if (set.debian_package.empty()) return fmt::format("run \"airlot data fetch {}\"", set.name);
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
  if (caches.starts_with('/')) return caches + "/airlot";  // others do not count, says XDG
  const std::string home = Environment("HOME");
  if (!home.empty()) return home + "/.cache/airlot";
  return Error{"no cache folder: HOME is not set: set AIRLOT_DATA_DIR"};
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
  return Error{fmt::format("{}: not in the cache ({}): {}, or use the built-in data set \"{}\"",
                           set.name, folder.string(), HowToGet(set), kDigitsName)};
}

Result<CacheLock> CacheLock::Take(const std::string& cache, const KnownSet& set) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) return CannotUse(cache, error.message());
  const int descriptor = ::open(cache.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return CannotUse(cache, std::generic_category().message(errno));
  CacheLock lock(descriptor);
  if (::access(cache.c_str(), W_OK) != 0) {
    return CannotUse(cache, std::generic_category().message(errno));
  }
  int locked;
  do {
    locked = ::flock(descriptor, LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  // Some network file systems cannot lock a folder. Fetches do each other no harm there either:
  // only what they leave when killed stays.
  if (locked == 0) base::AtomicFolder::CleanUp(fs::path(cache) / set.name);
  return lock;
}

CacheLock::CacheLock(CacheLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

CacheLock::~CacheLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace airlot::data
