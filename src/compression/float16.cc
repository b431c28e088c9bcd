#include "compression/float16.h"

#include <bit>

#include "compression/codec.h"

namespace airlot::compression {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000;  // patterns of 32-bit numbers
constexpr std::uint32_t kLargest = 0x477fe000;   // 65504
constexpr std::uint32_t kNormal = 0x38800000;    // 2^-14, the smallest with a full fraction
constexpr std::uint32_t kRebias = (127 - 15) << 23;

std::size_t Bits(const CompressionOptions& /*options*/, std::size_t size) { return 16 * size; }

void EncodeFloat16(const CompressionOptions& /*options*/, std::span<const float> update,
                   const Sender& /*sender*/, BitWriter& writer) {
  for (const float value : update) writer.Write(HalfOf(value), 16);
}

Status DecodeFloat16(const CompressionOptions& /*options*/, BitReader& reader,
                     std::span<float> update) {
  for (float& value : update) value = FloatOfHalf(std::uint16_t(reader.Read(16)));
  return {};
}

}  // namespace

std::uint16_t HalfOf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  std::uint32_t half;
  if (magnitude > kInfinity) {
    half = 0x7e00;
  } else if (magnitude == kInfinity) {
    half = 0x7c00;
  } else if (magnitude >= kLargest) {
    half = 0x7bff;
  } else if (magnitude >= kNormal) {
    // Of the 32 bits 13 go: just below a half of the last bit that stays is added, and a half where
    // that bit is 1.
    half = (magnitude - kRebias + 0xfff + (magnitude >> 13 & 1)) >> 13;
  } else {
    // The result is a multiple of 2^-24, which is the last bit of the numbers from 1/2 to 1, so the
    // sum rounds.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
           std::bit_cast<std::uint32_t>(0.5F);
  }
  return std::uint16_t(sign | half);
}

float FloatOfHalf(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  std::uint32_t bits;
  if (magnitude >= 0x7c00) {
    bits = kInfinity | (magnitude & 0x3ff) << 13;
  } else if (magnitude >= 0x400) {
    bits = (magnitude << 13) + kRebias;
  } else {
    bits = std::bit_cast<std::uint32_t>(float(magnitude) * 0x1p-24F);
  }
  return std::bit_cast<float>(sign | bits);
}

const Codec kFloat16Codec{Bits, EncodeFloat16, DecodeFloat16};

}  // namespace airlot::compression
