// These tests are for what holds for every method: the bits, both directions, the memory, bad
// bytes.
#include "airlot/compression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "compression/bits.h"
#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 2, 7, 8, 9, 511, 512, 513, 4099};
constexpr std::size_t kLargeSize = 199210;  // number of parameters of the 784-200-200-10 network

// Returns every method, each with several values of its options.
std::vector<CompressionOptions> ManyOptions() {
  std::vector<CompressionOptions> all{{.method = Compression::kNone},
                                      {.method = Compression::kFloat16},
                                      {.method = Compression::kSign}};
  for (const double keep : {0.001, 0.01, 0.3, 0.5, 0.9, 1.0}) {
    all.push_back({.method = Compression::kTopK, .keep = keep});
    all.push_back({.method = Compression::kRandK, .keep = keep});
  }
  for (const int levels : {1, 2, 3, 15, 16, 255, 1000, kMostLevels}) {
    for (const std::size_t bucket : {1, 7, 512, 1000000}) {
      all.push_back({.method = Compression::kQsgd, .levels = levels, .bucket = bucket});
    }
  }
  return all;
}

std::string Name(const CompressionOptions& options) {
  return std::string(Compressions()[std::size_t(options.method)].name);
}

// Says whether all bits are equal, so that NaN equals NaN and 0 is not -0.
bool AreIdentical(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

TEST(Bits, AreReadAsTheyWereWritten) {
  BitWriter writer(1 + 32 + 5 + 0 + 31 + 17);
  writer.Write(1, 1);
  writer.Write(0xdeadbeef, 32);
  writer.Write(19, 5);
  writer.Write(0, 0);
  writer.Write(0x7ffffffe, 31);
  writer.Write(0x1abcd, 17);
  const Bytes bytes = std::move(writer).Finish();
  ASSERT_EQ(bytes.size(), 11);
  EXPECT_EQ(bytes[0], 0xdf);  // first the 1, then the lowest seven bits of 0xef
  BitReader reader(bytes);
  EXPECT_EQ(reader.Read(1), 1);
  EXPECT_EQ(reader.Read(32), 0xdeadbeef);
  EXPECT_EQ(reader.Read(5), 19);
  EXPECT_EQ(reader.Read(0), 0);
  EXPECT_EQ(reader.Read(31), 0x7ffffffe);
  EXPECT_FALSE(reader.OnlyZerosLeft());
  EXPECT_EQ(reader.Read(17), 0x1abcd);
  EXPECT_TRUE(reader.OnlyZerosLeft());
  EXPECT_EQ(reader.Read(32), 0);  // behind the end there are zeros
}

TEST(BitsDeathTest, NoMoreThanAnnounced) {
  BitWriter writer(33);
  writer.Write(0, 32);
  writer.Write(0, 2);
  EXPECT_DEATH(std::move(writer).Finish(), "34 of 33 bits");
  BitWriter full(32);
  full.Write(0, 32);
  EXPECT_DEATH(full.Write(0, 32), "more than 32 bits");
  EXPECT_DEATH(BitWriter(9).Finish(), "0 of 9 bits");
}

TEST(Compression, EveryMethodHasANameOfItsOwn) {
  const std::vector<std::string> names{"none", "float16", "top-k", "rand-k", "qsgd", "sign"};
  ASSERT_EQ(Compressions().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(Compressions()[i].method, Compression(i));
    EXPECT_EQ(Compressions()[i].name, names[i]);
    EXPECT_EQ(Compressions()[i].has_memory, names[i] == "top-k" || names[i] == "sign");
  }
}

TEST(Compression, EncodedBitsAreThoseOfTheBytes) {
  for (const CompressionOptions& options : ManyOptions()) {
    for (const std::size_t size : kSizes) {
      EXPECT_EQ(EncodedBits(options, size),
                8.0 * double(Encode(options, SomeUpdate(size), 1, 2, 3).size()))
          << Name(options) << " of " << size;
    }
  }
}

TEST(Compression, BitsOfALargeUpdate) {
  const Numbers update = SomeUpdate(kLargeSize);
  const double bits[] = {6374720, 3187360, 80800, 63808, 1207744, 199248};
  for (const CompressionEntry& entry : Compressions()) {
    const CompressionOptions options{.method = entry.method};
    EXPECT_EQ(EncodedBits(options, kLargeSize), bits[std::size_t(entry.method)]) << entry.name;
    EXPECT_EQ(8.0 * double(Encode(options, update, 1, 2, 3).size()),
              EncodedBits(options, kLargeSize))
        << entry.name;
  }
}

TEST(Compression, GivesWhatTheServerDecodes) {
  auto all = ManyOptions();
  for (const CompressionOptions& options : all) {
    for (const std::size_t size : kSizes) {
      const Numbers update = SomeUpdate(size, size);
      const Bytes bytes = Encode(options, update, 5, 6, 7);
      Numbers decoded(size, 77.0F), sent = update, memory;
      ASSERT_TRUE(Decode(options, bytes, decoded).ok()) << Name(options) << " of " << size;
      EXPECT_EQ(Compress(options, sent, memory, 5, 6, 7), 8.0 * double(bytes.size()));
      EXPECT_TRUE(AreIdentical(sent, decoded)) << Name(options) << " of " << size;
      const bool has_memory = Compressions()[std::size_t(options.method)].has_memory;
      EXPECT_EQ(memory.size(), has_memory ? size : 0);
    }
  }
}

TEST(Compression, NoneChangesNothing) {
  Numbers update{1.5F, -0.0F, std::numeric_limits<float>::quiet_NaN(), 1e-45F, -3e38F};
  Numbers decoded(update.size());
  ASSERT_TRUE(Decode({}, Encode({}, update, 1, 2, 3), decoded).ok());
  EXPECT_TRUE(AreIdentical(decoded, update));
  EXPECT_TRUE(AreIdentical(SentOf({}, update), update));
}

// (C1) is summed over the rounds: what was sent and what is still in memory is all there was.
TEST(Compression, MemoryKeepsWhatWasNotSent) {
  constexpr std::size_t kSize = 1000;
  for (const CompressionOptions& options :
       {CompressionOptions{.method = Compression::kTopK, .keep = 0.05},
        CompressionOptions{.method = Compression::kSign}}) {
    std::vector<double> given(kSize), sent(kSize);
    Numbers memory;
    double largest = 0;
    for (std::uint64_t round = 0; round < 50; ++round) {
      Numbers update = SomeUpdate(kSize, round);
      for (std::size_t i = 0; i < kSize; ++i) given[i] += double{update[i]};
      Compress(options, update, memory, 1, round, 0);
      for (std::size_t i = 0; i < kSize; ++i) {
        sent[i] += double{update[i]};
        largest = std::max(largest, std::abs(double{memory[i]}) + std::abs(double{update[i]}));
      }
    }
    // A round adds the rounding of two sums of 32-bit numbers.
    const double tolerance = 50 * 2 * 0x1p-24 * largest;
    double left = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      EXPECT_NEAR(sent[i] + double{memory[i]}, given[i], tolerance) << Name(options) << ' ' << i;
      left += std::abs(double{memory[i]});
    }
    EXPECT_GT(left, 1e3 * tolerance);  // there was something to keep
  }
}

