// QSGD sends each number as a whole multiple of norm/levels, rounded up or down at random such that
// it is right on average (C5). The norm is that of a bucket of consecutive numbers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "compression/codec.h"
#include "compression/lanes.h"
#include "compression/purposes.h"

namespace airlot::compression {
namespace {

// The bits of one number hold its sign and its level.
int NumberBits(const CompressionOptions& options) {
  return 1 + std::bit_width(std::uint32_t(options.levels));
}

std::size_t Bits(const CompressionOptions& options, std::size_t size) {
  const std::size_t buckets = (size + options.bucket - 1) / options.bucket;
  return 32 * buckets + size * std::size_t(NumberBits(options));  // (C7)
}

// No number of the bucket is above its norm: each sum and each rounding gives at least what the
// largest number alone would give, and that one is exact. The norm is NaN where it is not finite:
// then the whole bucket is decoded as NaN.
float NormOf(std::span<const float> bucket) {
  const double norm = std::sqrt(SumInLanes(bucket, [](double value) { return value * value; }));
  const bool is_finite = norm <= double{std::numeric_limits<float>::max()};
  return is_finite ? float(norm) : std::numeric_limits<float>::quiet_NaN();
}

// RoundingDraws are the uniform numbers that decide the rounding: 32 bits for each, two from a
// draw.
class RoundingDraws {
 public:
  explicit RoundingDraws(const Sender& sender)
      : stream_(sender.seed, kQsgd, sender.round, sender.device) {}

  std::uint32_t Next() {
    bits_ = has_half_ ? bits_ >> 32 : stream_.NextBits();
    has_half_ = !has_half_;
    return std::uint32_t(bits_);
  }

 private:
  base::RandomStream stream_;
  std::uint64_t bits_ = 0;
  bool has_half_ = false;
};

void EncodeQsgd(const CompressionOptions& options, std::span<const float> update,
                const Sender& sender, BitWriter& writer) {
  const int bits = NumberBits(options);
  RoundingDraws draws(sender);
  for (std::size_t begin = 0; begin < update.size(); begin += options.bucket) {
    const auto bucket = update.subspan(begin, std::min(options.bucket, update.size() - begin));
    const float norm = NormOf(bucket);
    writer.Write(norm);
    // This is (C5) in fixed point: 32 bits after the point, to which the draw adds less than 1.
    const double scale = norm > 0 ? options.levels / double{norm} * 0x1p32 : 0;
    for (const float value : bucket) {
      const auto exact = std::uint64_t(norm > 0 ? std::abs(double{value}) * scale : 0);
      const auto level = std::uint32_t((exact + draws.Next()) >> 32);
      writer.Write(level << 1 | std::uint32_t(std::signbit(value)), bits);
    }
  }
}

Status DecodeQsgd(const CompressionOptions& options, BitReader& reader, std::span<float> update) {
  const int bits = NumberBits(options);
  const auto most = std::uint32_t(options.levels);
  for (std::size_t begin = 0; begin < update.size(); begin += options.bucket) {
    const auto bucket = update.subspan(begin, std::min(options.bucket, update.size() - begin));
    const float norm = reader.ReadFloat();
    if (!std::isnan(norm) && (std::signbit(norm) || std::isinf(norm))) {
      return Error{fmt::format("norm {}: must be finite and not below 0", norm)};
    }
    const double step = double{norm} / options.levels;
    for (float& value : bucket) {
      const std::uint32_t code = reader.Read(bits);
      const std::uint32_t level = code >> 1;
      if (level > most) return Error{fmt::format("level {}: must be at most {}", level, most)};
      const auto magnitude = std::bit_cast<std::uint32_t>(float(step * level));
      value = std::bit_cast<float>(magnitude ^ (code & 1) << 31);  // no branch on a random sign
    }
  }
  return {};
}

}  // namespace

const Codec kQsgdCodec{Bits, EncodeQsgd, DecodeQsgd};

}  // namespace airlot::compression
