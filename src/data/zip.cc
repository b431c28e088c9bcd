#include "data/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "data/byte_reader.h"
#include "data/little_endian.h"

// The format is that of PKWARE's APPNOTE.TXT. An archive is the members, each behind its local
// header, then the directory with an entry for each, then the end record. Numbers are
// little-endian.
namespace airlot::data {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kEntry = 0x02014b50, kEndRecord = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kVersion = 20;           // 2.0, which knows all that is used here
constexpr std::uint16_t kFirstDay = 1 << 5 | 1;  // 1 January 1980
constexpr std::uint16_t kIsEncrypted = 1;        // a flag
// No deflated byte stands for more than this many.
constexpr std::uint64_t kMostRatio = 1032;

std::uint32_t ChecksumOf(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// --- Writing -------------------------------------------------------------------------------------

void Put16(std::string& out, std::size_t value) {
  out += char(value & 0xff);
  out += char(value >> 8 & 0xff);
}

void Put32(std::string& out, std::size_t value) {
  Put16(out, value & 0xffff);
  Put16(out, value >> 16);
}

// Puts the fields that a member's local header and its entry in the directory share.
void PutFields(std::string& out, const ZipMember& member, std::uint32_t checksum) {
  for (const std::size_t field : {kVersion, std::uint16_t{0}, kStored, std::uint16_t{0}, kFirstDay})
    Put16(out, field);  // version, flags, method, time, date
  Put32(out, checksum);
  Put32(out, member.bytes.size());  // deflated
  Put32(out, member.bytes.size());  // as it is
  Put16(out, member.name.size());
  Put16(out, 0);  // bytes of extra fields
}

void PutEntry(std::string& out, const ZipMember& member, std::uint32_t checksum,
              std::size_t offset) {
  Put32(out, kEntry);
  Put16(out, kVersion);  // of the writer
  PutFields(out, member, checksum);
  for (int i = 0; i < 3; ++i) Put16(out, 0);  // comment, disk, kind
  Put32(out, 0);                              // permissions
  Put32(out, offset);
  out += member.name;
}

// --- Reading -------------------------------------------------------------------------------------

// The caller makes sure that the bytes are there.
std::uint32_t Get16(std::string_view bytes, std::size_t at) {
  return LittleEndian(bytes.substr(at, 2));
}

std::uint32_t Get32(std::string_view bytes, std::size_t at) {
  return LittleEndian(bytes.substr(at, 4));
}

struct Directory {
  std::size_t begin = 0, end = 0, entries = 0;
};

Result<Directory> FindDirectory(std::string_view archive) {
  if (!archive.starts_with("PK")) return Error{"is not a zip archive"};
  if (archive.size() < kEndSize || Get32(archive, archive.size() - kEndSize) != kEndRecord) {
    return Error{"the end record of the zip archive is missing: the file is cut off"};
  }
  const std::size_t end = archive.size() - kEndSize;
  const std::string_view record = archive.substr(end);
  const Directory directory{.begin = Get32(record, 16), .end = end, .entries = Get16(record, 10)};
  const bool is_whole = Get32(record, 4) == 0 && Get16(record, 8) == directory.entries &&
                        Get16(record, 20) == 0 && directory.begin <= end &&
                        end - directory.begin == Get32(record, 12);
  if (!is_whole) return Error{"the end record of the zip archive does not fit the rest of it"};
  return directory;
}

// An Entry says where in the archive a member lies.
struct Entry {
  std::string name;
  std::uint32_t flags = 0, method = 0, checksum = 0;
  std::size_t packed = 0, size = 0;  // bytes in the archive, and bytes as they were
  std::size_t header = 0;            // place of the local header
};

Error Wrong(const std::string& name, std::string_view what) {
  return {fmt::format("{}: {}", base::Quoted(name), what)};
}

// Takes the entry at `at`, and moves that to the next one.
std::optional<Entry> TakeEntry(std::string_view archive, const Directory& directory,
                               std::size_t& at) {
  if (directory.end - at < kEntrySize || Get32(archive, at) != kEntry) return std::nullopt;
  const std::string_view fields = archive.substr(at, kEntrySize);
  const std::size_t name = Get16(fields, 28), rest = Get16(fields, 30) + Get16(fields, 32);
  if (directory.end - at - kEntrySize < name + rest) return std::nullopt;
  Entry entry{.name = std::string(archive.substr(at + kEntrySize, name)),
              .flags = Get16(fields, 8),
              .method = Get16(fields, 10),
              .checksum = Get32(fields, 16),
              .packed = Get32(fields, 20),
              .size = Get32(fields, 24),
              .header = Get32(fields, 42)};
  at += kEntrySize + name + rest;
  return entry;
}

Status CheckEntry(const Entry& entry) {
  if ((entry.flags & kIsEncrypted) != 0) return Wrong(entry.name, "is encrypted");
  if (entry.method != kStored && entry.method != kDeflated) {
    return Wrong(entry.name,
                 fmt::format("is compressed by method {}: must be 0 (stored) or 8 (deflated)",
                             entry.method));
  }
  const bool is_stored = entry.method == kStored;
  if (is_stored ? entry.size != entry.packed : entry.size / kMostRatio > entry.packed) {
    return Wrong(entry.name, fmt::format("its {} bytes in the zip archive do not make {}",
                                         entry.packed, entry.size));
  }
  return {};
}

// Finds the bytes of a member, which lie between the end of the one before and the directory.
Result<std::string_view> PackedBytes(std::string_view archive, const Directory& directory,
                                     const Entry& entry, std::size_t& last_end) {
  const std::string_view before = archive.substr(0, directory.begin);
  const auto misplaced = [&] {
    return Wrong(entry.name, "is not where the directory of the zip archive says");
  };
  if (entry.header < last_end || before.size() < kLocalSize ||
      entry.header > before.size() - kLocalSize || Get32(before, entry.header) != kLocalHeader) {
    return misplaced();
  }
  const std::size_t name = Get16(before, entry.header + 26),
                    extra = Get16(before, entry.header + 28);
  const std::size_t name_at = entry.header + kLocalSize;
  if (before.size() - name_at < name + extra || before.substr(name_at, name) != entry.name) {
    return misplaced();
  }
  const std::size_t begin = name_at + name + extra;
  if (before.size() - begin < entry.packed) return misplaced();
  last_end = begin + entry.packed;
  return before.substr(begin, entry.packed);
}

// An Inflation is a stream that inflates `packed` into `bytes`, as far as that goes.
struct Inflation {
  bool is_at_end = false;       // of what was deflated
  std::size_t packed_left = 0;  // bytes
  std::size_t missing = 0;      // bytes
};

Inflation Inflate(std::string_view packed, std::string& bytes) {
  z_stream stream{};
  AIRLOT_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "there is no memory for zlib");
  char none = 0;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.empty() ? &none : bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const bool is_at_end = inflate(&stream, Z_FINISH) == Z_STREAM_END;
  const Inflation inflation{is_at_end, stream.avail_in, stream.avail_out};
  inflateEnd(&stream);
  return inflation;
}

// Returns nothing where the bytes are not those of so many, deflated.
std::optional<std::string> Inflated(std::string_view packed, std::size_t size) {
  std::string bytes(size, '\0');
  const auto [is_at_end, packed_left, missing] = Inflate(packed, bytes);
  if (!is_at_end || packed_left > 0 || missing > 0) return std::nullopt;
  return bytes;
}

// Returns the first bytes, at most so many, or as many as there are before an error.
std::string InflatedStart(std::string_view packed, std::size_t most) {
  std::string bytes(most, '\0');
  bytes.resize(most - Inflate(packed, bytes).missing);
  return bytes;
}

}  // namespace

