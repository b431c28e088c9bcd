// Arrays come back from the bytes of an .npz file; what is no such file is refused.
#include "data/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/mutations_for_tests.h"
#include "base/zip.h"

namespace airlot::data {
namespace {

using namespace std::string_literals;

std::vector<NamedArray> SomeArrays() {
  return {{"fc1.weight", {2, 3}, {1, -2.5F, 3e-40F, 0, 5, 6}},
          {"fc1.bias", {2}, {std::numeric_limits<float>::infinity(), -0.0F}},
          {"one", {}, {7}},
          {"none", {0, 4}, {}}};
}

std::string Encoded(const std::vector<NamedArray>& arrays) { return *EncodeNpz(arrays); }

std::string ErrorOf(const std::string& bytes) {
  const auto arrays = DecodeNpz(bytes);
  return arrays ? "" : arrays.error().message;
}

// Returns an archive with one array of this header, in version 1 of the format, and these numbers.
std::string WithHeader(const std::string& header, const std::string& numbers = "") {
  const std::string length{char(header.size() & 0xff), char(header.size() >> 8)};
  const base::ZipMember member{"a.npy", "\x93NUMPY\x01\x00"s + length + header + numbers};
  return *base::EncodeZip({&member, 1});
}

TEST(Npz, ArraysComeBack) {
  const std::vector<NamedArray> arrays = SomeArrays();
  const auto read = DecodeNpz(Encoded(arrays));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ((*read)[i].name, arrays[i].name);
    EXPECT_EQ((*read)[i].shape, arrays[i].shape);
    ASSERT_EQ((*read)[i].values.size(), arrays[i].values.size());
    for (std::size_t k = 0; k < arrays[i].values.size(); ++k) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>((*read)[i].values[k]),
                std::bit_cast<std::uint32_t>(arrays[i].values[k]));
    }
  }
  EXPECT_EQ(Encoded(arrays), Encoded(arrays));
  EXPECT_EQ(DecodeNpz(Encoded({}))->size(), 0u);
}

// This is what the format says, byte by byte.
TEST(Npz, AnArrayIsAsNumPyWritesIt) {
  const auto members = base::DecodeZip(Encoded({{"b", {2}, {1, 2}}}));
  ASSERT_EQ(members->size(), 1u);
  EXPECT_EQ((*members)[0].name, "b.npy");
  std::string wanted =
      "\x93NUMPY\x01\x00\x76\x00"s + "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  wanted.resize(127, ' ');
  EXPECT_EQ((*members)[0].bytes, wanted + "\n" + "\0\0\x80\x3f\0\0\0\x40"s);
}

TEST(Npz, HeadersOfOtherWritersAreRead) {
  const std::string number = "\0\0\x80\x3f"s;
  for (const std::string header :
       {"{'shape':(1,),'descr':'<f4','fortran_order':False}\n",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }   \n",
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1 , 1 ) }\n"}) {
    EXPECT_EQ(ErrorOf(WithHeader(header, number)), "") << header;
  }
  // In version 2, the length of the header has four bytes.
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n";
  const base::ZipMember member{
      "a.npy", "\x93NUMPY\x02\x00"s + char(header.size()) + "\0\0\0"s + header + number};
  EXPECT_EQ(ErrorOf(*base::EncodeZip({&member, 1})), "");
}

TEST(Npz, SaysWhatIsWrongWithAnArray) {
  const std::string bad_header = "\"a\": its header is not one that NumPy writes";
  for (const std::string header :
       {"", "\n", "{}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,), }\n",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }\n",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1, }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n"}) {
    EXPECT_EQ(ErrorOf(WithHeader(header, "1234")), bad_header) << header;
  }
  const auto typed = [](const std::string& type, const std::string& shape, bool is_fortran) {
    return WithHeader("{'descr': '" + type + "', 'fortran_order': " +
                          (is_fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n",
                      "12345678");
  };
  EXPECT_EQ(ErrorOf(typed("<f8", "(1,)", false)),
            "\"a\": has numbers of type \"<f8\": must be <f4, little-endian float32");
  EXPECT_EQ(ErrorOf(typed("<f4", "(2, 1)", true)),
            "\"a\": is in Fortran order: must be in C order");
  EXPECT_EQ(ErrorOf(typed("<f4", "(3,)", false)),
            "\"a\": has 8 bytes of numbers, which the shape (3,) does not need");
  // The product is 2^64, of which no memory is ever asked for.
  EXPECT_EQ(
      ErrorOf(typed("<f4", "(4294967296, 4294967296)", false)),
      "\"a\": has 8 bytes of numbers, which the shape (4294967296, 4294967296) does not need");
  const auto member = [](const std::string& name, const std::string& bytes) {
    const base::ZipMember one{name, bytes};
    return ErrorOf(*base::EncodeZip({&one, 1}));
  };
  EXPECT_EQ(member("a.txt", ""), "\"a.txt\": is not an array: its name must end with .npy");
  EXPECT_EQ(member("a.npy", "NUMPY"), "\"a\": is not a NumPy array");
  EXPECT_EQ(member("a.npy", "\x93NUMPY\x04\x00"s),
            "\"a\": has version 4 of NumPy's format: must be 1, 2 or 3");
  EXPECT_EQ(member("a.npy", "\x93NUMPY\x01\x00\x01"s), "\"a\": is cut off in its header");
  EXPECT_EQ(member("a.npy", "\x93NUMPY\x01\x00\xff\xff{"s), "\"a\": is cut off in its header");
}

