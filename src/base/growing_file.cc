#include "base/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/replacement.h"

namespace airlot::base {
namespace {

// Writes all of the text, and says whether that worked; errno says why not.
bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Status Append(int descriptor, std::uint64_t size, std::string_view text, const std::string& path) {
  struct stat now;
  if (::fstat(descriptor, &now) != 0) return CannotWrite(path);
  if (!S_ISREG(now.st_mode)) return Error{path + ": is not a regular file"};
  if (static_cast<std::uint64_t>(now.st_size) < size) {
    return Error{fmt::format("{}: has {} bytes, and {} were written: it was changed", path,
                             now.st_size, size)};
  }
  const auto end = static_cast<off_t>(size);
  if (now.st_size != end && ::ftruncate(descriptor, end) != 0) return CannotWrite(path);
  if (::lseek(descriptor, end, SEEK_SET) != end || !WriteAll(descriptor, text) ||
      !Sync(descriptor)) {
    return CannotWrite(path);
  }
  return {};
}

}  // namespace

Status AppendAfter(std::uint64_t size, std::string_view text, const std::string& path) {
  // A pipe that nobody reads must not be waited for.
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor < 0) return CannotWrite(path);
  Status status = Append(descriptor, size, text, path);
  // Some file systems report a full disk only when the file is closed.
  if (::close(descriptor) != 0 && errno != EINTR && status) return CannotWrite(path);
  if (size == 0) SyncFolder(std::filesystem::path(path).parent_path());
  return status;
}

}  // namespace airlot::base
