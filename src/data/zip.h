// A zip archive is made of members in memory, and read back from memory or from a file.
#ifndef AIRLOT_DATA_ZIP_H_
#define AIRLOT_DATA_ZIP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::data {

struct ZipMember {
  std::string name;
  std::string bytes;
};

// Returns an archive that stores its members as they are. The same members always make the same
// bytes: the archive has no time, all of it is of 1 January 1980. Fails where it would have more
// than kMostBytes (data/byte_reader.h).
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
// fails as DecodeZip does, except where the bytes of a member are damaged.
Result<std::vector<ZipEntry>> ListZip(const ZipSource& archive);
// Returns the bytes of a member. Fails where they are not what its checksum says.
Result<std::string> BytesOf(const ZipSource& archive, const ZipEntry& entry);
// Returns the first bytes of a member, at most `most`, without looking at its checksum.
Result<std::string> StartOf(const ZipSource& archive, const ZipEntry& entry, std::size_t most);

// Returns the members of an archive, stored or deflated, in its order. An error says what is wrong,
// without the name of the file: where anything is missing, left over, damaged or contradicts the
// rest, where two members share a name or bytes, and where the members have more than kMostBytes.
// Memory is taken only for sizes that the archive can hold.
Result<std::vector<ZipMember>> DecodeZip(std::string_view archive);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_ZIP_H_
