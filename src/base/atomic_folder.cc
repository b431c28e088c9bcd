#include "base/atomic_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";

// For the call that just failed.
Error CannotWrite(const std::string& path) {
  return {path + ": cannot write: " + std::generic_category().message(errno)};
}

void SyncFolder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// Puts `from` at the name `to`; what was there, if anything, gets the name `from`.
bool Exchange(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return true;
  return errno == ENOENT && std::rename(from.c_str(), to.c_str()) == 0;
}

// For file systems that cannot exchange names: for a moment nothing is at `to`.
bool ReplaceInTwoSteps(const std::string& from, const std::string& to) {
  const std::string old = from + "-old";
  if (std::rename(to.c_str(), old.c_str()) != 0 && errno != ENOENT) return false;
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    static_cast<void>(std::rename(old.c_str(), to.c_str()));
    errno = error;
    return false;
  }
  std::error_code ignored;
  fs::remove_all(old, ignored);
  return true;
}

}  // namespace

Result<AtomicFolder> AtomicFolder::Create(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  const fs::path path = target;
  const std::string stem = fmt::format(".{}{}{}-", path.filename().string(), kMark, ::getpid());
  // A name is taken only where a process of the same number was killed, so the loop is short.
  while (true) {
    std::string name = path.parent_path() / (stem + std::to_string(counter++));
    if (::mkdir(name.c_str(), 0777) == 0) {
      AddUnfinishedFile(name);
      return AtomicFolder(target, std::move(name));
    }
    if (errno != EEXIST) return CannotWrite(path.parent_path());
  }
}

AtomicFolder::AtomicFolder(std::string target, std::string temporary)
    : target_(std::move(target)), temporary_(std::move(temporary)) {}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}

AtomicFolder::~AtomicFolder() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  DropUnfinishedFile(temporary_);
}

std::optional<Error> AtomicFolder::Commit() {
  AIRLOT_CHECK(!temporary_.empty(), "{} was committed or moved", target_);
  SyncFolder(temporary_);
  const bool done =
      Exchange(temporary_, target_) || (errno == EINVAL && ReplaceInTwoSteps(temporary_, target_));
  if (!done) return CannotWrite(target_);
  SyncFolder(fs::path(target_).parent_path());
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);  // what was at the target
  DropUnfinishedFile(temporary_);
  temporary_.clear();
  return std::nullopt;
}

bool AtomicFolder::IsTemporary(std::string_view name) {
  return name.starts_with('.') && name.find(kMark) != std::string_view::npos;
}

}  // namespace airlot::base