TEST(Compression, DrawsDependOnSeedRoundAndDeviceAlone) {
  const Numbers update = SomeUpdate(600);
  for (const Compression method : {Compression::kRandK, Compression::kQsgd}) {
    const CompressionOptions options{.method = method, .keep = 0.1};
    const Bytes bytes = Encode(options, update, 1, 2, 3);
    EXPECT_EQ(Encode(options, update, 1, 2, 3), bytes);
    EXPECT_NE(Encode(options, update, 9, 2, 3), bytes);
    EXPECT_NE(Encode(options, update, 1, 9, 3), bytes);
    EXPECT_NE(Encode(options, update, 1, 2, 9), bytes);
  }
}

TEST(Compression, WhatDivergedStaysVisible) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const CompressionOptions& options : ManyOptions()) {
    for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
      for (const std::size_t place : {0, 5, 599}) {
        Numbers update = SomeUpdate(600);
        update[place] = bad;
        const Numbers sent = SentOf(options, update);
        EXPECT_FALSE(
            std::all_of(sent.begin(), sent.end(), [](float x) { return std::isfinite(x); }))
            << Name(options) << ' ' << bad << " at " << place;
      }
    }
  }
}

// Numbers near the limits of the format must not be taken for NaN or infinity.
TEST(Compression, FiniteStaysFinite) {
  for (const CompressionOptions& options : ManyOptions()) {
    for (const float scale : {1e-44F, 1e-30F, 1e30F}) {
      Numbers update = SomeUpdate(600);
      for (float& value : update) value *= scale;
      const Numbers sent = SentOf(options, update);
      EXPECT_TRUE(std::all_of(sent.begin(), sent.end(), [](float x) { return std::isfinite(x); }))
          << Name(options) << ' ' << scale;
    }
    EXPECT_EQ(SquaredNorm(SentOf(options, Numbers(600))), 0) << Name(options);
  }
}

