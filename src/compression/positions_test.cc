#include "compression/positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "compression/updates_for_tests.h"

namespace airlot::compression {
namespace {

using Positions = std::vector<std::uint32_t>;

Bytes Written(const PositionCode& code, const Positions& positions) {
  BitWriter writer(code.Bits());
  code.Write(positions, writer);
  return std::move(writer).Finish();
}

TEST(Positions, BitsByHand) {
  EXPECT_EQ(PositionCode(1, 1).Bits(), 0);  // there is no choice
  EXPECT_EQ(PositionCode(0, 100).Bits(), 0);
  EXPECT_EQ(PositionCode(1, 2).Bits(), 1);
  EXPECT_EQ(PositionCode(1, 1024).Bits(), 10);  // a list
  EXPECT_EQ(PositionCode(1, 1025).Bits(), 11);
  EXPECT_EQ(PositionCode(8, 16).Bits(), 16);  // a bitmap
  EXPECT_EQ(PositionCode(4, 64).Bits(), 23);  // l = 4: 4 * 4 bits, 4 + 3 marks; a list: 24
  EXPECT_EQ(PositionCode(1992, 199210).Bits(), 17056);  // l = 6: 6 * 1992, 1992 + 3112 marks
}

// l = 3 takes 4 * 3 bits and 4 + 7 marks, as many as l = 4: the larger l is taken.
TEST(Positions, BytesByHand) {
  // The low bits are 3, 9, 0, 15, the first lowest; then come bits 0 + 0, 0 + 1, 1 + 2, 3 + 3 of
  // the marks.
  EXPECT_EQ(Written(PositionCode(4, 64), {3, 9, 16, 63}), (Bytes{0x93, 0xf0, 0x4b}));
  EXPECT_EQ(Written(PositionCode(3, 8), {0, 3, 7}), (Bytes{0x89}));  // a bitmap
  EXPECT_EQ(Written(PositionCode(1, 256), {0xa7}), (Bytes{0xa7}));   // a list
}

// A code is never longer than the cheaper of a list and a bitmap, and ascends with the number of
// positions, on which LargestKept relies.
TEST(Positions, BitsAscendAndAreAtMostThoseOfAListAndABitmap) {
  for (const std::size_t size : {1, 2, 3, 64, 65, 1000}) {
    std::size_t previous = 0;
    for (std::size_t kept = 0; kept <= size; ++kept) {
      const std::size_t bits = PositionCode(kept, size).Bits();
      EXPECT_LE(bits, std::min<std::size_t>(size, kept * std::size_t(std::bit_width(size - 1))));
      EXPECT_GE(bits, previous);
      previous = bits;
    }
  }
}

TEST(Positions, EverySetOfSmallSizesIsReadAsWritten) {
  for (std::size_t size = 1; size <= 12; ++size) {
    for (std::uint32_t set = 0; set < 1U << size; ++set) {
      Positions positions;
      for (std::uint32_t i = 0; i < size; ++i) {
        if ((set >> i & 1) != 0) positions.push_back(i);
      }
      const PositionCode code(positions.size(), size);
      const Bytes bytes = Written(code, positions);
      BitReader reader(bytes);
      const auto read = code.Read(reader);
      ASSERT_TRUE(read) << read.error().message;
      ASSERT_EQ(*read, positions);
    }
  }
}

TEST(Positions, TheEndsOfALargeRangeAreReadAsWritten) {
  for (const std::size_t size : {199210UL, 1UL << 18, (1UL << 18) + 1, 1UL << 31}) {
    const auto last = std::uint32_t(size - 1);
    for (const Positions& positions : {Positions{0, 1, 2, 3}, Positions{last - 2, last - 1, last},
                                       Positions{0, last}, Positions{last}}) {
      const PositionCode code(positions.size(), size);
      const Bytes bytes = Written(code, positions);
      BitReader reader(bytes);
      const auto read = code.Read(reader);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(*read, positions);
    }
  }
}

std::string ErrorOf(const PositionCode& code, const Bytes& bytes) {
  BitReader reader(bytes);
  const auto read = code.Read(reader);
  return read ? "" : read.error().message;
}

TEST(Positions, BadBitsAreAnError) {
  EXPECT_EQ(ErrorOf(PositionCode(3, 8), {0x8b}), "more than 3 positions are marked");
  EXPECT_EQ(ErrorOf(PositionCode(3, 8), {0x81}), "2 positions are marked, must be 3");
  EXPECT_EQ(ErrorOf(PositionCode(1, 200), {0xc8}), "position 200: must be below 200");
  EXPECT_EQ(ErrorOf(PositionCode(1, 200), {0xc7}), "");
  // The bytes are as in BytesByHand, but the first two have the low bits 9 and 3.
  EXPECT_EQ(ErrorOf(PositionCode(4, 64), {0x39, 0xf0, 0x4b}), "position 3 after 9: must be larger");
}

}  // namespace
}  // namespace airlot::compression
