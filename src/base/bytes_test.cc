#include "airlot/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace airlot {
namespace {

TEST(Bytes, ComeBackAsTheyWere) {
  ByteWriter writer;
  writer.Put(std::uint64_t{7});
  writer.Put(std::optional<double>(2.5));
  writer.Put(std::optional<double>());
  writer.Put(std::vector<std::vector<float>>{{1, -2}, {}});
  writer.Put(std::string_view("ab"));
  EXPECT_EQ(writer.bytes().size(), 8u + 12 + 12 + (8 + (8 + 8) + 8) + (8 + 2));
  EXPECT_EQ(kByteSize<std::optional<double>>, 12u);
  EXPECT_EQ(writer.bytes().substr(0, 8), std::string("\7\0\0\0\0\0\0\0", 8));
  ByteReader reader(writer.bytes());
  std::uint64_t count = 0;
  std::optional<double> some, none = 1;
  std::vector<std::vector<float>> lists;
  std::string text;
  reader.Take(count);
  reader.Take(some);
  reader.Take(none);
  reader.Take(lists);
  EXPECT_FALSE(reader.is_done());
  reader.Take(text);
  EXPECT_TRUE(reader.is_done());
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(some, 2.5);
  EXPECT_EQ(none, std::nullopt);
  EXPECT_EQ(lists, (std::vector<std::vector<float>>{{1, -2}, {}}));
  EXPECT_EQ(text, "ab");
}

// A list is not made longer than the bytes that are there, whatever its count says.
TEST(Bytes, BelieveNoCount) {
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 62, std::numeric_limits<std::uint64_t>::max()}) {
    ByteWriter writer;
    writer.Put(count);
    writer.Put(1.0);
    writer.Put(2.0);
    ByteReader reader(writer.bytes());
    std::vector<double> values{5};
    reader.Take(values);
    EXPECT_TRUE(values.empty());
    EXPECT_FALSE(reader.is_done());
    ByteReader lists_reader(writer.bytes());
    std::vector<std::vector<double>> lists;
    lists_reader.Take(lists);
    EXPECT_TRUE(lists.empty());
    EXPECT_FALSE(lists_reader.is_done());
  }
}

TEST(Bytes, GiveNothingOnceTheyAreTooFew) {
  ByteWriter writer;
  writer.Put(std::uint32_t{9});
  ByteReader reader(writer.bytes());
  double number = 1;
  std::uint32_t next = 1;
  reader.Take(number);
  reader.Take(next);
  EXPECT_EQ(next, 0u);
  EXPECT_FALSE(reader.is_done());
}

}  // namespace
}  // namespace airlot
