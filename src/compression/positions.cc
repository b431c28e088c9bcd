#include "compression/positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace airlot::compression {
namespace {

int WidthOfWord(std::size_t word, std::size_t bits) {
  return int(std::min<std::size_t>(32, bits - 32 * word));
}

}  // namespace

PositionCode::PositionCode(std::size_t kept, std::size_t size)
    : kept_(kept), size_(size), low_bits_(std::bit_width(size - 1)) {
  for (int low = low_bits_ - 1; low >= 0; --low) {  // (C3)
    const std::size_t marks = low > 0 ? kept + ((size - 1) >> low) : size;
    if (kept * std::size_t(low) + marks >= Bits()) continue;
    low_bits_ = low;
    marks_ = marks;
  }
}

void PositionCode::Write(std::span<const std::uint32_t> positions, BitWriter& writer) const {
  const std::uint32_t low_mask = (std::uint32_t{1} << low_bits_) - 1;
  for (const std::uint32_t position : positions) writer.Write(position & low_mask, low_bits_);
  if (marks_ == 0) return;
  std::vector<std::uint32_t> words((marks_ + 31) / 32);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::size_t mark = MarkOf(positions[i], i);
    words[mark / 32] |= std::uint32_t{1} << (mark % 32);
  }
  for (std::size_t w = 0; w < words.size(); ++w) writer.Write(words[w], WidthOfWord(w, marks_));
}

Result<std::vector<std::uint32_t>> PositionCode::Read(BitReader& reader) const {
  std::vector<std::uint32_t> positions(kept_);
  for (std::uint32_t& position : positions) position = reader.Read(low_bits_);
  std::size_t found = 0;
  for (std::size_t w = 0; 32 * w < marks_; ++w) {
    std::uint32_t word = reader.Read(WidthOfWord(w, marks_));
    for (; word != 0; word &= word - 1, ++found) {
      if (found == kept_) return Error{fmt::format("more than {} positions are marked", kept_)};
      const std::size_t mark = 32 * w + std::size_t(std::countr_zero(word));
      positions[found] |= std::uint32_t(mark - MarkOf(0, found)) << low_bits_;
    }
  }
  if (marks_ > 0 && found != kept_) {
    return Error{fmt::format("{} positions are marked, must be {}", found, kept_)};
  }
  for (std::size_t i = 0; i < kept_; ++i) {
    if (i > 0 && positions[i] <= positions[i - 1]) {
      return Error{
          fmt::format("position {} after {}: must be larger", positions[i], positions[i - 1])};
    }
    if (positions[i] >= size_) {
      return Error{fmt::format("position {}: must be below {}", positions[i], size_)};
    }
  }
  return positions;
}

}  // namespace airlot::compression
