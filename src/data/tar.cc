#include "data/tar.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "data/byte_reader.h"
#include "data/idx_folder.h"

namespace airlot::data {
namespace {

constexpr std::size_t kBlock = 512;
using Block = std::array<std::uint8_t, kBlock>;

// These are fields of a POSIX (ustar) header.
constexpr std::size_t kNameLength = 100;
constexpr std::size_t kSizeAt = 124, kSizeLength = 12;
constexpr std::size_t kChecksumAt = 148, kChecksumLength = 8;
constexpr std::size_t kTypeAt = 156;

std::string_view Text(const Block& block, std::size_t at, std::size_t length) {
  const std::string_view field(reinterpret_cast<const char*>(block.data()) + at, length);
  return field.substr(0, field.find('\0'));
}

std::optional<std::uint64_t> Octal(std::string_view text) {
  std::uint64_t value = 0;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find(' '));
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

// ChecksumOf returns the sum of the bytes, where those of the checksum itself count as spaces.
std::uint64_t ChecksumOf(Block block) {
  std::fill_n(block.begin() + kChecksumAt, kChecksumLength, std::uint8_t{' '});
  return std::accumulate(block.begin(), block.end(), std::uint64_t{0});
}

struct Member {
  std::string name;  // without folders
  std::uint64_t bytes = 0;
  bool is_file = false;
};

std::optional<Member> ParseHeader(const Block& block) {
  const auto bytes = Octal(Text(block, kSizeAt, kSizeLength));
  const auto checksum = Octal(Text(block, kChecksumAt, kChecksumLength));
  if (!bytes || *bytes > kMostBytes || checksum != ChecksumOf(block)) return std::nullopt;
  const std::string_view path = Text(block, 0, kNameLength);
  return Member{.name = std::string(path.substr(path.rfind('/') + 1)),
                .bytes = *bytes,
                .is_file = block[kTypeAt] == '0' || block[kTypeAt] == '\0'};
}

bool IsIdxName(const std::string& name) {
  for (std::size_t i = 0; i < kIdxFiles; ++i) {
    const auto names = SpellingsOf(IdxFile(i));
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  }
  return false;
}

// ReadBlock reads one whole block.
Status ReadBlock(ByteReader& archive, Block& block) {
  const auto got = archive.Read(block);
  if (!got) return got.error();
  if (*got < kBlock) return Error{archive.path() + ": the archive ends early: it is cut off"};
  return {};
}

// ReadMember reads the blocks of a member; its bytes go to `file` where there is one.
Status ReadMember(ByteReader& archive, std::uint64_t bytes, base::AtomicFile* file) {
  Block block;
  while (bytes > 0) {
    if (auto status = ReadBlock(archive, block); !status) return status;
    const std::size_t part = std::min<std::uint64_t>(bytes, kBlock);
    if (file != nullptr) file->Append({reinterpret_cast<const char*>(block.data()), part});
    bytes -= part;
  }
  return {};
}

Status Unpack(ByteReader& archive, const Member& member, const std::string& folder,
              const WantedFile& is_wanted) {
  if (!member.is_file || !is_wanted(member.name)) {
    return ReadMember(archive, member.bytes, nullptr);
  }
  auto file = base::AtomicFile::Create(folder + "/" + member.name);
  if (!file) return file.error();
  if (auto status = ReadMember(archive, member.bytes, &*file); !status) return status;
  return file->Commit();
}

}  // namespace

Status UnpackFiles(const std::string& archive, const std::string& folder,
                   const WantedFile& is_wanted) {
  auto reader = ByteReader::Open(archive);
  if (!reader) return reader.error();
  Block block;
  while (true) {
    if (auto status = ReadBlock(*reader, block); !status) return status;
    // A block of zeros ends the archive.
    if (std::all_of(block.begin(), block.end(), [](std::uint8_t b) { return b == 0; })) break;
    const auto member = ParseHeader(block);
    if (!member) return Error{archive + ": is not a tar archive, or is a corrupt one"};
    if (auto status = Unpack(*reader, *member, folder, is_wanted); !status) return status;
  }
  return {};
}

Status UnpackIdxFiles(const std::string& archive, const std::string& folder) {
  return UnpackFiles(archive, folder, IsIdxName);
}

}  // namespace airlot::data
