#include "compression/float16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Float16, PatternsByHand) {
  const std::pair<float, std::uint16_t> known[] = {
      {0.0F, 0x0000},         {-0.0F, 0x8000},     {1.0F, 0x3c00},
      {-2.0F, 0xc000},        {1.5F, 0x3e00},      {0.333251953125F, 0x3555},
      {65504.0F, 0x7bff},     {0x1p-14F, 0x0400},  // the smallest normal number
      {0x1p-24F, 0x0001},                          // the smallest of all
      {0x1.ff8p-15F, 0x03ff},                      // the largest below the normal numbers
      {0x1p-15F, 0x0200},     {kInfinity, 0x7c00}, {-kInfinity, 0xfc00},
  };
  for (const auto& [value, half] : known) {
    EXPECT_EQ(HalfOf(value), half) << value;
    EXPECT_EQ(FloatOfHalf(half), value) << half;
    EXPECT_EQ(std::signbit(FloatOfHalf(half)), std::signbit(value)) << half;
  }
}

TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(HalfOf(1 + 0x1p-11F), 0x3c00);  // between 1 and 1 + 2^-10: the even one is taken
  EXPECT_EQ(HalfOf(1 + 0x1p-11F + 0x1p-23F), 0x3c01);
  EXPECT_EQ(HalfOf(1 + 3 * 0x1p-11F), 0x3c02);  // between odd and even, the even one above is taken
  EXPECT_EQ(HalfOf(1 + 3 * 0x1p-11F - 0x1p-23F), 0x3c01);
  EXPECT_EQ(HalfOf(2 - 0x1p-11F), 0x4000);  // rounds into the next exponent
  EXPECT_EQ(HalfOf(0x1p-25F), 0x0000);      // between 0 and the smallest, 0 is taken
  EXPECT_EQ(HalfOf(0x1.000002p-25F), 0x0001);
  EXPECT_EQ(HalfOf(3 * 0x1p-25F), 0x0002);
  EXPECT_EQ(HalfOf(-5 * 0x1p-25F), 0x8002);
  EXPECT_EQ(HalfOf(0x1p-14F - 0x1p-25F), 0x0400);  // rounds up to the smallest normal number
  EXPECT_EQ(HalfOf(std::numeric_limits<float>::denorm_min()), 0x0000);
}

TEST(Float16, LargeNumbersBecomeTheLargest) {
  EXPECT_EQ(HalfOf(65503.0F), 0x7bff);
  EXPECT_EQ(HalfOf(65519.0F), 0x7bff);
  EXPECT_EQ(HalfOf(65520.0F), 0x7bff);
  EXPECT_EQ(HalfOf(1e38F), 0x7bff);
  EXPECT_EQ(HalfOf(-std::numeric_limits<float>::max()), 0xfbff);
  EXPECT_EQ(HalfOf(65487.9F), 0x7bfe);
}

TEST(Float16, NaNStaysNaN) {
  EXPECT_TRUE(std::isnan(FloatOfHalf(HalfOf(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(FloatOfHalf(HalfOf(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isnan(FloatOfHalf(HalfOf(std::bit_cast<float>(0xffffffffU)))));
}

// Every 16-bit number comes back, and what lies between two goes to the nearer one.
TEST(Float16, AllNumbersAndTheirMiddles) {
  for (std::uint32_t half = 0; half < 0x7c00; ++half) {
    const float value = FloatOfHalf(std::uint16_t(half));
    ASSERT_EQ(HalfOf(value), half);
    ASSERT_EQ(HalfOf(-value), half | 0x8000);
    if (half == 0x7bff) break;
    const float next = FloatOfHalf(std::uint16_t(half + 1));
    ASSERT_LT(value, next);
    const float middle = (value + next) / 2;  // exact
    ASSERT_EQ(HalfOf(middle), half + half % 2);
    ASSERT_EQ(HalfOf(std::nextafter(middle, 0.0F)), half);
    ASSERT_EQ(HalfOf(std::nextafter(middle, kInfinity)), half + 1);
  }
}

// The lower byte goes first.
TEST(Float16, OnTheWire) {
  const CompressionOptions options{.method = Compression::kFloat16};
  EXPECT_EQ(Encode(options, Numbers{1, -2}, 1, 2, 3), (Bytes{0x00, 0x3c, 0x00, 0xc0}));
  EXPECT_EQ(SentOf(options, {1 + 0x1p-11F, 7e4F, 0.25F}), (Numbers{1, 65504, 0.25F}));
}

}  // namespace
}  // namespace airlot::compression
