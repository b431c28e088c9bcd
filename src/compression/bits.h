// Numbers of any width are packed without gaps, the first into the lowest bits of the first byte.
// The bytes are the same on every machine.
#ifndef AIRLOT_COMPRESSION_BITS_H_
#define AIRLOT_COMPRESSION_BITS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"

namespace airlot::compression {

inline std::uint32_t LowestByteFirst(std::uint32_t word) {
  if constexpr (std::endian::native == std::endian::little) return word;
  return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

class BitWriter {
 public:
  // The writer is for exactly so many bits.
  explicit BitWriter(std::size_t bits) : bits_(bits), bytes_((bits + 31) / 32 * 4) {}

  // Writes a number of 0 to 32 bits; the bits of value above `width` must be 0.
  void Write(std::uint32_t value, int width) {
    pending_ |= std::uint64_t{value} << pending_bits_;
    pending_bits_ += width;
    if (pending_bits_ >= 32) StoreWord();
  }
  void Write(float value) { Write(std::bit_cast<std::uint32_t>(value), 32); }

  // Returns the bytes, the last one filled up with zeros.
  std::vector<std::uint8_t> Finish() && {
    const std::size_t written = 8 * stored_ + std::size_t(pending_bits_);
    AIRLOT_CHECK(written == bits_, "{} of {} bits written", written, bits_);
    if (pending_bits_ > 0) StoreWord();
    bytes_.resize((bits_ + 7) / 8);
    return std::move(bytes_);
  }

 private:
  void StoreWord() {
    AIRLOT_CHECK(stored_ < bytes_.size(), "more than {} bits written", bits_);
    const std::uint32_t word = LowestByteFirst(std::uint32_t(pending_));
    std::memcpy(bytes_.data() + stored_, &word, 4);
    stored_ += 4;
    pending_ >>= 32;
    pending_bits_ -= 32;
  }

  std::size_t bits_;
  std::vector<std::uint8_t> bytes_;  // whole words until the writer is finished
  std::size_t stored_ = 0;
  std::uint64_t pending_ = 0;  // the next bits, fewer than 32 between two calls
  int pending_bits_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // Reads a number of 0 to 32 bits. Behind the last byte there are zeros.
  std::uint32_t Read(int width) {
    if (pending_bits_ < width) Load();
    const auto value = std::uint32_t(pending_ & ((std::uint64_t{1} << width) - 1));
    pending_ >>= width;
    pending_bits_ -= width;
    return value;
  }
  float ReadFloat() { return std::bit_cast<float>(Read(32)); }

  // Says whether all that was not read is zero.
  bool OnlyZerosLeft() const {
    return pending_ == 0 && std::all_of(bytes_.begin() + std::ptrdiff_t(loaded_), bytes_.end(),
                                        [](std::uint8_t byte) { return byte == 0; });
  }

 private:
  void Load() {
    const std::size_t count = std::min<std::size_t>(4, bytes_.size() - loaded_);
    std::uint64_t next = 0;
    if (count == 4) {  // one load, which the loop below is not
      for (std::size_t i = 0; i < 4; ++i) next |= std::uint64_t{bytes_[loaded_ + i]} << (8 * i);
    } else {
      for (std::size_t i = 0; i < count; ++i) next |= std::uint64_t{bytes_[loaded_ + i]} << (8 * i);
    }
    loaded_ += count;
    pending_ |= next << pending_bits_;
    pending_bits_ += 32;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t loaded_ = 0;
  std::uint64_t pending_ = 0;
  int pending_bits_ = 0;
};

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_BITS_H_
