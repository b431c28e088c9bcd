#include <gtest/gtest.h>

#include <cmath>

#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

constexpr CompressionOptions kSign{.method = Compression::kSign};

TEST(Sign, ByHand) {
  EXPECT_EQ(SentOf(kSign, {1, -2, 3, -6}), (Numbers{3, -3, 3, -3}));
  EXPECT_EQ(SentOf(kSign, {0, 4}), (Numbers{2, 2}));
}

// A scale of 3 is 0x40400000; the second and the fourth bit are set.
TEST(Sign, OnTheWire) {
  EXPECT_EQ(Encode(kSign, Numbers{1, -2, 3, -6}, 1, 2, 3), (Bytes{0, 0, 0x40, 0x40, 0x0a}));
  EXPECT_EQ(EncodedBits(kSign, 64), 96);
  EXPECT_EQ(EncodedBits(kSign, 65), 104);
}

TEST(Sign, EveryPlaceHasItsBit) {
  const Numbers update = SomeUpdate(77);
  const Numbers sent = SentOf(kSign, update);
  for (std::size_t i = 0; i < update.size(); ++i) {
    EXPECT_EQ(std::signbit(sent[i]), std::signbit(update[i])) << i;
    EXPECT_EQ(std::abs(sent[i]), std::abs(sent[0]));
  }
}

// The update 1, -2, 3, -6 leaves -2, 1, 0, -3 in the memory; with it, the same update again is sent
// as -1, -1, 3, -9 would be.
TEST(Sign, MemoryByHand) {
  Numbers update{1, -2, 3, -6}, memory;
  Compress(kSign, update, memory, 1, 1, 0);
  EXPECT_EQ(memory, (Numbers{-2, 1, 0, -3}));
  update = {1, -2, 3, -6};
  Compress(kSign, update, memory, 1, 2, 0);
  EXPECT_EQ(update, (Numbers{-3.5F, -3.5F, 3.5F, -3.5F}));
  EXPECT_EQ(memory, (Numbers{2.5F, 2.5F, -0.5F, -5.5F}));
}

// The error is |v - C(v)|^2 = |v|^2 - |v|_1^2/d (C8).
TEST(Sign, ErrorIsWhatTheMeanMagnitudeLeaves) {
  const Numbers update = SomeUpdate(1000);
  double magnitudes = 0;
  for (const float value : update) magnitudes += std::abs(double{value});
  const double expected = SquaredNorm(update) - magnitudes * magnitudes / 1000;
  // The mean magnitude is sent as a float; at the minimum, that counts by its square, 1e-14. Sums
  // of 1000 numbers in double make 1e-13.
  EXPECT_NEAR(SquaredDistance(SentOf(kSign, update), update), expected, 1e-12 * expected);
}

TEST(Sign, BadBitsAreAnError) {
  Numbers decoded(4);
  const auto status = Decode(kSign, Bytes{0, 0, 0x40, 0xc0, 0x0a}, decoded);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "sign update: scale -3: must not be below 0");
}

}  // namespace
}  // namespace airlot::compression
