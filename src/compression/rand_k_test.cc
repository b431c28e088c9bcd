#include <gtest/gtest.h>

#include <cmath>

#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

CompressionOptions Kept(std::size_t kept) { return {.method = Compression::kRandK, .kept = kept}; }

TEST(RandK, SendsSoManyScaledNumbers) {
  const Numbers update{1, 2, 3, 4, 5, 6, 7, 8};
  for (std::size_t kept = 0; kept <= update.size(); ++kept) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      const Numbers sent = SentOf(Kept(kept), update, round);
      std::size_t count = 0;
      for (std::size_t i = 0; i < update.size(); ++i) {
        if (sent[i] == 0) continue;
        EXPECT_EQ(sent[i], update[i] * (8.0F / float(kept)));
        ++count;
      }
      EXPECT_EQ(count, kept);
    }
  }
}

TEST(RandK, TakesTheSeedAndTheNumbers) {
  EXPECT_EQ(EncodedBits(Kept(5), 100), 64 + 5 * 32);
  EXPECT_EQ(EncodedBits(Kept(0), 100), 0);
  EXPECT_EQ(Encode(Kept(2), Numbers{1, 1, 1}, 1, 2, 3).size(), 16);
}

// The seed on the wire decides where the numbers go, not who reads them.
TEST(RandK, PositionsComeFromTheSeedOnTheWire) {
  Bytes bytes(12);
  bytes[10] = 0x80, bytes[11] = 0x3f;  // the number 1
  std::vector<int> hits(4);
  for (int seed = 0; seed < 256; ++seed) {
    bytes[7] = std::uint8_t(seed);  // the seed's highest byte
    Numbers decoded(4);
    ASSERT_TRUE(Decode(Kept(1), bytes, decoded).ok());
    for (std::size_t i = 0; i < 4; ++i) {
      if (decoded[i] == 4) ++hits[i];
    }
  }
  for (const int hit : hits) EXPECT_NEAR(hit, 64, 35);  // five standard deviations of 6.9
}

// (C4) holds. A number is size/kept times itself with probability kept/size: its variance is
// (size/kept - 1) value^2. The mean of the draws must lie within five of its standard deviations;
// of 3 * 40 such bounds, one in 15 000 runs would miss one, if the draws were not always the same.
TEST(RandK, IsUnbiased) {
  constexpr int kDraws = 20000;
  const Numbers update = SomeUpdate(40);
  for (const std::size_t kept : {1, 10, 33}) {
    std::vector<double> sums(update.size());
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      const Numbers sent = SentOf(Kept(kept), update, draw);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += double{sent[i]};
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double variance = (40.0 / double(kept) - 1) * double{update[i]} * double{update[i]};
      EXPECT_NEAR(sums[i] / kDraws, update[i], 5 * std::sqrt(variance / kDraws))
          << kept << ' ' << i;
    }
  }
}

// All of the pairs, not only each number, are equally likely: 4 numbers have 6 pairs.
TEST(RandK, PairsAreEquallyLikely) {
  constexpr int kDraws = 12000;
  std::vector<int> hits(16);
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Numbers sent = SentOf(Kept(2), {1, 1, 1, 1}, draw);
    std::size_t set = 0;
    for (std::size_t i = 0; i < 4; ++i) set |= std::size_t{sent[i] != 0} << i;
    ++hits[set];
  }
  const double deviation = std::sqrt(kDraws / 6.0 * 5 / 6);
  for (const std::size_t set : {3, 5, 6, 9, 10, 12}) {
    EXPECT_NEAR(hits[set], kDraws / 6.0, 5 * deviation) << set;
  }
}

}  // namespace
}  // namespace airlot::compression
