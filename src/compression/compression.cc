#include "airlot/compression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "compression/codec.h"

namespace airlot {
namespace {

using compression::Codec;

constexpr std::array<CompressionEntry, 6> kCompressions{{
    {Compression::kNone, "none", "Every number is sent in 32 bits.", false},
    {Compression::kFloat16, "float16", "Every number is sent in 16 bits.", false},
    {Compression::kTopK, "top-k", "The largest numbers are sent; the rest is kept for later.",
     true},
    {Compression::kRandK, "rand-k", "Numbers at random places are sent, scaled up to be unbiased.",
     false},
    {Compression::kQsgd, "qsgd", "Every number is sent in a few bits, rounded at random, unbiased.",
     false},
    {Compression::kSign, "sign", "The signs and one scale are sent; the error is kept for later.",
     true},
}};
constexpr std::array<const Codec*, kCompressions.size()> kCodecs{
    &compression::kFloat32Codec, &compression::kFloat16Codec, &compression::kTopKCodec,
    &compression::kRandKCodec,   &compression::kQsgdCodec,    &compression::kSignCodec,
};

const Codec& CodecOf(const CompressionOptions& options, std::size_t size) {
  AIRLOT_CHECK(0 < options.keep && options.keep <= 1, "keep = {}", options.keep);
  AIRLOT_CHECK(options.kept.value_or(0) <= size, "{} of {} numbers", *options.kept, size);
  AIRLOT_CHECK(1 <= options.levels && options.levels <= kMostLevels, "levels = {}", options.levels);
  AIRLOT_CHECK(options.bucket >= 1, "bucket = {}", options.bucket);
  AIRLOT_CHECK(size <= compression::kMostNumbers, "an update of {} numbers", size);
  return *kCodecs.at(std::size_t(options.method));
}

std::size_t PackedBits(const CompressionOptions& options, std::size_t size) {
  const Codec& codec = CodecOf(options, size);
  return size == 0 ? 0 : codec.bits(options, size);
}

std::size_t BytesOf(const CompressionOptions& options, std::size_t size) {
  return (PackedBits(options, size) + 7) / 8;
}

}  // namespace

namespace compression {

std::size_t KeptOf(const CompressionOptions& options, std::size_t size) {
  if (options.kept) return *options.kept;
  return std::max<std::size_t>(1, std::size_t(std::llround(options.keep * double(size))));  // (C2)
}

}  // namespace compression

std::span<const CompressionEntry> Compressions() { return kCompressions; }

double EncodedBits(const CompressionOptions& options, std::size_t size) {
  return 8 * double(BytesOf(options, size));
}

// The bits ascend with `kept`, because those of every code in (C3) do.
std::size_t LargestKept(std::size_t size, double bits) {
  std::size_t fits = 0, too_many = size + 1;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    const CompressionOptions options{.method = Compression::kTopK, .kept = middle};
    (EncodedBits(options, size) <= bits ? fits : too_many) = middle;
  }
  return fits;
}

std::vector<std::uint8_t> Encode(const CompressionOptions& options, std::span<const float> update,
                                 std::uint64_t seed, std::uint64_t round, std::uint64_t device) {
  compression::BitWriter writer(PackedBits(options, update.size()));
  const Codec& codec = CodecOf(options, update.size());
  if (!update.empty()) codec.encode(options, update, {seed, round, device}, writer);
  return std::move(writer).Finish();
}

Status Decode(const CompressionOptions& options, std::span<const std::uint8_t> bytes,
              std::span<float> update) {
  const std::string_view name = kCompressions.at(std::size_t(options.method)).name;
  const std::size_t expected = BytesOf(options, update.size());
  if (bytes.size() != expected) {
    return Error{
        fmt::format("{} update: has {} bytes, must have {}", name, bytes.size(), expected)};
  }
  if (update.empty()) return {};
  compression::BitReader reader(bytes);
  if (auto status = CodecOf(options, update.size()).decode(options, reader, update); !status) {
    return Error{fmt::format("{} update: {}", name, status.error().message)};
  }
  if (!reader.OnlyZerosLeft()) return Error{fmt::format("{} update: has bits after its end", name)};
  return {};
}

double Compress(const CompressionOptions& options, std::span<float> update,
                std::vector<float>& memory, std::uint64_t seed, std::uint64_t round,
                std::uint64_t device) {
  if (options.method == Compression::kNone) return EncodedBits(options, update.size());
  const bool has_memory = kCompressions.at(std::size_t(options.method)).has_memory;
  if (has_memory) {  // (C1): `memory` becomes what should be sent
    AIRLOT_CHECK(memory.empty() || memory.size() == update.size(), "{} numbers in memory of {}",
                 memory.size(), update.size());
    memory.resize(update.size());
    for (std::size_t i = 0; i < update.size(); ++i) memory[i] += update[i];
  }
  const auto bytes = Encode(options, has_memory ? memory : update, seed, round, device);
  const auto status = Decode(options, bytes, update);
  AIRLOT_CHECK(status, "{}", status.error().message);
  if (has_memory) {
    for (std::size_t i = 0; i < update.size(); ++i) memory[i] -= update[i];
  }
  return 8 * double(bytes.size());
}

}  // namespace airlot
