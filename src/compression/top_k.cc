// Top-k sends the k numbers of largest magnitude, exactly, and where they are; the rest stays in
// the memory (C1).
#include <algorithm>
#include <bit>
#include <functional>

#include "compression/codec.h"
#include "compression/positions.h"

namespace airlot::compression {
namespace {

// Patterns without the sign ascend with the magnitude, then come infinity and the NaNs. They order
// all numbers, and those of a training that diverged are sent first.
std::uint32_t Magnitude(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fffffff; }

// Returns the positions in ascending order; of equal magnitudes the first count. `kept` is at least
// 1.
std::vector<std::uint32_t> LargestPositions(std::span<const float> update, std::size_t kept) {
  std::vector<std::uint32_t> magnitudes(update.size());
  std::transform(update.begin(), update.end(), magnitudes.begin(), Magnitude);
  const auto last = magnitudes.begin() + std::ptrdiff_t(kept - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>());
  const std::uint32_t least = *last;
  std::size_t equals = std::size_t(std::count(magnitudes.begin(), last + 1, least));
  std::vector<std::uint32_t> positions;
  positions.reserve(kept);
  for (std::size_t i = 0; positions.size() < kept; ++i) {
    const std::uint32_t magnitude = Magnitude(update[i]);
    if (magnitude < least || (magnitude == least && equals == 0)) continue;
    if (magnitude == least) --equals;
    positions.push_back(std::uint32_t(i));
  }
  return positions;
}

std::size_t Bits(const CompressionOptions& options, std::size_t size) {
  const std::size_t kept = KeptOf(options, size);
  return PositionCode(kept, size).Bits() + 32 * kept;
}

void EncodeTopK(const CompressionOptions& options, std::span<const float> update,
                const Sender& /*sender*/, BitWriter& writer) {
  const std::size_t kept = KeptOf(options, update.size());
  if (kept == 0) return;
  const std::vector<std::uint32_t> positions = LargestPositions(update, kept);
  PositionCode(kept, update.size()).Write(positions, writer);
  for (const std::uint32_t position : positions) writer.Write(update[position]);
}

Status DecodeTopK(const CompressionOptions& options, BitReader& reader, std::span<float> update) {
  const auto positions = PositionCode(KeptOf(options, update.size()), update.size()).Read(reader);
  if (!positions) return positions.error();
  std::fill(update.begin(), update.end(), 0.0F);
  for (const std::uint32_t position : *positions) update[position] = reader.ReadFloat();
  return {};
}

}  // namespace

const Codec kTopKCodec{Bits, EncodeTopK, DecodeTopK};

}  // namespace airlot::compression