Result<std::string> EncodeZip(std::span<const ZipMember> members) {
  std::uint64_t size = kEndSize;
  for (const ZipMember& member : members) {
    AIRLOT_CHECK(member.name.size() < 0x10000, "a name of {} bytes", member.name.size());
    size += kLocalSize + kEntrySize + 2 * member.name.size() + member.bytes.size();
  }
  AIRLOT_CHECK(members.size() < 0x10000, "{} members", members.size());
  if (size > kMostBytes) {
    return Error{fmt::format("the zip archive would have more than {} bytes", kMostBytes)};
  }
  std::string archive, directory;
  archive.reserve(size);
  for (const ZipMember& member : members) {
    const std::uint32_t checksum = ChecksumOf(member.bytes);
    PutEntry(directory, member, checksum, archive.size());
    Put32(archive, kLocalHeader);
    PutFields(archive, member, checksum);
    archive += member.name;
    archive += member.bytes;
  }
  const std::size_t begin = archive.size();
  archive += directory;
  Put32(archive, kEndRecord);
  Put32(archive, 0);  // this disk, and that of the directory
  for (int i = 0; i < 2; ++i) Put16(archive, members.size());  // on this disk, and on all
  Put32(archive, directory.size());
  Put32(archive, begin);
  Put16(archive, 0);  // bytes of a comment
  return archive;
}

Result<std::vector<ZipEntry>> ListZip(std::string_view archive) {
  const auto directory = FindDirectory(archive);
  if (!directory) return directory.error();
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  std::size_t at = directory->begin, last_end = 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < directory->entries; ++i) {
    const auto entry = TakeEntry(archive, *directory, at);
    if (!entry) return Error{fmt::format("entry {} of the zip archive is damaged", i + 1)};
    if (auto status = CheckEntry(*entry); !status) return status.error();
    if (!names.insert(entry->name).second) return Wrong(entry->name, "is there twice");
    const auto packed = PackedBytes(archive, *directory, *entry, last_end);
    if (!packed) return packed.error();
    total += entry->size;
    if (total > kMostBytes) {
      return Error{fmt::format("the zip archive holds more than {} bytes", kMostBytes)};
    }
    entries.push_back({.name = entry->name,
                       .size = entry->size,
                       .packed = *packed,
                       .checksum = entry->checksum,
                       .is_deflated = entry->method == kDeflated});
  }
  if (at != directory->end) return Error{"the directory of the zip archive has bytes left over"};
  return entries;
}

Result<std::string_view> BytesOf(const ZipEntry& entry, std::string& buffer) {
  std::string_view bytes = entry.packed;
  bool is_whole = true;
  if (entry.is_deflated) {
    auto inflated = Inflated(entry.packed, entry.size);
    is_whole = inflated.has_value();
    buffer = std::move(inflated).value_or("");
    bytes = buffer;
  }
  if (is_whole && ChecksumOf(bytes) == entry.checksum) return bytes;
  return Wrong(entry.name, "its checksum does not match: the file is damaged");
}

std::string StartOf(const ZipEntry& entry, std::size_t most) {
  if (!entry.is_deflated) return std::string(entry.packed.substr(0, most));
  return InflatedStart(entry.packed, std::min(most, entry.size));
}

Result<std::vector<ZipMember>> DecodeZip(std::string_view archive) {
  const auto entries = ListZip(archive);
  if (!entries) return entries.error();
  std::vector<ZipMember> members;
  for (const ZipEntry& entry : *entries) {
    std::string buffer;
    const auto bytes = BytesOf(entry, buffer);
    if (!bytes) return bytes.error();
    members.push_back({entry.name, entry.is_deflated ? std::move(buffer) : std::string(*bytes)});
  }
  return members;
}

}  // namespace airlot::data
