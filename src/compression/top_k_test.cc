#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

CompressionOptions Kept(std::size_t kept) { return {.method = Compression::kTopK, .kept = kept}; }

TEST(TopK, SendsTheLargestMagnitudes) {
  EXPECT_EQ(SentOf(Kept(2), {1, -5, 2, 4, -3}), (Numbers{0, -5, 0, 4, 0}));
  EXPECT_EQ(SentOf(Kept(0), {1, -5}), (Numbers{0, 0}));
  EXPECT_EQ(SentOf(Kept(2), {1, -5}), (Numbers{1, -5}));
}

TEST(TopK, OfEqualMagnitudesTheFirst) {
  EXPECT_EQ(SentOf(Kept(3), {2, 7, -2, 2, 2}), (Numbers{2, 7, -2, 0, 0}));
  EXPECT_EQ(SentOf(Kept(1), {0, -0.0F, 0}), (Numbers{0, 0, 0}));
}

TEST(TopK, NotANumberFirstThenTheInfinite) {
  const Numbers update{3, kInfinity, 9, -kNaN, 1e38F, -kInfinity};
  const Numbers one = SentOf(Kept(1), update);
  EXPECT_TRUE(std::isnan(one[3]));
  EXPECT_EQ(std::count(one.begin(), one.end(), 0.0F), 5);
  const Numbers three = SentOf(Kept(3), update);
  EXPECT_TRUE(std::isnan(three[3]));
  EXPECT_EQ(three[1], kInfinity);
  EXPECT_EQ(three[5], -kInfinity);
  EXPECT_EQ(three[4], 0);
}

// (C2) takes the nearest number, but at least one.
TEST(TopK, ShareOfTheNumbers) {
  const auto sent_of = [](double keep, std::size_t size) {
    const Numbers sent = SentOf({.method = Compression::kTopK, .keep = keep}, Numbers(size, 1.0F));
    return std::count(sent.begin(), sent.end(), 1.0F);
  };
  EXPECT_EQ(sent_of(0.07, 100), 7);
  EXPECT_EQ(sent_of(0.01, 149), 1);
  EXPECT_EQ(sent_of(0.01, 150), 2);
  EXPECT_EQ(sent_of(0.01, 3), 1);
  EXPECT_EQ(sent_of(1, 513), 513);
}

// Three positions of eight are a bitmap, then 32 bits follow for each. 1 is 0x3f800000, -2 is
// 0xc0000000.
TEST(TopK, OnTheWire) {
  const Numbers update{1, 0, 0, -2, 0, 0, 0, 1};
  EXPECT_EQ(Encode(Kept(3), update, 1, 2, 3),
            (Bytes{0x89, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x80, 0x3f}));
}

// The reference is a stable sort, on numbers with many equals.
TEST(TopK, AgreesWithASort) {
  for (const std::size_t kept : {1, 2, 10, 63, 64, 500, 999, 1000}) {
    Numbers update = SomeUpdate(1000, kept);
    for (float& value : update) value = std::round(100 * value);
    std::vector<std::size_t> order(update.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(update[a]) > std::abs(update[b]);
    });
    Numbers expected(update.size());
    for (std::size_t i = 0; i < kept; ++i) expected[order[i]] = update[order[i]];
    EXPECT_EQ(SentOf(Kept(kept), update), expected) << kept;
  }
}

// A number that is always smaller than another is never sent alone, but the memory makes it larger.
TEST(TopK, MemorySendsTheSmallAfterAWhile) {
  Numbers memory;
  std::vector<int> rounds_of_small;
  for (int round = 1; round <= 10; ++round) {
    Numbers update{1, 0.375F};
    EXPECT_EQ(SentOf(Kept(1), update), (Numbers{1, 0}));  // without memory
    Compress(Kept(1), update, memory, 1, std::uint64_t(round), 0);
    if (update[1] != 0) rounds_of_small.push_back(round);
  }
  // The memory has 0.375, 0.75, then 1.125 is sent. The 1 waits: 2 is sent, and 0.375 is in memory;
  // then 1 is sent before 0.75; then 1.125 again.
  EXPECT_EQ(rounds_of_small, (std::vector<int>{3, 6, 9}));
}

TEST(TopK, KeptInMemoryWhereNothingIsSent) {
  Numbers update{1, -2}, memory;
  EXPECT_EQ(Compress(Kept(0), update, memory, 1, 2, 3), 0);
  EXPECT_EQ(update, (Numbers{0, 0}));
  EXPECT_EQ(memory, (Numbers{1, -2}));
}

// By Stich et al. 2018, the error is at most the share that is not sent.
TEST(TopK, IsAContraction) {
  const Numbers update = SomeUpdate(2000);
  for (const double keep : {0.01, 0.1, 0.5, 1.0}) {
    const Numbers sent = SentOf({.method = Compression::kTopK, .keep = keep}, update);
    EXPECT_LE(SquaredDistance(sent, update), (1 - keep) * SquaredNorm(update));
  }
}

TEST(LargestKept, IsExact) {
  for (const std::size_t size : {1, 2, 3, 9, 64, 513, 199210}) {
    const double most = EncodedBits(Kept(size), size);
    for (const double share : {0.0, 0.0001, 0.003, 0.04, 0.3, 0.77, 0.999, 1.0}) {
      for (const double offset : {-1.0, 0.0, 1.0}) {
        const double bits = std::floor(share * most) + offset;
        const std::size_t kept = LargestKept(size, bits);
        if (kept > 0) {
          EXPECT_LE(EncodedBits(Kept(kept), size), bits) << size;
        }
        if (kept < size) {
          EXPECT_GT(EncodedBits(Kept(kept + 1), size), bits) << size;
        }
      }
    }
  }
}

TEST(LargestKept, ByHand) {
  EXPECT_EQ(LargestKept(1, 31), 0);
  EXPECT_EQ(LargestKept(1, 32), 1);
  EXPECT_EQ(LargestKept(1, 1e300), 1);
  EXPECT_EQ(LargestKept(256, 39.9), 0);
  EXPECT_EQ(LargestKept(256, 40), 1);  // 8 + 32 bits
  EXPECT_EQ(LargestKept(256, 79), 1);
  EXPECT_EQ(LargestKept(256, 80), 2);
  EXPECT_EQ(LargestKept(0, 1000), 0);
  EXPECT_EQ(LargestKept(9, -5), 0);
  EXPECT_EQ(LargestKept(9, kNaN), 0);
}

}  // namespace
}  // namespace airlot::compression
