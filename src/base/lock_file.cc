#include "base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <thread>
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
bool LockDescriptor(int descriptor, int operation) {
  int locked;
  do {
    locked = ::flock(descriptor, operation);
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

// A file without the number locks as well, so it does not matter whether these succeed.
bool ForgetHolder(int descriptor) { return ::ftruncate(descriptor, 0) == 0; }

void WriteHolder(int descriptor) {
  const std::string text = std::to_string(::getpid()) + "\n";
  if (!ForgetHolder(descriptor)) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

Result<LockFile::Attempt> LockFile::Lock(const std::string& path, Kind kind, bool waits) {
  const bool is_shared = kind == Kind::kShared;
  while (true) {
    const int descriptor = OpenFile(path);
    if (descriptor < 0) return CannotWrite(path);
    const bool is_locked =
        LockDescriptor(descriptor, (is_shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB));
    if (!is_locked && errno == EWOULDBLOCK) {
      Attempt attempt{.holder = HolderOf(descriptor)};
      ::close(descriptor);
      return attempt;
    }
    if (is_locked && !IsStillThere(path, descriptor)) {
      ::close(descriptor);
      continue;
    }
    if (is_shared) {
      ForgetHolder(descriptor);  // of one that was killed
    } else {
      AddUnfinishedFile(path);
      WriteHolder(descriptor);
    }
    return Attempt{.lock = LockFile(path, descriptor, is_locked, is_shared)};
  }
}

Result<LockFile> LockFile::Take(const std::string& path) {
  auto attempt = Lock(path, Kind::kAlone, /*waits=*/true);
  if (!attempt) return attempt.error();
  return *std::move(attempt->lock);
}

Result<LockFile::Attempt> LockFile::Try(const std::string& path) {
  return Lock(path, Kind::kAlone, /*waits=*/false);
}

// The last of those who share a lock holds it alone for a moment, to remove the file, and so does
// who has just taken it and not yet written its number. Both are short.
Result<LockFile::Attempt> LockFile::TryShared(const std::string& path) {
  constexpr int kTries = 1000;
  constexpr std::chrono::milliseconds kPause(1);
  for (int i = 1;; ++i) {
    auto attempt = Lock(path, Kind::kShared, /*waits=*/false);
    if (!attempt || attempt->lock || attempt->holder || i == kTries) return attempt;
    std::this_thread::sleep_for(kPause);
  }
}

LockFile::LockFile(std::string path, int descriptor, bool is_exclusive, bool is_shared)
    : path_(std::move(path)),
      descriptor_(descriptor),
      is_exclusive_(is_exclusive),
      is_shared_(is_shared) {}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_exclusive_(other.is_exclusive_),
      is_shared_(other.is_shared_) {}

// The file goes while the lock is held alone, so that nobody else's file is ever removed. While one
// that was shared is taken alone, another may have had it, and removed the file.
LockFile::~LockFile() {
  if (descriptor_ < 0) return;
  const bool is_alone = !is_shared_ || (LockDescriptor(descriptor_, LOCK_EX | LOCK_NB) &&
                                        IsStillThere(path_, descriptor_));
  if (is_alone) ::unlink(path_.c_str());
  if (!is_shared_) DropUnfinishedFile(path_);
  ::close(descriptor_);
}

}  // namespace airlot::base
