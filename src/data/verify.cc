#include "data/verify.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "data/byte_reader.h"
#include "data/own_checksums.h"
#include "data/sha256.h"

namespace airlot::data {

Status Verify(const std::string& path, const KnownFile& expected,
              const std::function<void(std::span<const std::uint8_t>)>& take) {
  auto file = ByteReader::Open(path);
  if (!file) return file.error();
  Sha256 sha256;
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, std::size_t{1} << 16> buffer;
  std::size_t got = buffer.size();
  while (got == buffer.size() && bytes <= expected.bytes) {
    const auto read = file->Read(buffer);
    if (!read) return read.error();
    got = *read;
    bytes += got;
    const auto part = std::span<const std::uint8_t>(buffer).first(got);
    sha256.Update(part);
    if (take) take(part);
  }
  if (bytes != expected.bytes) {
    const std::string found = bytes > expected.bytes ? fmt::format("more than {}", expected.bytes)
                                                     : fmt::to_string(bytes);
    return Error{fmt::format("{}: has {} bytes, expected {}", path, found, expected.bytes)};
  }
  const std::string found = sha256.Hex();
  if (found == expected.sha256) return {};
  return Error{fmt::format("{}: SHA-256 is {}, expected {}", path, found, expected.sha256)};
}

Status Verify(const KnownSet& set, const std::string& folder) {
  const auto paths = FindIdxFiles(folder);
  if (!paths) return paths.error();
  std::vector<std::string> noted(kIdxFiles);
  if (set.archive != nullptr) {
    auto own = ReadOwnChecksums(folder);
    if (!own) return own.error();
    noted = std::move(*own);
  }
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    KnownFile expected = set.files[i];
    if (expected.sha256.empty()) expected.sha256 = noted[i];
    if (auto status = Verify((*paths)[i], expected); !status) return status;
  }
  return {};
}

}  // namespace airlot::data
