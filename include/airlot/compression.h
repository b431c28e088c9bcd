// Compression is what a device does to its update before it sends it, to need fewer bits at the
// price of some error. The formulas and their sources are in docs/compression.md.
#ifndef AIRLOT_COMPRESSION_H_
#define AIRLOT_COMPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot {

enum class Compression : std::uint8_t { kNone, kFloat16, kTopK, kRandK, kQsgd, kSign };

struct CompressionEntry {
  Compression method;
  std::string_view name;
  std::string_view summary;
  bool has_memory;  // it keeps what it did not send and adds it to the next update (C1)
};
// Returns the methods in the order of the enumerators.
std::span<const CompressionEntry> Compressions();

// Device and server have the same options: nothing of them is on the wire.
struct CompressionOptions {
  Compression method = Compression::kNone;
  double keep = 0.01;  // top-k, rand-k: share of the numbers that are sent (C2)
  // Where it is set, top-k and rand-k send `kept` numbers, whatever `keep` says; 0 sends nothing.
  std::optional<std::size_t> kept = {};
  int levels = 16;           // QSGD: steps of the norm, 1 to kMostLevels
  std::size_t bucket = 512;  // QSGD: numbers that share a norm, at least 1
  bool operator==(const CompressionOptions&) const = default;
};
inline constexpr int kMostLevels = 65535;

// Returns the bits on the wire of an update of `size` numbers, in whole bytes: what Encode
// produces, whatever the numbers are. An update without numbers takes no bits.
double EncodedBits(const CompressionOptions& options, std::size_t size);

// Returns the largest `kept` for which top-k takes at most `bits`; 0 where not even one number
// fits.
std::size_t LargestKept(std::size_t size, double bits);

// Returns the bytes that a device sends. (seed, round, device) decide the draws of rand-k and QSGD.
std::vector<std::uint8_t> Encode(const CompressionOptions& options, std::span<const float> update,
                                 std::uint64_t seed, std::uint64_t round, std::uint64_t device);

// Turns the bytes that Encode made into what the server uses; `update` has the size of the update
// that was encoded. Bytes that Encode cannot have made are an error, where a method can tell, and
// then `update` is of no use.
Status Decode(const CompressionOptions& options, std::span<const std::uint8_t> bytes,
              std::span<float> update);

// Compress is both ends of the link: `update` becomes what the server decodes. With a memory (C1),
// the device's `memory` (empty until the first time) is added before and keeps what was not sent;
// the other methods leave it alone. Returns the bits. A NaN or an infinity in the update, or in the
// memory, leaves one in what is decoded, unless nothing is sent: training that diverged stays
// visible.
double Compress(const CompressionOptions& options, std::span<float> update,
                std::vector<float>& memory, std::uint64_t seed, std::uint64_t round,
                std::uint64_t device);

}  // namespace airlot

#endif  // AIRLOT_COMPRESSION_H_
