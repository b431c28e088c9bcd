// This method sends the signs, times the mean magnitude (C8); the rest stays in the memory (C1).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compression/codec.h"
#include "compression/lanes.h"

namespace airlot::compression {
namespace {

std::size_t Bits(const CompressionOptions& /*options*/, std::size_t size) { return 32 + size; }

void EncodeSign(const CompressionOptions& /*options*/, std::span<const float> update,
                const Sender& /*sender*/, BitWriter& writer) {
  const double sum = SumInLanes(update, [](double value) { return std::abs(value); });
  writer.Write(float(sum / double(update.size())));  // (C8)
  for (std::size_t begin = 0; begin < update.size(); begin += 32) {
    const auto part = update.subspan(begin, std::min<std::size_t>(32, update.size() - begin));
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      word |= std::uint32_t(std::signbit(part[i])) << i;
    }
    writer.Write(word, int(part.size()));
  }
}

Status DecodeSign(const CompressionOptions& /*options*/, BitReader& reader,
                  std::span<float> update) {
  const float scale = reader.ReadFloat();
  if (!std::isnan(scale) && std::signbit(scale)) {
    return Error{fmt::format("scale {}: must not be below 0", scale)};
  }
  const auto pattern = std::bit_cast<std::uint32_t>(scale);
  for (std::size_t begin = 0; begin < update.size(); begin += 32) {
    const auto part = update.subspan(begin, std::min<std::size_t>(32, update.size() - begin));
    const std::uint32_t word = reader.Read(int(part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) {
      part[i] = std::bit_cast<float>(pattern ^ (word >> i & 1) << 31);
    }
  }
  return {};
}

}  // namespace

const Codec kSignCodec{Bits, EncodeSign, DecodeSign};

}  // namespace airlot::compression
