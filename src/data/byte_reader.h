// ByteReader reads the bytes of a file and inflates a .gz or .tgz.
#ifndef AIRLOT_DATA_BYTE_READER_H_
#define AIRLOT_DATA_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "airlot/result.h"

namespace airlot::data {

// Data beyond this many bytes are an error, so a small .gz cannot fill memory or disk.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

// ByteReader reads a file from its beginning to its end. The file's name tells whether it is
// compressed. An error names the file where it cannot be opened, is no regular file, is no gzip
// file, is corrupt or is cut off.
class ByteReader {
 public:
  static Result<ByteReader> Open(const std::string& path);
  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;
  ~ByteReader();

  // Read fills `bytes` and returns how many bytes it read, which are fewer only at the end of the
  // data.
  Result<std::size_t> Read(std::span<std::uint8_t> bytes);

  // Returns the size of the data, or nothing for a compressed file, where nobody knows it
  // beforehand.
  std::optional<std::uint64_t> size() const;
  const std::string& path() const;

 private:
  struct State;
  explicit ByteReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_BYTE_READER_H_
