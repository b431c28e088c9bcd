#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

CompressionOptions Qsgd(int levels, std::size_t bucket) {
  return {.method = Compression::kQsgd, .levels = levels, .bucket = bucket};
}

// The update 3, -4 has the norm 5; of five levels both are whole numbers, and nothing is left to
// chance.
TEST(Qsgd, WholeLevelsAreExact) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    EXPECT_EQ(SentOf(Qsgd(5, 2), {3, -4, 0, 0, -7, 0}, round), (Numbers{3, -4, 0, 0, -7, 0}));
  }
}

// A norm of 5 is 0x40a00000. Level 3 and +, level 4 and - follow, each in 1 + 3 bits.
TEST(Qsgd, OnTheWire) {
  EXPECT_EQ(Encode(Qsgd(5, 2), Numbers{3, -4}, 1, 2, 3), (Bytes{0, 0, 0xa0, 0x40, 0x96}));
}

TEST(Qsgd, BitsByHand) {
  EXPECT_EQ(EncodedBits(Qsgd(1, 512), 512), 32 + 512 * 2);
  EXPECT_EQ(EncodedBits(Qsgd(15, 512), 512), 32 + 512 * 5);
  EXPECT_EQ(EncodedBits(Qsgd(16, 512), 512), 32 + 512 * 6);
  EXPECT_EQ(EncodedBits(Qsgd(15, 512), 520), 64 + 520 * 5);  // there is a second, short bucket
}

// Numbers become neighbours of the exact level, and never go beyond the norm.
TEST(Qsgd, RoundsToANeighbouringLevel) {
  const Numbers update = SomeUpdate(512);
  const double norm = std::sqrt(SquaredNorm(update));
  for (const int levels : {1, 4, 16, 1000, kMostLevels}) {
    const Numbers sent = SentOf(Qsgd(levels, 512), update);
    for (std::size_t i = 0; i < update.size(); ++i) {
      // The level and the number that it stands for take 3 roundings each, and the norm one.
      const double rounding = 8 * 0x1p-24 * std::max(std::abs(sent[i]), std::abs(update[i]));
      EXPECT_LE(std::abs(double{sent[i]} - update[i]), norm / levels + rounding);
      EXPECT_LE(std::abs(sent[i]), norm + rounding);
    }
  }
  // One number is its bucket's norm: rounding must not lift it above the highest level.
  for (std::uint64_t round = 0; round < 300; ++round) {
    const Numbers single = SomeUpdate(1, round);
    EXPECT_EQ(SentOf(Qsgd(kMostLevels, 1), single, round), single);
    const Numbers nearly{single[0], 1e-5F * single[0], -1e-4F * single[0]};
    EXPECT_LE(std::abs(SentOf(Qsgd(16, 3), nearly, round)[0]), 1.00001F * std::abs(single[0]));
  }
}

struct Moments {
  std::vector<double> mean;
  double squared_error = 0;
};

constexpr int kDraws = 4000;

Moments MomentsOf(const CompressionOptions& options, const Numbers& update) {
  Moments moments{.mean = std::vector<double>(update.size())};
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Numbers sent = SentOf(options, update, draw);
    for (std::size_t i = 0; i < sent.size(); ++i) moments.mean[i] += double{sent[i]} / kDraws;
    moments.squared_error += SquaredDistance(sent, update) / kDraws;
  }
  return moments;
}

// Returns the variance of each number (C5), in one bucket: step^2 f (1 - f), where f is what the
// exact level has after the point.
std::vector<double> Variances(const Numbers& update, int levels) {
  const double step = std::sqrt(SquaredNorm(update)) / levels;
  std::vector<double> variances;
  for (const float value : update) {
    const double level = std::abs(double{value}) / step;
    const double fraction = level - std::floor(level);
    variances.push_back(step * step * fraction * (1 - fraction));
  }
  return variances;
}

// (C5) and (C6) hold. The mean must lie within five of its standard deviations, and within the
// rounding of 32-bit numbers; the squared error must lie within 10 % of its mean (a number's
// squared error deviates at most by step^2/4, some per cent of the sum over all draws) and below
// the bound of the paper.
TEST(Qsgd, IsUnbiasedAndItsErrorIsBounded) {
  for (const std::size_t size : {5, 100}) {
    for (const int levels : {1, 4, 16, 100}) {
      const Numbers update = SomeUpdate(size, 3);
      const Moments moments = MomentsOf(Qsgd(levels, size), update);
      const std::vector<double> variances = Variances(update, levels);
      double variance = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const double tolerance = 5 * std::sqrt(variances[i] / kDraws) + 1e-6 * std::abs(update[i]);
        EXPECT_NEAR(moments.mean[i], update[i], tolerance) << levels << ' ' << i;
        variance += variances[i];
      }
      EXPECT_NEAR(moments.squared_error, variance, 0.1 * variance) << size << ' ' << levels;
      const double s = levels, d = double(size);
      EXPECT_LE(moments.squared_error,
                std::min(d / (s * s), std::sqrt(d) / s) * SquaredNorm(update));
    }
  }
}

// Four equal numbers are half their norm, and go up with probability 1/2; any two of them both go
// up with probability 1/4, within five standard deviations.
TEST(Qsgd, NumbersAreRoundedIndependently) {
  std::vector<int> hits(16);
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Numbers sent = SentOf(Qsgd(1, 4), {1, 1, 1, 1}, draw);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) hits[4 * i + j] += sent[i] != 0 && sent[j] != 0 ? 1 : 0;
    }
  }
  const double deviation = std::sqrt(kDraws * 0.25 * 0.75);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(hits[4 * i + j], kDraws / 4.0, 5 * deviation) << i << ' ' << j;
    }
  }
}

// Each bucket has its own norm: a large number does not blur those of another bucket.
TEST(Qsgd, BucketsAreIndependent) {
  const Numbers sent = SentOf(Qsgd(10, 2), {1e6F, 0, 0.003F, 0.004F, 5});
  EXPECT_EQ(sent[0], 1e6F);
  // Each takes some roundings of 2^-24, of numbers up to 0.005.
  EXPECT_NEAR(sent[2], 0.003, 1e-8);
  EXPECT_NEAR(sent[3], 0.004, 1e-8);
  EXPECT_EQ(sent[4], 5);
}

TEST(Qsgd, OnlyTheBucketThatDivergedIsNotANumber) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const Numbers sent = SentOf(Qsgd(10, 2), {3, 4, 1, bad, 5});
    EXPECT_EQ(sent[0], 3);
    EXPECT_TRUE(std::isnan(sent[2]));
    EXPECT_TRUE(std::isnan(sent[3]));
    EXPECT_EQ(sent[4], 5);
  }
}

TEST(Qsgd, BadBitsAreAnError) {
  Numbers decoded(2);
  const auto message = [&](const Bytes& bytes) {
    const auto status = Decode(Qsgd(5, 2), bytes, decoded);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(message({0, 0, 0xa0, 0x40, 0x96}), "");
  EXPECT_EQ(message({0, 0, 0xa0, 0x40, 0xcb}), "qsgd update: level 6: must be at most 5");
  EXPECT_EQ(message({0, 0, 0xa0, 0xc0, 0x96}),
            "qsgd update: norm -5: must be finite and not below 0");
  EXPECT_EQ(message({0, 0, 0x80, 0x7f, 0x96}),
            "qsgd update: norm inf: must be finite and not below 0");
}

}  // namespace
}  // namespace airlot::compression
