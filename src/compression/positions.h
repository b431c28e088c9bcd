// PositionCode says which of `size` numbers are sent: it has ascending positions in a code whose
// length is known before.
//
// The lowest l bits of each position are written as they are. The rest ascends, and is written as
// marks: with l > 0 the i-th position p sets bit (p >> l) + i, so that no two share a bit (Elias
// and Fano's code). With l = 0 no two positions share a bit anyway, and the marks are a plain
// bitmap; with all bits written there is nothing left to mark, and it is a plain list. We take the
// l that needs the fewest bits (C3).
#ifndef AIRLOT_COMPRESSION_POSITIONS_H_
#define AIRLOT_COMPRESSION_POSITIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "airlot/result.h"
#include "compression/bits.h"

namespace airlot::compression {

class PositionCode {
 public:
  // The arguments must keep kept <= size and 1 <= size <= 2^31.
  PositionCode(std::size_t kept, std::size_t size);

  std::size_t Bits() const { return kept_ * std::size_t(low_bits_) + marks_; }

  void Write(std::span<const std::uint32_t> positions, BitWriter& writer) const;

  // Fails where the bits are not those of `kept` ascending positions.
  Result<std::vector<std::uint32_t>> Read(BitReader& reader) const;

 private:
  // Returns the bit that marks what is left of the i-th position.
  std::size_t MarkOf(std::size_t position, std::size_t i) const {
    return (position >> low_bits_) + (low_bits_ > 0 ? i : 0);
  }

  std::size_t kept_;
  std::size_t size_;
  int low_bits_;
  std::size_t marks_ = 0;  // number of bits for the marks
};

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_POSITIONS_H_
