#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/replacement.h"
#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

// Returns the standard stream that `path` names, or -1.
int StandardStream(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  return -1;
}

// Returns a descriptor that writes to `path` itself, or -1. A standard stream is written where it
// stands: opened anew, a file it was redirected to would be written from its beginning.
int OpenDirectly(const std::string& path) {
  const int stream = StandardStream(path);
  if (stream >= 0) return ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);  // a pipe may wait here
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

struct Temporary {
  std::string name;
  int descriptor;  // -1 with errno where it could not be made
};

Temporary CreateTemporary(const fs::path& target) {
  while (true) {
    std::string name = TemporaryFor(target);
    AddUnfinishedFile(name);  // before the file exists, so that an interrupt never misses it
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int why = errno;
    if (descriptor < 0) DropUnfinishedFile(name);
    errno = why;
    if (descriptor >= 0 || why != EEXIST) return {std::move(name), descriptor};
  }
}

bool SetPermissions(int descriptor, mode_t mode) {
  struct stat now;
  if (::fstat(descriptor, &now) != 0) return false;
  constexpr mode_t kBits = S_IRWXU | S_IRWXG | S_IRWXO;
  // Some file systems have one mode for all files and refuse to set it.
  return ((now.st_mode ^ mode) & kBits) == 0 || ::fchmod(descriptor, mode & kBits) == 0;
}

// Lets the disk begin to write a large file while more of it is made, so that Finish waits for
// less: all but the last `written` bytes of a file were seen before. Where that does not work,
// Finish does it all.
void BeginToFlush([[maybe_unused]] int descriptor, [[maybe_unused]] std::size_t written) {
#ifdef SYNC_FILE_RANGE_WRITE
  constexpr off_t kPart = off_t{1} << 24;
  const off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  const off_t first = (end - static_cast<off_t>(written)) / kPart * kPart,
              last = end / kPart * kPart;
  if (end < 0 || first >= last) return;
  ::sync_file_range(descriptor, first, last - first, SYNC_FILE_RANGE_WRITE);
#endif
}

}  // namespace

Result<AtomicFile> AtomicFile::Create(const std::string& path) {
  struct stat old;
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return CannotWrite(path);
  if (exists && S_ISDIR(old.st_mode)) return Error{path + ": is a directory"};

  if (StandardStream(path) >= 0 || (exists && !S_ISREG(old.st_mode))) {
    const int descriptor = OpenDirectly(path);
    if (descriptor < 0) return CannotWrite(path);
    return AtomicFile(path, path, "", descriptor);
  }

  const std::string target = FollowLinks(path);
  // A rename would replace even a file that its owner protected.
  if (exists && ::access(target.c_str(), W_OK) != 0) return CannotWrite(path);
  Temporary temporary = CreateTemporary(target);
  if (temporary.descriptor < 0) return CannotWrite(path);
  AtomicFile file(path, target, std::move(temporary.name), temporary.descriptor);
  if (exists && !SetPermissions(file.descriptor_, old.st_mode)) return CannotWrite(path);
  return file;
}

AtomicFile::AtomicFile(std::string path, std::string target, std::string temporary, int descriptor)
    : path_(std::move(path)),
      target_(std::move(target)),
      temporary_(std::move(temporary)),
      descriptor_(descriptor) {
  buffer_.reserve(kBufferSize);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_finished_(std::exchange(other.is_finished_, false)),
      buffer_(std::move(other.buffer_)),
      status_(std::move(other.status_)) {}

AtomicFile::~AtomicFile() { Abandon(); }

void AtomicFile::Append(std::string_view text) {
  AIRLOT_CHECK(descriptor_ >= 0 || !status_, "{} was committed or moved", path_);
  if (buffer_.size() + text.size() > kBufferSize) {
    Write(buffer_);
    buffer_.clear();
  }
  if (text.size() > kBufferSize) {
    Write(text);
  } else {
    buffer_ += text;
  }
}

Status AtomicFile::Finish() {
  AIRLOT_CHECK(descriptor_ >= 0 || !status_, "{} was committed or moved", path_);
  Write(buffer_);
  buffer_.clear();
  if (status_ && !Sync(descriptor_)) Fail();
  if (status_) Close();
  is_finished_ = true;
  return status_;
}

Status AtomicFile::Commit() {
  const Status finished = is_finished_ ? status_ : Finish();
  is_finished_ = false;
  if (finished && !temporary_.empty()) PutInPlace();
  return status_;
}

void AtomicFile::Write(std::string_view text) {
  const std::size_t size = text.size();
  while (status_ && !text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      Fail();
    }
  }
  if (status_ && !is_direct()) BeginToFlush(descriptor_, size);
}

// Some file systems report a full disk only when the file is closed.
void AtomicFile::Close() {
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) Fail();
}

void AtomicFile::PutInPlace() {
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return Fail();
  DropUnfinishedFile(temporary_);
  temporary_.clear();
  SyncFolder(fs::path(target_).parent_path());
}

// Keeps the error of the call that just failed, and nothing of the file.
void AtomicFile::Fail() {
  status_ = CannotWrite(path_);
  Abandon();
}

void AtomicFile::Abandon() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  DropUnfinishedFile(temporary_);
  temporary_.clear();
}

Status WriteWhole(const std::string& path, std::string_view text) {
  auto file = AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append(text);
  return file->Commit();
}

Status WriteAllWhole(std::span<const FileText> files) {
  std::vector<AtomicFile> opened;
  for (const auto& [path, text] : files) {
    auto file = AtomicFile::Create(path);
    if (!file) return file.error();
    file->Append(text);
    opened.push_back(std::move(*file));
  }
  // What is written directly comes last, when nothing else can fail.
  for (const bool is_direct : {false, true}) {
    for (AtomicFile& file : opened) {
      if (file.is_direct() != is_direct) continue;
      if (auto status = file.Finish(); !status) return status;
    }
  }
  for (AtomicFile& file : opened) {
    if (auto status = file.Commit(); !status) return status;
  }
  return {};
}

}  // namespace airlot::base
