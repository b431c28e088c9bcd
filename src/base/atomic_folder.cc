#include "base/atomic_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/replacement.h"
#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOld = "-old";

// Puts `from` at the name `to`; what was there, if anything, gets the name `from`.
bool Exchange(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return true;
  return errno == ENOENT && std::rename(from.c_str(), to.c_str()) == 0;
}

// This is for file systems that cannot exchange names: for a moment nothing is at `to`.
bool ReplaceInTwoSteps(const std::string& from, const std::string& to) {
  const InterruptsHeld held;
  const std::string old = from + std::string(kOld);
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

// Finds the folders that processes which were killed may have left beside the target.
std::vector<fs::path> LeftBeside(const fs::path& target) {
  std::vector<fs::path> left;
  std::error_code error;
  const fs::path parent = target.has_parent_path() ? target.parent_path() : ".";
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::string_view made = name;
    if (made.ends_with(kOld)) made.remove_suffix(kOld.size());
    std::error_code ignored;
    if (IsTemporaryFor(target, made) && fs::is_directory(entry->symlink_status(ignored))) {
      left.push_back(entry->path());
    }
  }
  return left;
}

}  // namespace

Result<AtomicFolder> AtomicFolder::Create(const std::string& target) {
  while (true) {
    std::string name = TemporaryFor(target);
    AddUnfinishedFile(name);  // before the folder exists, so that an interrupt never misses it
    if (::mkdir(name.c_str(), 0777) == 0) return AtomicFolder(target, std::move(name));
    const int why = errno;
    DropUnfinishedFile(name);
    errno = why;
    if (errno != EEXIST) return CannotWrite(fs::path(target).parent_path());
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

Status AtomicFolder::Commit() {
  AIRLOT_CHECK(!temporary_.empty(), "{} was committed or moved", target_);
  SyncFolder(temporary_);
  const bool done =
      Exchange(temporary_, target_) || (errno == EINVAL && ReplaceInTwoSteps(temporary_, target_));
  if (!done) return CannotWrite(target_);
  SyncFolder(fs::path(target_).parent_path());
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);  // this is what was at the target
  DropUnfinishedFile(temporary_);
  temporary_.clear();
  return {};
}

void AtomicFolder::CleanUp(const std::string& target) {
  for (const fs::path& folder : LeftBeside(target)) {
    std::error_code ignored;
    const bool is_missing = fs::symlink_status(target, ignored).type() == fs::file_type::not_found;
    if (is_missing && folder.string().ends_with(kOld)) {
      fs::rename(folder, target, ignored);
    } else {
      fs::remove_all(folder, ignored);
    }
  }
}

}  // namespace airlot::base
