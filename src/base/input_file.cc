#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace airlot::base {
namespace {

// Makes the error of the call that just failed.
Error Cannot(const char* what, const std::string& path) {
  return {path + ": cannot " + what + ": " + std::generic_category().message(errno)};
}

bool IsStream(std::string_view path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

// Without O_NONBLOCK, opening would wait for somebody who writes to a pipe.
int OpenDescriptor(const std::string& path, bool is_stream) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_stream ? 0 : O_NONBLOCK);
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

Result<std::string> ReadToEnd(InputFile& file, std::uint64_t most_bytes) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 16;
  const auto too_large = [&] {
    return Error{file.path() + ": is larger than " + std::to_string(most_bytes) + " bytes"};
  };
  if (file.size().value_or(0) > most_bytes) return too_large();
  std::string bytes;
  std::size_t filled = 0;
  while (true) {
    if (filled > most_bytes) return too_large();
    // One byte more than there should be finds the end in one call less.
    const std::uint64_t expected = std::max(file.size().value_or(0) + 1, kFirst);
    if (filled == bytes.size()) bytes.resize(filled == 0 ? expected : 2 * filled);
    const auto got = file.Read({bytes.data() + filled, bytes.size() - filled});
    if (!got) return got.error();
    if (*got == 0) break;
    filled += *got;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

Result<InputFile> InputFile::Open(const std::string& path) { return Open(path, false); }

Result<InputFile> InputFile::OpenFileOrStream(const std::string& path) {
  return Open(path, IsStream(path));
}

Result<InputFile> InputFile::Open(const std::string& path, bool is_stream) {
  InputFile file(path, OpenDescriptor(path, is_stream));
  struct stat status;
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0) return Cannot("open", path);
  if (S_ISDIR(status.st_mode)) return Error{path + ": is a directory, not a file"};
  if (!is_stream && !S_ISREG(status.st_mode)) return Error{path + ": is not a regular file"};
  if (S_ISREG(status.st_mode)) file.size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputFile::Read(std::span<char> bytes) {
  ssize_t count;
  do {
    count = ::read(descriptor_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return Cannot("read", path_);
  return static_cast<std::size_t>(count);
}

bool InputFile::ReadAt(std::uint64_t offset, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

Result<std::string> ReadWhole(const std::string& path, std::uint64_t most_bytes) {
  auto file = InputFile::OpenFileOrStream(path);
  if (!file) return file.error();
  return ReadToEnd(*file, most_bytes);
}

Result<std::optional<std::string>> ReadWholeIfThere(const std::string& path,
                                                    std::uint64_t most_bytes) {
  auto file = InputFile::Open(path);
  struct stat status;
  const bool is_missing = !file && ::stat(path.c_str(), &status) != 0;
  if (is_missing && (errno == ENOENT || errno == ENOTDIR)) return std::optional<std::string>();
  if (!file) return file.error();
  auto bytes = ReadToEnd(*file, most_bytes);
  if (!bytes) return bytes.error();
  return std::optional(std::move(*bytes));
}

}  // namespace airlot::base
