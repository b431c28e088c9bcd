#include "data/idx.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "data/scratch_folder_for_tests.h"

namespace airlot::data {
namespace {

class IdxTest : public ScratchFolder {
 protected:
  // Returns what is wrong with a file of these bytes, without the path.
  std::string ErrorOf(const std::string& bytes, std::size_t rank = 3,
                      const std::string& name = "file") {
    const std::string path = Write(name, bytes);
    const auto array = ReadIdx(path, rank);
    if (array) return "none";
    EXPECT_EQ(array.error().message.substr(0, path.size() + 2), path + ": ");
    return array.error().message.substr(path.size() + 2);
  }
};

TEST_F(IdxTest, ReadsRawAndCompressed) {
  const std::string bytes = Idx({2, 1, 3}, "abcdef");
  for (const auto& path : {Write("raw", bytes), Write("x.gz", Gzip(bytes)),
                           Write("two.gz", Gzip(bytes.substr(0, 7)) + Gzip(bytes.substr(7)))}) {
    const auto array = ReadIdx(path, 3);
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(array->dimensions, (std::vector<std::uint32_t>{2, 1, 3}));
    EXPECT_EQ(array->values, (std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
  }
}

TEST_F(IdxTest, ReadsWhatFillsManyBuffers) {
  std::string values(300'000, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = char(i * i / 7);
  const std::string bytes = Idx({3, 100'000}, values);
  for (const auto& path : {Write("raw", bytes), Write("x.gz", Gzip(bytes))}) {
    const auto array = ReadIdx(path, 2);
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(std::string(array->values.begin(), array->values.end()), values);
  }
}

TEST_F(IdxTest, Magic) {
  EXPECT_EQ(ErrorOf("PNG file of 16 bytes"),
            "is not an IDX file: begins with 50 4e 47 20, expected 00 00 08 03");
  EXPECT_EQ(ErrorOf(Gzip(Idx({1, 1, 1}, "a"))).substr(0, 45),
            "is not an IDX file: begins with 1f 8b 08 00, ");
}

TEST_F(IdxTest, Type) {
  EXPECT_EQ(ErrorOf(Idx({1, 1, 1}, "abcd", 0x0d)),
            "has type 0x0d (float), expected 0x08 (unsigned byte)");
  EXPECT_EQ(ErrorOf(Idx({1, 1, 1}, "a", 0x09)),
            "has type 0x09 (signed byte), expected 0x08 (unsigned byte)");
  EXPECT_EQ(ErrorOf(Idx({1, 1, 1}, "a", 0x0a)),
            "has type 0x0a (unknown), expected 0x08 (unsigned byte)");
}

TEST_F(IdxTest, NumberOfDimensions) {
  EXPECT_EQ(ErrorOf(Idx({6}, "abcdef")), "has 1 dimension, expected 3");
  EXPECT_EQ(ErrorOf(Idx({1, 2, 3}, "abcdef"), 1), "has 3 dimensions, expected 1");
}

TEST_F(IdxTest, TooShortForAHeader) {
  EXPECT_EQ(ErrorOf(""), "has 0 bytes, an IDX file begins with 16");
  EXPECT_EQ(ErrorOf(std::string("\0\0\x08", 3)), "has 3 bytes, an IDX file begins with 16");
  EXPECT_EQ(ErrorOf(Idx({1, 1, 1}, "").substr(0, 15)), "has 15 bytes, an IDX file begins with 16");
}

TEST_F(IdxTest, LengthAgainstDimensions) {
  EXPECT_EQ(ErrorOf(Idx({2, 1, 3}, "abcde")), "has 21 bytes, expected 22 for 2 x 1 x 3");
  EXPECT_EQ(ErrorOf(Idx({2, 1, 3}, "abcdefg")), "has 23 bytes, expected 22 for 2 x 1 x 3");
  EXPECT_EQ(ErrorOf(Gzip(Idx({2, 1, 3}, "abcde")), 3, "x.gz"),
            "has 21 bytes, expected 22 for 2 x 1 x 3");
  EXPECT_EQ(ErrorOf(Gzip(Idx({2, 1, 3}, "abcdefg")), 3, "x.gz"),
            "has more than 22 bytes, expected 22 for 2 x 1 x 3");
}

TEST_F(IdxTest, ZeroDimensions) {
  EXPECT_EQ(ErrorOf(Idx({0, 28, 28}, "")), "has 0 x 28 x 28 values: each dimension must be >= 1");
  EXPECT_EQ(ErrorOf(Idx({3, 0, 28}, "")), "has 3 x 0 x 28 values: each dimension must be >= 1");
}

TEST_F(IdxTest, DimensionsThatNobodyHasMemoryFor) {
  EXPECT_EQ(ErrorOf(Idx({0xffffffff, 0xffffffff, 0xffffffff}, "a")),
            "claims 4294967295 x 4294967295 x 4294967295 values, more than 2147483648 bytes");
  // In 64 bits, 2^31 * 2^31 * 4 would be 0.
  EXPECT_EQ(ErrorOf(Idx({0x80000000, 0x80000000, 4}, "a"), 3, "x").substr(0, 17),
            "claims 2147483648");
}

TEST_F(IdxTest, ASmallFileThatClaimsMuchTakesLittleMemory) {
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(ErrorOf(Gzip(Idx({500'000'000}, "a")), 1, "x.gz"),
            "has 9 bytes, expected 500000008 for 500000000");
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000);  // KiB
}

TEST_F(IdxTest, CorruptCompression) {
  const std::string good = Gzip(Idx({1, 1, 100}, std::string(100, 'a')));
  EXPECT_EQ(ErrorOf("", 3, "x.gz"), "is empty: expected a gzip file");
  EXPECT_EQ(ErrorOf(Idx({1, 1, 1}, "a"), 3, "x.gz"),
            "is not a gzip file: begins with 00 00, expected 1f 8b");
  EXPECT_EQ(ErrorOf(good.substr(0, good.size() - 1), 3, "x.gz"),
            "gzip data end early: the file is cut off");
  EXPECT_EQ(ErrorOf(good.substr(0, 12), 3, "x.gz"), "gzip data end early: the file is cut off");
  std::string flipped = good;
  flipped[flipped.size() - 6] ^= 1;  // a bit of the checksum
  EXPECT_EQ(ErrorOf(flipped, 3, "x.gz"), "gzip data are corrupt: incorrect data check");
  EXPECT_EQ(ErrorOf(good + "garbage", 3, "x.gz").substr(0, 21), "gzip data are corrupt");
}

TEST_F(IdxTest, NotAFile) {
  EXPECT_EQ(ReadIdx(Path("missing"), 1).error().message,
            Path("missing") + ": cannot open: No such file or directory");
  EXPECT_EQ(ReadIdx(folder_, 1).error().message, folder_.string() + ": is a directory, not a file");
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadIdx(Path("pipe"), 1).error().message, Path("pipe") + ": is not a regular file");
}

}  // namespace
}  // namespace airlot::data
