#include "base/replacement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

std::string StemFor(const fs::path& target) {
  constexpr std::size_t kLongest = 200;  // leaves room for the numbers within 255 bytes
  return fmt::format(".{}.tmp-", target.filename().string().substr(0, kLongest));
}

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string FollowLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error); ++i) {
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return target;
}

std::string TemporaryFor(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.parent_path() / fmt::format("{}{}-{}", StemFor(target), ::getpid(), counter++);
}

bool IsTemporaryFor(const fs::path& target, std::string_view name) {
  const std::string stem = StemFor(target);
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && IsNumber(name.substr(0, dash)) &&
         IsNumber(name.substr(dash + 1));
}

Error CannotWrite(const std::string& path) {
  return {path + ": cannot write: " + std::generic_category().message(errno)};
}

bool Sync(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINVAL || errno == EROFS) return true;  // a pipe or device: there is no disk
    if (errno != EINTR) return false;
  }
  return true;
}

void SyncFolder(const fs::path& folder) {
  const char* path = folder.empty() ? "." : folder.c_str();
  const int descriptor = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  Sync(descriptor);
  ::close(descriptor);
}

}  // namespace airlot::base
