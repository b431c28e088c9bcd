// Rand-k sends k numbers at random places, times size/k, which is right on average (C4). It
// sends not the places but the seed that they are drawn from.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "compression/codec.h"
#include "compression/purposes.h"

namespace airlot::compression {
namespace {

// Draws a uniform choice without repetition (Floyd's algorithm, a draw per position), ascending.
// Where more than half are chosen, those that are not chosen are drawn.
std::vector<std::uint32_t> DrawPositions(std::uint64_t seed, std::size_t kept, std::size_t size) {
  base::RandomStream stream(seed, kRandKPositions, 0, 0);
  const bool draws_others = kept > size / 2;
  const std::size_t count = draws_others ? size - kept : kept;
  std::vector<bool> is_drawn(size);
  for (std::size_t last = size - count; last < size; ++last) {
    const std::size_t drawn = stream.Below(last + 1);
    is_drawn[is_drawn[drawn] ? last : drawn] = true;
  }
  std::vector<std::uint32_t> positions;
  positions.reserve(kept);
  for (std::size_t i = 0; i < size; ++i) {
    if (is_drawn[i] != draws_others) positions.push_back(std::uint32_t(i));
  }
  return positions;
}

std::size_t Bits(const CompressionOptions& options, std::size_t size) {
  const std::size_t kept = KeptOf(options, size);
  return kept == 0 ? 0 : 64 + 32 * kept;
}

// An update that has a NaN or an infinity is sent as NaN, wherever it is: training that diverged
// stays visible.
void EncodeRandK(const CompressionOptions& options, std::span<const float> update,
                 const Sender& sender, BitWriter& writer) {
  const std::size_t kept = KeptOf(options, update.size());
  if (kept == 0) return;
  base::RandomStream stream(sender.seed, kRandKSeed, sender.round, sender.device);
  const std::uint64_t seed = stream.NextBits();
  writer.Write(std::uint32_t(seed), 32);
  writer.Write(std::uint32_t(seed >> 32), 32);
  const bool is_finite =
      std::all_of(update.begin(), update.end(), [](float value) { return std::isfinite(value); });
  for (const std::uint32_t position : DrawPositions(seed, kept, update.size())) {
    writer.Write(is_finite ? update[position] : std::numeric_limits<float>::quiet_NaN());
  }
}

Status DecodeRandK(const CompressionOptions& options, BitReader& reader, std::span<float> update) {
  const std::size_t kept = KeptOf(options, update.size());
  std::fill(update.begin(), update.end(), 0.0F);
  if (kept == 0) return {};
  std::uint64_t seed = reader.Read(32);
  seed |= std::uint64_t{reader.Read(32)} << 32;
  const auto factor = float(double(update.size()) / double(kept));
  for (const std::uint32_t position : DrawPositions(seed, kept, update.size())) {
    update[position] = factor * reader.ReadFloat();  // (C4)
  }
  return {};
}

}  // namespace

const Codec kRandKCodec{Bits, EncodeRandK, DecodeRandK};

}  // namespace airlot::compression
