#include "data/own_checksums.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/input_file.h"
#include "data/idx_folder.h"

namespace airlot::data {
namespace {

constexpr std::size_t kHexDigits = 64;

}  // namespace

Status WriteOwnChecksums(const std::string& folder, std::span<const std::string> checksums) {
  AIRLOT_CHECK(checksums.size() == kIdxFiles, "{} checksums", checksums.size());
  std::string text;
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    text += fmt::format("{}  {}\n", checksums[i], kChannelIdxNames[i]);
  }
  return base::WriteWhole(fmt::format("{}/{}", folder, kOwnChecksums), text);
}

Result<std::vector<std::string>> ReadOwnChecksums(const std::string& folder) {
  constexpr std::uint64_t kMostText = 4096;
  const std::string path = fmt::format("{}/{}", folder, kOwnChecksums);
  const auto text = base::ReadWhole(path, kMostText);
  if (!text) return text.error();
  std::vector<std::string> checksums;
  std::string_view rest = *text;
  for (const std::string_view name : kChannelIdxNames) {
    const std::string tail = fmt::format("  {}\n", name);
    const std::string_view checksum = rest.substr(0, kHexDigits);
    const bool is_line = checksum.size() == kHexDigits &&
                         checksum.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
                         rest.substr(kHexDigits).starts_with(tail);
    if (!is_line) {
      return Error{
          fmt::format("{}: line {}: must be the SHA-256 of {}", path, checksums.size() + 1, name)};
    }
    checksums.emplace_back(checksum);
    rest.remove_prefix(kHexDigits + tail.size());
  }
  return checksums;
}

}  // namespace airlot::data
