// A zip archive is made of members in memory, and read back from memory or from a file.
#ifndef AIRLOT_BASE_ZIP_H_
#define AIRLOT_BASE_ZIP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::base {

struct ZipMember {
  std::string name;
  std::string bytes;
};

// Archives that are kept in memory have at most this many bytes, so that a small one that is
// compressed cannot fill it.
inline constexpr std::uint64_t kMostZipBytes = std::uint64_t{1} << 31;

// A ZipWriter makes the bytes that stand around the members of an archive, which are stored as they
// are. The same members always make the same bytes: the archive has no time, all of it is of
// 1 January 1980. Where sizes or places need more than 32 bits, they are written as "zip64".
class ZipWriter {
 public:
  // Numbers beyond `most_plain` are written as zip64; tests make it small.
  explicit ZipWriter(std::uint64_t most_plain = 0xffff'fffe) : most_plain_(most_plain) {}
  // Returns what stands before the bytes of the next member, which must follow. The checksum is
  // that of ZipChecksum.
  std::string Begin(std::string_view name, std::uint64_t size, std::uint32_t checksum);
  // Returns what stands behind the last member.
  std::string End() const;

 private:
  std::uint64_t most_plain_;
  std::uint64_t size_ = 0;  // of the archive so far
  std::uint64_t members_ = 0;
  std::string directory_;
};

// Returns the CRC-32 of bytes, and that of two parts that follow each other, the second of which
// has `second_size` bytes.
std::uint32_t ZipChecksum(std::string_view bytes);
std::uint32_t CombineZipChecksums(std::uint32_t first, std::uint32_t second,
                                  std::uint64_t second_size);

// Returns a whole archive. Fails where it would have more than kMostZipBytes.
Result<std::string> EncodeZip(std::span<const ZipMember> members);

// A ZipSource is where the bytes of an archive are, so that those that nobody asks for stay there.
struct ZipSource {
  std::uint64_t size = 0;
  // Fills `bytes` with those from `offset` on, of which there are enough by `size`. Returns whether
  // it could.
  std::function<bool(std::uint64_t offset, std::span<char> bytes)> read;
};

// A ZipEntry is a member that is still packed in its archive.
struct ZipEntry {
  std::string name;
  std::size_t size = 0;                   // of its bytes, unpacked
  std::size_t packed = 0, packed_at = 0;  // bytes in the archive, and where they begin
  std::uint32_t checksum = 0;
  bool is_deflated = false;
};

// Returns the entries of an archive in its order, of which it reads no more than the headers. It
// fails as DecodeZip does, except where the bytes of a member are damaged; the members may have
// `most_bytes` in all.
Result<std::vector<ZipEntry>> ListZip(const ZipSource& archive,
                                      std::uint64_t most_bytes = kMostZipBytes);
// Returns the bytes of a member. Fails where they are not what its checksum says.
Result<std::string> BytesOf(const ZipSource& archive, const ZipEntry& entry);
// Fails where bytes that were read elsewhere are not what the checksum of their member says.
Status CheckZipBytes(const ZipEntry& entry, std::uint32_t checksum);
// Returns the first bytes of a member, at most `most`, without looking at its checksum.
Result<std::string> StartOf(const ZipSource& archive, const ZipEntry& entry, std::size_t most);

// Returns the members of an archive, stored or deflated, in its order. An error says what is wrong,
// without the name of the file: where anything is missing, left over, damaged or contradicts the
// rest, where two members share a name or bytes, and where the members have more than
// kMostZipBytes. Memory is taken only for sizes that the archive can hold.
Result<std::vector<ZipMember>> DecodeZip(std::string_view archive);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_ZIP_H_
