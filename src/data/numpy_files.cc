#include "data/numpy_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "data/byte_reader.h"

namespace airlot::data {
namespace {

std::string NpyFileOf(std::string_view array) { return fmt::format("{}.npy", array); }

Error WrongSize(const std::string& where, const base::NpyHeader& header, std::size_t found,
                std::size_t expected) {
  return {fmt::format("{}: has {} bytes of numbers, expected {} for the shape {} of {}", where,
                      found, expected, base::ShapeText(header.shape), base::Quoted(header.type))};
}

// The file stays open for as long as there is a source.
Result<base::ZipSource> OpenArchive(const std::string& path) {
  auto opened = base::InputFile::Open(path);
  if (!opened) return opened.error();
  const auto file = std::make_shared<const base::InputFile>(std::move(*opened));
  if (*file->size() > kMostBytes) {
    return Error{fmt::format("{}: is larger than {} bytes", path, kMostBytes)};
  }
  return base::ZipSource{*file->size(), [file](std::uint64_t offset, std::span<char> bytes) {
                           return file->ReadAt(offset, bytes);
                         }};
}

}  // namespace

Result<NumpyFiles> NumpyFiles::Open(const std::string& path) {
  NumpyFiles files(path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return files;
  auto archive = OpenArchive(path);
  if (!archive) return archive.error();
  files.archive_ = std::move(*archive);
  auto entries = base::ListZip(*files.archive_);
  if (!entries) return Error{fmt::format("{}: {}", path, entries.error().message)};
  files.entries_ = std::move(*entries);
  return files;
}

std::string NumpyFiles::Where(std::string_view name) const {
  return archive_ ? fmt::format("{}: {}", path_, name)
                  : (std::filesystem::path(path_) / NpyFileOf(name)).string();
}

Result<const base::ZipEntry*> NumpyFiles::Find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, NpyFileOf(name), &base::ZipEntry::name);
  if (found != entries_.end()) return &*found;
  std::vector<std::string> names;
  for (const base::ZipEntry& entry : entries_) names.push_back(base::Quoted(entry.name));
  constexpr std::size_t kShown = 8;
  const bool is_cut = names.size() > kShown;
  if (is_cut) names.resize(kShown);
  return Error{fmt::format("{}: has no array {}: it has {}{}", path_, name,
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                           is_cut ? ", ..." : "")};
}

Result<base::NpyHeader> NumpyFiles::ReadHeader(std::string_view name) const {
  std::string start;
  if (archive_) {
    const auto entry = Find(name);
    if (!entry) return entry.error();
    auto bytes = base::StartOf(*archive_, **entry, base::kMostNpyHeader);
    if (!bytes) return Error{fmt::format("{}: {}", path_, bytes.error().message)};
    start = std::move(*bytes);
  } else {
    auto file = ByteReader::Open(Where(name));
    if (!file) return file.error();
    start.resize(base::kMostNpyHeader);
    const auto got = file->Read({reinterpret_cast<std::uint8_t*>(start.data()), start.size()});
    if (!got) return got.error();
    start.resize(*got);
  }
  auto header = base::ParseNpyHeader(start);
  if (!header) return Error{fmt::format("{}: {}", Where(name), header.error().message)};
  return header;
}

Result<NpyBytes> NumpyFiles::ReadNumbers(std::string_view name, const base::NpyHeader& header,
                                         std::size_t size) const {
  if (archive_) {
    const auto entry = Find(name);
    if (!entry) return entry.error();
    if ((*entry)->size != header.bytes + size) {
      return WrongSize(Where(name), header, (*entry)->size - header.bytes, size);
    }
    auto bytes = base::BytesOf(*archive_, **entry);
    if (!bytes) return Error{fmt::format("{}: {}", path_, bytes.error().message)};
    return NpyBytes(std::move(*bytes), header.bytes);
  }
  auto file = base::InputFile::Open(Where(name));
  if (!file) return file.error();
  if (file->size() && *file->size() != header.bytes + size) {
    return WrongSize(Where(name), header, *file->size() - header.bytes, size);
  }
  auto bytes = base::ReadWhole(Where(name), header.bytes + size);
  if (!bytes) return bytes.error();
  if (bytes->size() != header.bytes + size) {  // It has changed since it was opened.
    return Error{fmt::format("{}: changes while it is read", Where(name))};
  }
  return NpyBytes(std::move(*bytes), header.bytes);
}

}  // namespace airlot::data