// --- The archive ---------------------------------------------------------------------------------

// Returns an archive with one member that is deflated, as numpy.savez_compressed makes it.
std::string Deflated(const base::ZipMember& member) {
  std::string archive = *base::EncodeZip({&member, 1});
  std::string packed(compressBound(uLong(member.bytes.size())), '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.bytes.data()));
  stream.avail_in = uInt(member.bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = uInt(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const std::size_t data_at = 30 + member.name.size();
  archive.replace(data_at, member.bytes.size(), packed);
  const std::size_t directory_at = data_at + packed.size();
  const std::string size{char(packed.size() & 0xff), char(packed.size() >> 8),
                         char(packed.size() >> 16), 0};
  archive[8] = archive[directory_at + 10] = 8;
  archive.replace(18, 4, size);
  archive.replace(directory_at + 20, 4, size);
  const std::string place{char(directory_at & 0xff), char(directory_at >> 8),
                          char(directory_at >> 16), 0};
  return archive.replace(archive.size() - 6, 4, place);
}

TEST(Zip, MembersComeBack) {
  const std::vector<base::ZipMember> members{
      {"a", "hello"}, {"", ""}, {"b/c", std::string(100000, 'x')}};
  const auto read = base::DecodeZip(*base::EncodeZip(members));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*read)[i].name, members[i].name);
    EXPECT_EQ((*read)[i].bytes, members[i].bytes);
  }
  // Of these the last hardly deflates, so that it is read in several pieces.
  std::string noise;
  std::uint32_t state = 1;
  while (noise.size() < 300'000) noise += char((state = 1664525 * state + 1013904223) >> 24);
  for (const std::string& bytes : {""s, "hello"s, std::string(50000, 'x'), noise}) {
    const auto inflated = base::DecodeZip(Deflated({"a", bytes}));
    ASSERT_TRUE(inflated.ok()) << inflated.error().message;
    EXPECT_EQ(inflated->at(0).bytes, bytes);
  }
}

// Only what is asked for is read, so that an archive may be larger than the memory.
TEST(Zip, ReadsNoMoreThanItMust) {
  const std::vector<base::ZipMember> members{{"large", std::string(1'000'000, 'x')},
                                             {"small", "hello"}};
  const std::string archive = *base::EncodeZip(members);
  std::size_t bytes_read = 0;
  const base::ZipSource source{archive.size(), [&](std::uint64_t offset, std::span<char> bytes) {
                                 EXPECT_LE(offset + bytes.size(), archive.size());
                                 bytes_read += bytes.size();
                                 archive.copy(bytes.data(), bytes.size(), offset);
                                 return true;
                               }};
  const auto entries = base::ListZip(source);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(*base::StartOf(source, entries->at(0), 100), std::string(100, 'x'));
  EXPECT_EQ(*base::StartOf(source, entries->at(1), 100), "hello");
  EXPECT_EQ(*base::BytesOf(source, entries->at(1)), "hello");
  EXPECT_LT(bytes_read, 500u);
}

TEST(Zip, SaysThatItCannotBeRead) {
  for (const std::string& archive : {Deflated({"a", "hello"}), Encoded({{"b", {2}, {1, 2}}})}) {
    // After so many calls the file cannot be read any more.
    const auto error = [&](int calls) {
      const base::ZipSource source{archive.size(),
                                   [&](std::uint64_t offset, std::span<char> bytes) {
                                     archive.copy(bytes.data(), bytes.size(), offset);
                                     return calls-- > 0;
                                   }};
      const auto entries = base::ListZip(source);
      if (!entries) return entries.error().message;
      const auto start = base::StartOf(source, entries->at(0), 10);
      if (!start) return start.error().message;
      const auto bytes = base::BytesOf(source, entries->at(0));
      return bytes ? "" : bytes.error().message;
    };
    int calls = 0;
    for (; error(calls) != ""; ++calls) {
      EXPECT_EQ(error(calls), "cannot be read any more: it has changed, or its disk fails");
    }
    EXPECT_GE(calls, 7);  // start, end, directory, header and name, twice the member
  }
}

TEST(Zip, SaysWhatIsWrong) {
  const auto error = [](const std::string& archive) {
    const auto members = base::DecodeZip(archive);
    return members ? "" : members.error().message;
  };
  const std::vector<base::ZipMember> two{{"a", "hello"}, {"b", "world"}};
  const std::string archive = *base::EncodeZip(two);
  const std::size_t directory = 2 * (30 + 1 + 5);
  ASSERT_EQ(archive.size(), directory + 2 * (46 + 1) + 22);
  const auto with = [&](std::size_t at, char byte) {
    std::string other = archive;
    other[at] = byte;
    return error(other);
  };
  EXPECT_EQ(error(""), "is not a zip archive");
  EXPECT_EQ(error("hello"), "is not a zip archive");
  EXPECT_EQ(error("PK"), "the end record of the zip archive is missing: the file is cut off");
  for (std::size_t size = 2; size < archive.size(); ++size) {
    EXPECT_EQ(error(archive.substr(0, size)),
              "the end record of the zip archive is missing: the file is cut off");
  }
  EXPECT_NE(error(archive + "x"), "");
  EXPECT_EQ(with(archive.size() - 12, 3),
            "the end record of the zip archive does not fit the rest of it");
  EXPECT_EQ(with(directory, 'X'), "entry 1 of the zip archive is damaged");
  EXPECT_EQ(with(directory + 8, 1), "\"a\": is encrypted");
  EXPECT_EQ(with(directory + 10, 12),
            "\"a\": is compressed by method 12: must be 0 (stored) or 8 (deflated)");
  EXPECT_EQ(with(directory + 27, 0x70),
            "\"a\": its 5 bytes in the zip archive do not make 1879048197");
  EXPECT_EQ(with(31, 'H'), "\"a\": its checksum does not match: the file is damaged");
  EXPECT_EQ(with(30, 'x'), "\"a\": is not where the directory of the zip archive says");
  EXPECT_EQ(with(directory + 47 + 46, 'a'), "\"a\": is there twice");
  // The second entry points to the first member, so that both would share its bytes.
  std::string sharing = archive;
  sharing[directory + 47 + 42] = 0;
  sharing[directory + 47 + 46] = 'b';
  EXPECT_EQ(error(sharing), "\"b\": is not where the directory of the zip archive says");
  // A deflated member claims 1879048192 bytes more than it has: no memory is taken for them.
  std::string bomb = Deflated({"a", std::string(5000, 'x')});
  bomb[bomb.size() - 22 - 47 + 27] = 0x70;
  EXPECT_NE(error(bomb).find("bytes in the zip archive do not make 1879"), std::string::npos)
      << error(bomb);
}

// --- What is nearly right ------------------------------------------------------------------------

TEST(Npz, MutationsAreReadOrRefused) {
  const auto arrays = SomeArrays();
  const base::ZipMember plain = (*base::DecodeZip(Encoded(arrays)))[0];
  std::size_t read = 0, refused = 0;
  const auto check = [&](const std::string& bytes) {
    const auto decoded = DecodeNpz(bytes);
    decoded ? ++read : ++refused;
    if (!decoded) {
      ASSERT_FALSE(decoded.error().message.empty());
      return;
    }
    for (const NamedArray& array : *decoded) {
      std::size_t count = 1;
      for (const std::size_t size : array.shape) count *= size;
      ASSERT_EQ(array.values.size(), count);
    }
  };
  base::ForEachMutation(Encoded(arrays), 3000, check);
  base::ForEachMutation(Deflated(plain), 3000, check);
  EXPECT_GT(refused, 3000u);
  // Here the checksum is right, so that the array itself is looked at.
  read = refused = 0;
  base::ForEachMutation(plain.bytes, 3000, [&](const std::string& bytes) {
    const base::ZipMember member{"a.npy", bytes};
    check(*base::EncodeZip({&member, 1}));
  });
  EXPECT_GT(read, 50u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace airlot::data
