// A codec is a method of compression: how many bits it takes, and both directions. One file has one
// codec.
#ifndef AIRLOT_COMPRESSION_CODEC_H_
#define AIRLOT_COMPRESSION_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "airlot/compression.h"
#include "airlot/result.h"
#include "compression/bits.h"

namespace airlot::compression {

// A Sender says whose update of which round is sent, and names the random streams.
struct Sender {
  std::uint64_t seed, round, device;
};

// Updates have 1 to kMostNumbers numbers here. `encode` writes exactly `bits`; `decode` gets at
// least as many.
struct Codec {
  std::size_t (*bits)(const CompressionOptions& options, std::size_t size);
  void (*encode)(const CompressionOptions& options, std::span<const float> update,
                 const Sender& sender, BitWriter& writer);
  Status (*decode)(const CompressionOptions& options, BitReader& reader, std::span<float> update);
};
inline constexpr std::size_t kMostNumbers = std::size_t{1} << 31;

extern const Codec kFloat32Codec;
extern const Codec kFloat16Codec;
extern const Codec kTopKCodec;
extern const Codec kRandKCodec;
extern const Codec kQsgdCodec;
extern const Codec kSignCodec;

// Returns how many numbers top-k and rand-k send. (C2)
std::size_t KeptOf(const CompressionOptions& options, std::size_t size);

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_CODEC_H_