TEST(Compression, BytesOfTheWrongNumberAreAnError) {
  for (const CompressionOptions& options : ManyOptions()) {
    for (const std::size_t size : kSizes) {
      Bytes bytes = Encode(options, SomeUpdate(size), 1, 2, 3);
      Numbers decoded(size);
      bytes.push_back(0);
      EXPECT_FALSE(Decode(options, bytes, decoded).ok()) << Name(options);
      for (const std::size_t cut : {1, 2, 5}) {
        if (bytes.size() <= cut) continue;
        const auto status =
            Decode(options, std::span(bytes).first(bytes.size() - 1 - cut), decoded);
        ASSERT_FALSE(status.ok()) << Name(options);
        EXPECT_NE(status.error().message.find(Name(options) + " update"), std::string::npos);
      }
    }
  }
}

// Any bytes are decoded or refused, and nothing else happens. What is taken must be what some
// update gives, which the bits after the end and the levels above the highest are not.
TEST(Compression, GarbageIsNeverFatal) {
  base::RandomStream stream(4, kTest, 0, 0);
  int refused = 0, taken = 0;
  for (const CompressionOptions& options : ManyOptions()) {
    for (const std::size_t size : {1, 2, 9, 64, 513}) {
      Bytes bytes(std::size_t(EncodedBits(options, size)) / 8);
      for (int trial = 0; trial < 20; ++trial) {
        for (std::uint8_t& byte : bytes) byte = std::uint8_t(stream.NextBits());
        Numbers decoded(size);
        ++(Decode(options, bytes, decoded).ok() ? taken : refused);
      }
      for (const std::uint8_t same : {0x00, 0xff}) {
        std::fill(bytes.begin(), bytes.end(), same);
        Numbers decoded(size);
        ++(Decode(options, bytes, decoded).ok() ? taken : refused);
      }
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(taken, 1000);
}

TEST(Compression, BitsAfterTheEndAreAnError) {
  const CompressionOptions options{.method = Compression::kSign};  // 32 + 9 bits: seven are left
  Bytes bytes = Encode(options, SomeUpdate(9), 1, 2, 3);
  Numbers decoded(9);
  EXPECT_TRUE(Decode(options, bytes, decoded).ok());
  bytes.back() |= 0x80;
  const auto status = Decode(options, bytes, decoded);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "sign update: has bits after its end");
}

TEST(CompressionDeathTest, OptionsOutOfRange) {
  EXPECT_DEATH(EncodedBits({.keep = 0}, 9), "keep = 0");
  EXPECT_DEATH(EncodedBits({.keep = 1.5}, 9), "keep = 1.5");
  EXPECT_DEATH(EncodedBits({.kept = 10}, 9), "10 of 9");
  EXPECT_DEATH(EncodedBits({.levels = 0}, 9), "levels = 0");
  EXPECT_DEATH(EncodedBits({.levels = 65536}, 9), "levels = 65536");
  EXPECT_DEATH(EncodedBits({.bucket = 0}, 9), "bucket = 0");
  Numbers update(3), memory(2);
  EXPECT_DEATH(Compress({.method = Compression::kSign}, update, memory, 1, 2, 3), "2 numbers");
}

}  // namespace
}  // namespace airlot::compression
