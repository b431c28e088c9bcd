// The bytes of a file, inflated where it is a .gz or .tgz.
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

// Reads from the beginning to the end. The name tells whether a file is compressed. Errors name the
// file: it cannot be opened, is no regular file, is no gzip file, is corrupt or cut off.
class ByteReader {
 public:
  static Result<ByteReader> Open(const std::string& path);
  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;
  ~ByteReader();

  // Fills `bytes` and returns how many there were: fewer only at the end of the data.
  Result<std::size_t> Read(std::span<std::uint8_t> bytes);

  // The size of the data, where it can be known beforehand: not of compressed files.
  std::optional<std::uint64_t> size() const;
  const std::string& path() const;

 private:
  struct State;
  explicit ByteReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_BYTE_READER_H_
