// Without compression the numbers are sent as they are.
#include "compression/codec.h"

namespace airlot::compression {
namespace {

std::size_t Bits(const CompressionOptions& /*options*/, std::size_t size) { return 32 * size; }

void EncodeFloat32(const CompressionOptions& /*options*/, std::span<const float> update,
                   const Sender& /*sender*/, BitWriter& writer) {
  for (const float value : update) writer.Write(value);
}

Status DecodeFloat32(const CompressionOptions& /*options*/, BitReader& reader,
                     std::span<float> update) {
  for (float& value : update) value = reader.ReadFloat();
  return {};
}

}  // namespace

const Codec kFloat32Codec{Bits, EncodeFloat32, DecodeFloat32};

}  // namespace airlot::compression
