// Columns come back from the file that was written, and what is no such file is refused.
#include "base/npz_columns.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/mutations_for_tests.h"

namespace airlot::base {
namespace {

using namespace std::string_literals;

class NpzColumns : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "npz_columns_" + std::to_string(::getpid()) + ".npz";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string Bytes() const {
    std::stringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void Write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  // Writes a file with one array of this header.
  void WriteArray(const std::string& type, const std::string& shape, const std::string& elements) {
    const std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    const ZipMember member{"a.npy",
                           "\x93NUMPY\x01\x00"s + char(header.size()) + '\0' + header + elements};
    Write(*EncodeZip({&member, 1}));
  }
  std::string ErrorOfLook() {
    const auto file = NpzReader::Open(path_);
    if (!file) return file.error().message.substr(path_.size());
    const auto array = file->Look(0);
    return array ? "" : array.error().message.substr(path_.size());
  }
  std::string path_;
};

// Elements fill more than one piece, so that checksums are put together.
constexpr std::size_t kRows = 100'000;

std::vector<NpzColumn> SomeColumns(const std::vector<double>& values) {
  return {NumberColumn("x", values), NumberColumn("same", 2.5),
          WholeNumberColumn("row", [](std::size_t i) { return -static_cast<std::int64_t>(i); }),
          TextColumn("name", 6, [](std::size_t i, std::string& text) {
            return std::string_view(text = std::to_string(i));
          })};
}

TEST_F(NpzColumns, ComeBackAndAreTheSameForAnyNumberOfThreads) {
  std::vector<double> values(kRows);
  for (std::size_t i = 0; i < kRows; ++i) values[i] = 1 / double(i + 1);
  std::string bytes;
  for (const int threads : {1, 2, 3}) {
    double share = 0;
    ASSERT_TRUE(WriteNpz(path_, kRows, SomeColumns(values), threads, [&](double s) { share = s; }));
    EXPECT_EQ(share, 1);
    if (bytes.empty()) bytes = Bytes();
    EXPECT_TRUE(Bytes() == bytes) << threads;
  }
  for (const int threads : {1, 2, 3}) {
    const auto file = NpzReader::Open(path_);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(std::vector<std::string>(file->names().begin(), file->names().end()),
              (std::vector<std::string>{"x", "same", "row", "name"}));
    for (std::size_t a = 0; a < 3; ++a) {
      const auto array = file->Look(a);
      ASSERT_TRUE(array) << array.error().message;
      ASSERT_EQ(array->rows, kRows);
      std::vector<double> read(kRows);
      const auto status = file->Read(*array, threads, [&](std::size_t first, std::string_view b) {
        ToDoubles(array->type, b, read.data() + first);
        return Status();
      });
      ASSERT_TRUE(status) << status.error().message;
      for (std::size_t i = 0; i < kRows; ++i) {
        ASSERT_EQ(read[i], a == 0 ? values[i] : a == 1 ? 2.5 : -double(i));
      }
    }
    const auto names = file->Look(3);
    ASSERT_TRUE(names);
    EXPECT_EQ(names->header.type, "|S6");
    std::string all(6 * kRows, ' ');
    char* const characters = all.data();
    ASSERT_TRUE(file->Read(*names, threads, [&](std::size_t first, std::string_view b) {
      // Threads write at the same time, each its own rows: the string itself stays as it is.
      std::copy(b.begin(), b.end(), characters + 6 * first);
      return Status();
    }));
    EXPECT_EQ(all.substr(6 * 17, 6), "17\0\0\0\0"s);
  }
}

TEST_F(NpzColumns, ADamagedArrayIsSaidToBeDamagedWhateverIsInIt) {
  const std::vector<double> values(kRows, 1.0);
  const std::vector<NpzColumn> columns{NumberColumn("x", values)};
  ASSERT_TRUE(WriteNpz(path_, kRows, columns, 1));
  std::string bytes = Bytes();
  bytes[bytes.size() / 2] ^= 1;
  Write(bytes);
  const auto file = NpzReader::Open(path_);
  ASSERT_TRUE(file);
  const auto status = file->Read(*file->Look(0), 2, [&](std::size_t, std::string_view) -> Status {
    return Error{"a value is wrong"};
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            path_ + ": \"x.npy\": its checksum does not match: the file is damaged");
}

TEST_F(NpzColumns, TheFirstErrorIsNamed) {
  const std::vector<double> values(kRows, 1.0);
  const std::vector<NpzColumn> columns{NumberColumn("x", values)};
  ASSERT_TRUE(WriteNpz(path_, kRows, columns, 1));
  const auto file = NpzReader::Open(path_);
  const auto status =
      file->Read(*file->Look(0), 3, [&](std::size_t first, std::string_view) -> Status {
        if (first == 0) return {};
        return Error{std::to_string(first)};
      });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, std::to_string((std::size_t{1} << 18) / 8));
}

TEST_F(NpzColumns, SaysWhatIsWrongWithAnArray) {
  WriteArray("<f8", "(2,)", std::string(16, '\0'));
  EXPECT_EQ(ErrorOfLook(), "");
  WriteArray("<f8", "(3,)", std::string(16, '\0'));
  EXPECT_EQ(ErrorOfLook(),
            ": a: has 16 bytes of elements, which the shape (3,) of \"<f8\" does not need");
  WriteArray("<f8", "(1, 2)", std::string(16, '\0'));
  EXPECT_EQ(ErrorOfLook(), ": a: has the shape (1, 2): must have one dimension, such as (10,)");
  WriteArray("<f8", "()", std::string(8, '\0'));
  EXPECT_EQ(ErrorOfLook(), ": a: has the shape (): must have one dimension, such as (10,)");
  WriteArray("|S3", "(4,)", std::string(11, 'a'));
  EXPECT_EQ(ErrorOfLook(),
            ": a: has 11 bytes of elements, which the shape (4,) of \"|S3\" does not need");
  Write("PK\x03\x04 and nothing");
  EXPECT_EQ(ErrorOfLook(), ": the end record of the zip archive is missing: the file is cut off");
}

TEST_F(NpzColumns, KnowsTypes) {
  using Kind = ElementType::Kind;
  EXPECT_EQ(ElementTypeOf("<f8").bytes, 8u);
  EXPECT_TRUE(ElementTypeOf("|u1").IsWhole());
  EXPECT_FALSE(ElementTypeOf("<f4").IsWhole());
  EXPECT_EQ(ElementTypeOf("<U5").bytes, 20u);
  EXPECT_EQ(ElementTypeOf("|S5").kind, Kind::kBytes);
  for (const char* const code : {">f8", "|O", "<f2", "|b1", "|S", "|Sx", "|S-1", "<U99999999999"}) {
    EXPECT_EQ(ElementTypeOf(code).bytes, 0u) << code;
  }
  double value = 0;
  ToDoubles(ElementTypeOf("<i2"), "\xfe\xff", &value);
  EXPECT_EQ(value, -2);
  ToDoubles(ElementTypeOf("<u8"), "\xff\xff\xff\xff\xff\xff\xff\xff", &value);
  EXPECT_EQ(value, 0x1p64);
}

TEST_F(NpzColumns, MutationsAreReadOrRefused) {
  const std::vector<double> values{1, 2, 3};
  const std::vector<NpzColumn> columns{NumberColumn("x", values)};
  ASSERT_TRUE(WriteNpz(path_, 3, columns, 1));
  const std::string bytes = Bytes();
  std::size_t refused = 0;
  path_ = FolderInMemory() + "/npz_columns_" + std::to_string(::getpid());
  ForEachMutation(bytes, 3000, [&](const std::string& mutation) {
    Write(mutation);
    const auto file = NpzReader::Open(path_);
    bool is_read = file.ok() && file->names().size() == 1;
    if (is_read) {
      const auto array = file->Look(0);
      is_read = array &&
                file->Read(*array, 2, [](std::size_t, std::string_view) -> Status { return {}; });
    }
    if (!is_read) ++refused;
  });
  EXPECT_GT(refused, 2000u);
}

// Archives beyond 4 GiB have other numbers at other places; here that begins with few bytes.
TEST(Zip64, ReadsBack) {
  for (const std::uint64_t most_plain : {0u, 2u, 60u, 1000u}) {
    ZipWriter writer(most_plain);
    std::string archive;
    const std::vector<ZipMember> members{{"a", "12345"}, {"b", ""}, {"c", std::string(99, 'c')}};
    for (const ZipMember& member : members) {
      archive += writer.Begin(member.name, member.bytes.size(), ZipChecksum(member.bytes));
      archive += member.bytes;
    }
    archive += writer.End();
    const auto read = DecodeZip(archive);
    ASSERT_TRUE(read) << most_plain << ": " << read.error().message;
    ASSERT_EQ(read->size(), members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ((*read)[i].name, members[i].name);
      EXPECT_EQ((*read)[i].bytes, members[i].bytes);
    }
    for (std::size_t cut = 0; cut < archive.size(); ++cut) {
      EXPECT_FALSE(DecodeZip(archive.substr(0, cut))) << most_plain << ", " << cut;
    }
  }
}

TEST(ZipChecksum, IsThatOfBothParts) {
  const std::string all = "a first part and a second one";
  EXPECT_EQ(CombineZipChecksums(ZipChecksum(all.substr(0, 12)), ZipChecksum(all.substr(12)),
                                all.size() - 12),
            ZipChecksum(all));
  EXPECT_EQ(ZipChecksum("123456789"), 0xcbf43926u);  // the check value of CRC-32
}

}  // namespace
}  // namespace airlot::base
