#include "base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/replacement.h"
#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

int OpenFile(const std::string& path) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// Says whether the lock was taken; else errno says why not.
bool LockDescriptor(int descriptor, bool waits) {
  int locked;
  do {
    locked = ::flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
  } while (locked != 0 && errno == EINTR);
  return locked == 0;
}

// Says whether `path` still leads to the open file: the one who held it before has removed it,
// perhaps.
bool IsStillThere(const std::string& path, int descriptor) {
  struct stat opened, there;
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

std::optional<pid_t> HolderOf(int descriptor) {
  std::array<char, 24> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  pid_t process = 0;
  if (size <= 0) return std::nullopt;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + size, process);
  return fault == std::errc() && process > 0 ? std::optional(process) : std::nullopt;
}

// A file without the number locks as well, so it does not matter whether this succeeds.
void WriteHolder(int descriptor) {
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

Result<LockFile::Attempt> LockFile::Lock(const std::string& path, bool waits) {
  while (true) {
    const int descriptor = OpenFile(path);
    if (descriptor < 0) return CannotWrite(path);
    const bool is_locked = LockDescriptor(descriptor, waits);
    if (!is_locked && errno == EWOULDBLOCK) {
      Attempt attempt{.holder = HolderOf(descriptor)};
      ::close(descriptor);
      return attempt;
    }
    if (is_locked && !IsStillThere(path, descriptor)) {
      ::close(descriptor);
      continue;
    }
    AddUnfinishedFile(path);
    WriteHolder(descriptor);
    return Attempt{.lock = LockFile(path, descriptor, is_locked)};
  }
}

Result<LockFile> LockFile::Take(const std::string& path) {
  auto attempt = Lock(path, /*waits=*/true);
  if (!attempt) return attempt.error();
  return *std::move(attempt->lock);
}

Result<LockFile::Attempt> LockFile::Try(const std::string& path) {
  return Lock(path, /*waits=*/false);
}

LockFile::LockFile(std::string path, int descriptor, bool is_exclusive)
    : path_(std::move(path)), descriptor_(descriptor), is_exclusive_(is_exclusive) {}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_exclusive_(other.is_exclusive_) {}

// The file goes while the lock is held, so that nobody else's file is ever removed.
LockFile::~LockFile() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  DropUnfinishedFile(path_);
  ::close(descriptor_);
}

}  // namespace airlot::base
