#include "base/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/little_endian.h"
#include "base/text.h"

// The format is that of PKWARE's APPNOTE.TXT. An archive is the members, each behind its local
// header, then the directory with an entry for each, then the end record. Numbers are
// little-endian.
namespace airlot::base {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kEntry = 0x02014b50, kEndRecord = 0x06054b50;
constexpr std::uint32_t kEnd64Record = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22;
constexpr std::size_t kEnd64Size = 56, kEnd64LocatorSize = 20;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kVersion = 20,
                        kVersion64 = 45;           // 2.0 knows no numbers of 64 bits, 4.5 does
constexpr std::uint16_t kFirstDay = 1 << 5 | 1;    // 1 January 1980
constexpr std::uint16_t kIsEncrypted = 1;          // a flag
constexpr std::uint16_t kExtra64 = 1;              // kind of an extra field
constexpr std::uint32_t kElsewhere = 0xffff'ffff;  // in place of a number that needs 64 bits
constexpr std::uint32_t kElsewhere16 = 0xffff;
// No deflated byte stands for more than this many.
constexpr std::uint64_t kMostRatio = 1032;

// --- Writing -------------------------------------------------------------------------------------

void Put16(std::string& out, std::size_t value) {
  out += char(value & 0xff);
  out += char(value >> 8 & 0xff);
}

void Put32(std::string& out, std::size_t value) {
  Put16(out, value & 0xffff);
  Put16(out, value >> 16);
}

void Put64(std::string& out, std::uint64_t value) {
  Put32(out, value & 0xffff'ffff);
  Put32(out, value >> 32);
}

// The fields that a member's local header and its entry in the directory share.
struct SharedFields {
  std::string_view name;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  std::size_t extra = 0;  // bytes of extra fields
  bool is_wide = false;   // the sizes are in an extra field
};

void PutFields(std::string& out, const SharedFields& fields) {
  const std::uint16_t version = fields.extra > 0 ? kVersion64 : kVersion;
  for (const std::size_t field : {version, std::uint16_t{0}, kStored, std::uint16_t{0}, kFirstDay})
    Put16(out, field);  // version, flags, method, time, date
  Put32(out, fields.checksum);
  for (int i = 0; i < 2; ++i) {  // deflated, and as it is
    Put32(out, fields.is_wide ? kElsewhere : fields.size);
  }
  Put16(out, fields.name.size());
  Put16(out, fields.extra);
}

// --- Reading -------------------------------------------------------------------------------------

// The caller makes sure that the bytes are there.
std::uint32_t Get16(std::string_view bytes, std::size_t at) {
  return LittleEndian(bytes.substr(at, 2));
}

std::uint32_t Get32(std::string_view bytes, std::size_t at) {
  return LittleEndian(bytes.substr(at, 4));
}

std::uint64_t Get64(std::string_view bytes, std::size_t at) {
  return Get32(bytes, at) | std::uint64_t{Get32(bytes, at + 4)} << 32;
}

Error CannotRead() { return {"cannot be read any more: it has changed, or its disk fails"}; }

// Reads bytes that the archive has by its size.
Result<std::string> ReadBytes(const ZipSource& archive, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  if (!archive.read(offset, bytes)) return CannotRead();
  return bytes;
}

struct Directory {
  std::size_t begin = 0, entries = 0;
  std::string bytes;
};

// EndNumbers are what the end record says of the directory.
struct EndNumbers {
  std::uint64_t entries_here = 0, entries = 0;  // on this disk, and on all
  std::uint64_t size = 0, begin = 0;
  std::uint64_t end = 0;  // where the directory ends, because the record begins
};

// Reads the record with numbers of 64 bits, which stands before its locator, and that before the
// end record at `end`. Returns nothing where there is none.
Result<std::optional<EndNumbers>> ReadWideEnd(const ZipSource& archive, std::uint64_t end) {
  constexpr std::uint64_t kSize = kEnd64Size + kEnd64LocatorSize;
  if (end < kSize) return std::optional<EndNumbers>();
  const std::uint64_t begin = end - kSize;
  const auto bytes = ReadBytes(archive, begin, kSize);
  if (!bytes) return bytes.error();
  const std::string_view record = std::string_view(*bytes).substr(0, kEnd64Size);
  const std::string_view locator = std::string_view(*bytes).substr(kEnd64Size);
  const bool is_there = Get32(record, 0) == kEnd64Record && Get64(record, 4) == kEnd64Size - 12 &&
                        Get64(record, 16) == 0 && Get32(locator, 0) == kEnd64Locator &&
                        Get32(locator, 4) == 0 && Get64(locator, 8) == begin &&
                        Get32(locator, 16) == 1;
  if (!is_there) return std::optional<EndNumbers>();
  return std::optional(EndNumbers{.entries_here = Get64(record, 24),
                                  .entries = Get64(record, 32),
                                  .size = Get64(record, 40),
                                  .begin = Get64(record, 48),
                                  .end = begin});
}

Result<Directory> ReadDirectory(const ZipSource& archive) {
  const auto start = ReadBytes(archive, 0, std::min<std::uint64_t>(archive.size, 2));
  if (!start) return start.error();
  if (*start != "PK") return Error{"is not a zip archive"};
  const auto cut_off = [] {
    return Error{"the end record of the zip archive is missing: the file is cut off"};
  };
  if (archive.size < kEndSize) return cut_off();
  const std::uint64_t end = archive.size - kEndSize;
  const auto record = ReadBytes(archive, end, kEndSize);
  if (!record) return record.error();
  if (Get32(*record, 0) != kEndRecord) return cut_off();
  EndNumbers numbers{.entries_here = Get16(*record, 8),
                     .entries = Get16(*record, 10),
                     .size = Get32(*record, 12),
                     .begin = Get32(*record, 16),
                     .end = end};
  bool is_whole = Get32(*record, 4) == 0 && Get16(*record, 20) == 0;
  const bool is_wide =
      numbers.entries == kElsewhere16 || numbers.size == kElsewhere || numbers.begin == kElsewhere;
  if (is_whole && is_wide) {
    const auto wide = ReadWideEnd(archive, end);
    if (!wide) return wide.error();
    is_whole = wide->has_value();
    if (is_whole) numbers = **wide;
  }
  is_whole = is_whole && numbers.entries_here == numbers.entries && numbers.begin <= numbers.end &&
             numbers.end - numbers.begin == numbers.size;
  if (!is_whole) return Error{"the end record of the zip archive does not fit the rest of it"};
  Directory directory{.begin = numbers.begin, .entries = numbers.entries};
  auto bytes = ReadBytes(archive, directory.begin, numbers.size);
  if (!bytes) return bytes.error();
  directory.bytes = std::move(*bytes);
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
  return {fmt::format("{}: {}", Quoted(name), what)};
}

// Takes the numbers that need 64 bits from the extra fields of an entry, in the order in which the
// format has them. Returns false where they are not there.
bool TakeWideNumbers(std::string_view extra, Entry& entry) {
  std::vector<std::size_t*> wide;
  for (std::size_t* const number : {&entry.size, &entry.packed, &entry.header}) {
    if (*number == kElsewhere) wide.push_back(number);
  }
  if (wide.empty()) return true;
  while (extra.size() >= 4) {
    const std::size_t kind = Get16(extra, 0), size = Get16(extra, 2);
    if (extra.size() - 4 < size) return false;
    if (kind == kExtra64) {
      if (size < 8 * wide.size()) return false;
      for (std::size_t i = 0; i < wide.size(); ++i) *wide[i] = Get64(extra, 4 + 8 * i);
      return true;
    }
    extra.remove_prefix(4 + size);
  }
  return false;
}

// Takes the entry at the beginning of what is left of the directory.
std::optional<Entry> TakeEntry(std::string_view& directory) {
  if (directory.size() < kEntrySize || Get32(directory, 0) != kEntry) return std::nullopt;
  const std::string_view fields = directory.substr(0, kEntrySize);
  const std::size_t name = Get16(fields, 28), extra = Get16(fields, 30);
  const std::size_t rest = extra + Get16(fields, 32);
  if (directory.size() - kEntrySize < name + rest) return std::nullopt;
  Entry entry{.name = std::string(directory.substr(kEntrySize, name)),
              .flags = Get16(fields, 8),
              .method = Get16(fields, 10),
              .checksum = Get32(fields, 16),
              .packed = Get32(fields, 20),
              .size = Get32(fields, 24),
              .header = Get32(fields, 42)};
  if (!TakeWideNumbers(directory.substr(kEntrySize + name, extra), entry)) return std::nullopt;
  directory.remove_prefix(kEntrySize + name + rest);
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
  if (!is_stored && entry.size > kMostZipBytes) {
    return Wrong(entry.name, fmt::format("is compressed, and has {} bytes: must be stored as it is "
                                         "where it has more than {}",
                                         entry.size, kMostZipBytes));
  }
  if (is_stored ? entry.size != entry.packed : entry.size / kMostRatio > entry.packed) {
    return Wrong(entry.name, fmt::format("its {} bytes in the zip archive do not make {}",
                                         entry.packed, entry.size));
  }
  return {};
}

// Finds where the bytes of a member begin. They lie between `begin`, the end of the one before, and
// `end`, the directory.
Result<std::size_t> PlaceOf(const ZipSource& archive, const Entry& entry, std::size_t begin,
                            std::size_t end) {
  const auto misplaced = [&] {
    return Wrong(entry.name, "is not where the directory of the zip archive says");
  };
  if (entry.header < begin || end < kLocalSize || entry.header > end - kLocalSize) {
    return misplaced();
  }
  const auto header = ReadBytes(archive, entry.header, kLocalSize);
  if (!header) return header.error();
  const std::size_t name = Get16(*header, 26), extra = Get16(*header, 28);
  const std::size_t name_at = entry.header + kLocalSize;
  if (Get32(*header, 0) != kLocalHeader || end - name_at < name + extra) return misplaced();
  const auto found_name = ReadBytes(archive, name_at, name);
  if (!found_name) return found_name.error();
  const std::size_t at = name_at + name + extra;
  if (*found_name != entry.name || end - at < entry.packed) return misplaced();
  return at;
}

// An Inflater inflates the bytes of a member, and has no more than a piece of the deflated ones in
// memory.
class Inflater {
 public:
  Inflater(const ZipSource& archive, const ZipEntry& entry)
      : archive_(archive), at_(entry.packed_at), left_(entry.packed) {
    AIRLOT_CHECK(inflateInit2(&stream_, -MAX_WBITS) == Z_OK, "there is no memory for zlib");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // Inflates as many bytes as fit, or as there are before an error, and returns how many. Where the
  // archive cannot be read it returns nothing. It may be called once.
  std::optional<std::size_t> Inflate(std::span<char> bytes) {
    char none = 0;
    stream_.next_out = reinterpret_cast<Bytef*>(bytes.empty() ? &none : bytes.data());
    stream_.avail_out = static_cast<uInt>(bytes.size());
    int code = Z_OK;
    while (code == Z_OK) {
      if (stream_.avail_in == 0 && !FillInput()) return std::nullopt;
      code = inflate(&stream_, Z_NO_FLUSH);
      // Without progress it wants more to read, of which there may be some.
      if (code == Z_BUF_ERROR && stream_.avail_in == 0 && left_ > 0) code = Z_OK;
    }
    is_at_end_ = code == Z_STREAM_END;
    return bytes.size() - stream_.avail_out;
  }
  // Says whether all that was deflated was inflated.
  bool is_done() const { return is_at_end_ && stream_.avail_in == 0 && left_ == 0; }

 private:
  bool FillInput() {
    const std::size_t size = std::min(left_, input_.size());
    if (!archive_.read(at_, std::span(input_).first(size))) return false;
    at_ += size;
    left_ -= size;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(size);
    return true;
  }

  const ZipSource& archive_;
  std::uint64_t at_;
  std::size_t left_;  // bytes that were not read yet
  bool is_at_end_ = false;
  z_stream stream_{};
  std::vector<char> input_ = std::vector<char>(std::size_t{1} << 16);
};

Error Damaged(const ZipEntry& entry) {
  return Wrong(entry.name, "its checksum does not match: the file is damaged");
}

ZipSource InMemory(std::string_view archive) {
  return {archive.size(), [archive](std::uint64_t offset, std::span<char> bytes) {
            std::ranges::copy(archive.substr(offset, bytes.size()), bytes.begin());
            return true;
          }};
}

}  // namespace

std::uint32_t ZipChecksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t CombineZipChecksums(std::uint32_t first, std::uint32_t second,
                                  std::uint64_t second_size) {
  return static_cast<std::uint32_t>(
      crc32_combine(first, second, static_cast<z_off_t>(second_size)));
}

std::string ZipWriter::Begin(std::string_view name, std::uint64_t size, std::uint32_t checksum) {
  AIRLOT_CHECK(name.size() < 0x10000, "a name of {} bytes", name.size());
  SharedFields fields{.name = name, .size = size, .checksum = checksum};
  fields.is_wide = size > most_plain_;
  const bool is_place_wide = size_ > most_plain_;
  const auto wide_numbers = [&](std::size_t numbers) { return numbers == 0 ? 0 : 4 + 8 * numbers; };

  std::string header;
  fields.extra = wide_numbers(fields.is_wide ? 2 : 0);
  Put32(header, kLocalHeader);
  PutFields(header, fields);
  header += name;
  if (fields.is_wide) {
    Put16(header, kExtra64);
    Put16(header, 16);
    for (int i = 0; i < 2; ++i) Put64(header, size);
  }

  fields.extra = wide_numbers((fields.is_wide ? 2 : 0) + (is_place_wide ? 1 : 0));
  Put32(directory_, kEntry);
  Put16(directory_, fields.extra > 0 ? kVersion64 : kVersion);  // of the writer
  PutFields(directory_, fields);
  for (int i = 0; i < 3; ++i) Put16(directory_, 0);  // comment, disk, kind
  Put32(directory_, 0);                              // permissions
  Put32(directory_, is_place_wide ? kElsewhere : size_);
  directory_ += name;
  if (fields.extra > 0) {
    Put16(directory_, kExtra64);
    Put16(directory_, fields.extra - 4);
    for (int i = 0; fields.is_wide && i < 2; ++i) Put64(directory_, size);
    if (is_place_wide) Put64(directory_, size_);
  }
  size_ += header.size() + size;
  ++members_;
  return header;
}

std::string ZipWriter::End() const {
  AIRLOT_CHECK(members_ < kElsewhere16, "{} members", members_);
  std::string end = directory_;
  const bool is_wide = size_ > most_plain_ || directory_.size() > most_plain_;
  if (is_wide) {
    Put32(end, kEnd64Record);
    Put64(end, kEnd64Size - 12);
    for (int i = 0; i < 2; ++i) Put16(end, kVersion64);
    Put64(end, 0);  // this disk, and that of the directory
    for (int i = 0; i < 2; ++i) Put64(end, members_);
    Put64(end, directory_.size());
    Put64(end, size_);
    Put32(end, kEnd64Locator);
    Put32(end, 0);  // the disk of the record
    Put64(end, size_ + directory_.size());
    Put32(end, 1);  // disks
  }
  Put32(end, kEndRecord);
  Put32(end, 0);                                     // this disk, and that of the directory
  for (int i = 0; i < 2; ++i) Put16(end, members_);  // on this disk, and on all
  Put32(end, directory_.size());
  Put32(end, is_wide ? kElsewhere : size_);
  Put16(end, 0);  // bytes of a comment
  return end;
}

Result<std::string> EncodeZip(std::span<const ZipMember> members) {
  std::uint64_t size = kEndSize;
  for (const ZipMember& member : members) {
    size += kLocalSize + kEntrySize + 2 * member.name.size() + member.bytes.size();
  }
  if (size > kMostZipBytes) {
    return Error{fmt::format("the zip archive would have more than {} bytes", kMostZipBytes)};
  }
  ZipWriter writer;
  std::string archive;
  archive.reserve(size);
  for (const ZipMember& member : members) {
    archive += writer.Begin(member.name, member.bytes.size(), ZipChecksum(member.bytes));
    archive += member.bytes;
  }
  return archive + writer.End();
}

Result<std::vector<ZipEntry>> ListZip(const ZipSource& archive, std::uint64_t most_bytes) {
  const auto directory = ReadDirectory(archive);
  if (!directory) return directory.error();
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  std::string_view rest = directory->bytes;
  std::size_t last_end = 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < directory->entries; ++i) {
    const auto entry = TakeEntry(rest);
    if (!entry) return Error{fmt::format("entry {} of the zip archive is damaged", i + 1)};
    if (auto status = CheckEntry(*entry); !status) return status.error();
    if (!names.insert(entry->name).second) return Wrong(entry->name, "is there twice");
    const auto place = PlaceOf(archive, *entry, last_end, directory->begin);
    if (!place) return place.error();
    last_end = *place + entry->packed;
    total += entry->size;
    if (entry->size > most_bytes || total > most_bytes) {
      return Error{fmt::format("the zip archive holds more than {} bytes", most_bytes)};
    }
    entries.push_back({.name = entry->name,
                       .size = entry->size,
                       .packed = entry->packed,
                       .packed_at = *place,
                       .checksum = entry->checksum,
                       .is_deflated = entry->method == kDeflated});
  }
  if (!rest.empty()) return Error{"the directory of the zip archive has bytes left over"};
  return entries;
}

Result<std::string> BytesOf(const ZipSource& archive, const ZipEntry& entry) {
  std::string bytes(entry.size, '\0');
  bool is_whole = true;
  if (entry.is_deflated) {
    Inflater inflater(archive, entry);
    const auto size = inflater.Inflate(bytes);
    if (!size) return CannotRead();
    is_whole = *size == entry.size && inflater.is_done();
  } else if (!archive.read(entry.packed_at, bytes)) {
    return CannotRead();
  }
  if (!is_whole) return Damaged(entry);
  if (auto status = CheckZipBytes(entry, ZipChecksum(bytes)); !status) return status.error();
  return bytes;
}

Status CheckZipBytes(const ZipEntry& entry, std::uint32_t checksum) {
  if (checksum == entry.checksum) return {};
  return Damaged(entry);
}

Result<std::string> StartOf(const ZipSource& archive, const ZipEntry& entry, std::size_t most) {
  const std::size_t size = std::min(most, entry.size);
  if (!entry.is_deflated) return ReadBytes(archive, entry.packed_at, size);
  std::string bytes(size, '\0');
  const auto inflated = Inflater(archive, entry).Inflate(bytes);
  if (!inflated) return CannotRead();
  bytes.resize(*inflated);
  return bytes;
}

Result<std::vector<ZipMember>> DecodeZip(std::string_view archive) {
  const ZipSource source = InMemory(archive);
  const auto entries = ListZip(source);
  if (!entries) return entries.error();
  std::vector<ZipMember> members;
  for (const ZipEntry& entry : *entries) {
    auto bytes = BytesOf(source, entry);
    if (!bytes) return bytes.error();
    members.push_back({entry.name, std::move(*bytes)});
  }
  return members;
}

}  // namespace airlot::base
