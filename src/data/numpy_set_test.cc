// Data sets of NumPy arrays are read as NumPy means them, or refused with a message that names the
// file, the array and what is wrong.
#include "data/numpy_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/mutations_for_tests.h"
#include "data/numpy_bytes_for_tests.h"
#include "data/scratch_folder_for_tests.h"

namespace airlot::data {
namespace {

using Arrays = std::map<std::string, std::string>;
using Bytes = std::vector<std::uint8_t>;

// Two grey images of 1 x 2 pixels to train, and one to test.
Arrays SmallSet() {
  return {{"x_train", Npy<std::uint8_t>("|u1", {2, 1, 2}, {1, 2, 3, 4})},
          {"y_train", Npy<std::int64_t>("<i8", {2}, {0, 3})},
          {"x_test", Npy<std::uint8_t>("|u1", {1, 1, 2}, {5, 6})},
          {"y_test", Npy<std::int64_t>("<i8", {1}, {1})}};
}

class NumpySetTest : public ScratchFolder {
 protected:
  std::string WriteNpz(const Arrays& arrays) const {
    return Write("set.npz", Npz({arrays.begin(), arrays.end()}));
  }
  std::string WriteFolder(const Arrays& arrays) const {
    std::filesystem::remove_all(Path("folder"));
    for (const auto& [name, bytes] : arrays) Write("folder/" + name + ".npy", bytes);
    return Path("folder");
  }

  // Says what is wrong with a set where one array is another, in a file and in a folder.
  void ExpectError(const std::string& array, const std::string& bytes, const std::string& error,
                   Arrays arrays = SmallSet()) const {
    arrays[array] = bytes;
    const auto in_file = ReadDataset(WriteNpz(arrays));
    ASSERT_FALSE(in_file);
    EXPECT_EQ(in_file.error().message, Path("set.npz") + ": " + array + error);
    const auto in_folder = ReadDataset(WriteFolder(arrays));
    ASSERT_FALSE(in_folder);
    EXPECT_EQ(in_folder.error().message, Path("folder/" + array + ".npy") + error);
  }
};

TEST_F(NumpySetTest, ReadsAFileAndAFolder) {
  for (const std::string& path : {WriteNpz(SmallSet()), WriteFolder(SmallSet())}) {
    const auto set = ReadDataset(path);
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->name, path);
    EXPECT_EQ(set->train.pixels, (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(set->train.labels, (Bytes{0, 3}));
    EXPECT_EQ(set->test.pixels, (Bytes{5, 6}));
    EXPECT_EQ(set->test.labels, (Bytes{1}));
    EXPECT_EQ(set->train.height, 1);
    EXPECT_EQ(set->train.width, 2);
    EXPECT_EQ(set->train.channels, 1);
    EXPECT_EQ(set->train.classes, 4);
    EXPECT_TRUE(set->train.values.empty());
    const auto labels = ReadTrainingLabels(path);
    ASSERT_TRUE(labels) << labels.error().message;
    EXPECT_EQ(labels->values, set->train.labels);
    EXPECT_EQ(labels->classes, 4);
    EXPECT_EQ(labels->width, 2);
  }
}

// The numbers of an image are 10 * pixel + channel, wherever its channels are.
TEST_F(NumpySetTest, ChannelsComeFirstInMemory) {
  Arrays arrays = SmallSet();
  arrays["x_test"] =
      Npy<std::uint8_t>("|u1", {1, 3, 2, 2}, {0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32});
  arrays["x_train"] = Npy<std::uint8_t>(
      "|u1", {2, 2, 2, 3},
      {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 3, 4, 5, 13, 14, 15, 23, 24, 25, 33, 34, 35});
  const auto set = ReadDataset(WriteNpz(arrays));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->train.channels, 3);
  EXPECT_EQ(set->train.height, 2);
  EXPECT_EQ(set->train.width, 2);
  EXPECT_EQ(set->train.pixels, (Bytes{0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32,
                                      3, 13, 23, 33, 4, 14, 24, 34, 5, 15, 25, 35}));
  EXPECT_EQ(set->test.pixels, (Bytes{0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32}));
  EXPECT_EQ(ReadTrainingLabels(Path("set.npz"))->channels, 3);
}

TEST_F(NumpySetTest, FeaturesAndTargets) {
  const Arrays arrays{{"x_train", Npy<double>("<f8", {3, 2}, {1, 2, 3, 4, 5, 6.5})},
                      {"y_train", Npy<float>("<f4", {3, 1}, {-1, 0.5F, 9})},
                      {"x_test", Npy<float>("<f4", {1, 2}, {7, 8})},
                      {"y_test", Npy<double>("<f8", {1}, {2})}};
  const auto set = ReadDataset(WriteNpz(arrays));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->train.values, (std::vector<float>{1, 2, 3, 4, 5, 6.5F}));
  EXPECT_EQ(set->train.targets, (std::vector<float>{-1, 0.5F, 9}));
  EXPECT_EQ(set->test.values, (std::vector<float>{7, 8}));
  EXPECT_TRUE(set->train.labels.empty());
  EXPECT_TRUE(set->train.pixels.empty());
  EXPECT_EQ(set->train.classes, 0);
  EXPECT_EQ(set->train.size(), 3u);
  EXPECT_EQ(set->train.height, 1);
  EXPECT_EQ(set->train.width, 2);
  const auto labels = ReadTrainingLabels(Path("set.npz"));
  EXPECT_EQ(labels->values, (Bytes{0, 0, 0}));
  EXPECT_EQ(labels->classes, 0);
}

template <class Number>
void ExpectLabels(const std::string& type, const std::function<std::string(std::string)>& write) {
  const auto set = ReadDataset(write(Npy<Number>(type, {2}, {Number(0), Number(127)})));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->train.labels, (Bytes{0, 127})) << type;
  EXPECT_EQ(set->train.classes, 128);
}

TEST_F(NumpySetTest, LabelsOfAnyWidth) {
  const auto write = [&](const std::string& labels) {
    Arrays arrays = SmallSet();
    arrays["y_train"] = labels;
    return WriteNpz(arrays);
  };
  ExpectLabels<std::uint8_t>("|u1", write);
  ExpectLabels<std::int8_t>("|i1", write);
  ExpectLabels<std::uint16_t>("<u2", write);
  ExpectLabels<std::int16_t>("<i2", write);
  ExpectLabels<std::uint32_t>("<u4", write);
  ExpectLabels<std::int32_t>("<i4", write);
  ExpectLabels<std::uint64_t>("<u8", write);
  ExpectLabels<std::int64_t>("<i8", write);
}

TEST_F(NumpySetTest, WrongTypes) {
  const Bytes four(4);
  const std::string wanted_x = "must be uint8 (pixels), float32 or float64";
  const std::string wanted_y = "must be whole numbers (labels), float32 or float64 (targets)";
  for (const auto& [type, words] :
       std::map<std::string, std::string>{{"<i8", "\"<i8\""},
                                          {">f4", "\">f4\" (big-endian float)"},
                                          {"|O", "\"|O\" (objects of Python)"},
                                          {"|b1", "\"|b1\" (true or false)"},
                                          {"<c8", "\"<c8\" (complex)"},
                                          {"<U4", "\"<U4\" (text)"},
                                          {"<f2", "\"<f2\" (float)"},
                                          {"", "\"\""}}) {
    ExpectError("x_train", Npy(type, {2, 2}, four), ": has the type " + words + ": " + wanted_x);
    if (type != "<i8") {
      ExpectError("y_train", Npy(type, {2}, four), ": has the type " + words + ": " + wanted_y);
    }
  }
}

TEST_F(NumpySetTest, WrongNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Arrays real = SmallSet();
  real["x_test"] = Npy<float>("<f4", {1, 2}, {5, 6});
  real["y_test"] = Npy<float>("<f4", {1}, {0});
  real["x_train"] = Npy<float>("<f4", {2, 2}, {1, 2, 3, 4});
  real["y_train"] = Npy<float>("<f4", {2}, {1, 2});
  ExpectError("x_train", Npy<float>("<f4", {2, 2}, {1, 2, 3, nan}),
              "[1, 1] = nan: must be finite, and at most 3.4e38", real);
  ExpectError("x_train", Npy<double>("<f8", {2, 2}, {1, -1e39, 3, 4}),
              "[0, 1] = -1e+39: must be finite, and at most 3.4e38", real);
  ExpectError("y_train", Npy<double>("<f8", {2}, {1, std::numeric_limits<double>::infinity()}),
              "[1] = inf: must be finite, and at most 3.4e38", real);
  ExpectError("y_train", Npy<std::int64_t>("<i8", {2}, {0, 256}),
              "[1] = 256: labels must be from 0 to 255");
  ExpectError("y_train", Npy<std::int8_t>("|i1", {2}, {-1, 0}),
              "[0] = -1: labels must be from 0 to 255");
  ExpectError("y_test", Npy<std::uint64_t>("<u8", {1}, {std::uint64_t{1} << 63}),
              "[0] = 9223372036854775808: labels must be from 0 to 255");
}

TEST_F(NumpySetTest, WrongShapes) {
  const Bytes four{1, 2, 3, 4};
  ExpectError("x_train", Npy("|u1", {4}, four),
              ": has the shape (4,): must be samples by features, by rows and columns, or by "
              "channels, rows and columns");
  ExpectError("x_train", Npy("|u1", {}, Bytes{1}),
              ": is one number: must have a dimension of samples");
  ExpectError(
      "x_train", Npy("|u1", {2, 2, 1, 1, 1}, four),
      ": has the shape (2, 2, 1, 1, 1): must be samples by features, by rows and columns, or "
      "by channels, rows and columns");
  ExpectError(
      "x_train", Npy("|u1", {2, 2, 1, 2}, Bytes(8)),
      ": has the shape (2, 2, 1, 2): of four dimensions, the second or the last must be 1 or "
      "3, the number of channels");
  ExpectError("x_train", Npy("|u1", {0, 1, 2}, Bytes{}),
              ": has the shape (0, 1, 2): each dimension must be >= 1");
  ExpectError("y_train", Npy("|u1", {2, 2}, four),
              ": has the shape (2, 2): must have one number for each sample");
  ExpectError("x_train", Npy("|u1", {1 << 20, 1 << 20}, four),
              ": has the shape (1048576, 1048576), more than 2147483648 bytes");
  ExpectError("x_train", Npy("|u1", {std::size_t{1} << 40, std::size_t{1} << 40}, four),
              ": has the shape (1099511627776, 1099511627776), more than 2147483648 bytes");
  ExpectError("x_train", Npy("|u1", {2, 1, 2}, Bytes{1, 2, 3}),
              ": has 3 bytes of numbers, expected 4 for the shape (2, 1, 2) of \"|u1\"");
  ExpectError("x_train", Npy("|u1", {2, 1, 2}, Bytes(5)),
              ": has 5 bytes of numbers, expected 4 for the shape (2, 1, 2) of \"|u1\"");
}

TEST_F(NumpySetTest, WrongFiles) {
  const std::string fortran = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1, 2), }\n";
  const auto with_header = [](const std::string& header) {
    return std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header + "1234";
  };
  ExpectError("x_train", with_header(fortran),
              ": is in Fortran order: must be in C order (numpy.ascontiguousarray makes it)");
  ExpectError("x_train",
              with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}\n"),
              ": has records of several fields: must have plain numbers");
  ExpectError("x_train", "\x80\x04\x95 a pickle", ": is not a NumPy array");
  ExpectError("x_train", std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f{", 13),
              ": claims a header of 2147483647 bytes: must be <= 65535");
  Arrays arrays = SmallSet();
  arrays.erase("y_test");
  EXPECT_EQ(ReadDataset(WriteNpz(arrays)).error().message,
            Path("set.npz") +
                ": has no array y_test: it has \"x_test.npy\", \"x_train.npy\", \"y_train.npy\"");
  EXPECT_EQ(ReadDataset(WriteFolder(arrays)).error().message,
            Path("folder/y_test.npy") + ": cannot open: No such file or directory");
  EXPECT_EQ(ReadDataset(Write("no.npz", "hello")).error().message,
            Path("no.npz") + ": is not a zip archive");
}

TEST_F(NumpySetTest, PartsThatDoNotAgree) {
  const std::string in = Path("set.npz") + ": ";
  const auto error_with = [&](const std::string& array, const std::string& bytes) {
    Arrays arrays = SmallSet();
    arrays[array] = bytes;
    return ReadDataset(WriteNpz(arrays)).error().message;
  };
  EXPECT_EQ(error_with("y_train", Npy<std::uint8_t>("|u1", {3}, {0, 1, 2})),
            in + "x_train: has 2 samples, expected 3, as many as " + in + "y_train has");
  EXPECT_EQ(error_with("x_test", Npy<std::uint8_t>("|u1", {1, 2, 1}, {5, 6})),
            in + "x_test: has samples of 2 x 1, expected 1 x 2, as " + in + "x_train has");
  EXPECT_EQ(error_with("x_test", Npy<std::uint8_t>("|u1", {1, 3, 1, 2}, Bytes(6))),
            in + "x_test: has samples of 3 x 1 x 2, expected 1 x 2, as " + in + "x_train has");
  EXPECT_EQ(error_with("x_test", Npy<float>("<f4", {1, 1, 2}, {5, 6})),
            in + "x_test: has the type \"<f4\", but " + in +
                "x_train \"|u1\": both must be pixels, or both values");
  EXPECT_EQ(error_with("y_test", Npy<float>("<f4", {1}, {5})),
            in + "y_test: has the type \"<f4\", but " + in +
                "y_train \"<i8\": both must be labels, or both targets");
}

// What is nearly right is read whole, or refused with a message that names the file.
TEST_F(NumpySetTest, MutationsAreReadOrRefused) {
  folder_ = base::FolderInMemory() + "/airlot_numpy_" + std::to_string(getpid());
  std::filesystem::create_directories(folder_);
  std::size_t read = 0, refused = 0;
  const auto check = [&](const std::string& path) {
    const auto set = ReadDataset(path);
    const auto labels = ReadTrainingLabels(path);
    if (!set) {
      ++refused;
      ASSERT_TRUE(set.error().message.starts_with(path)) << set.error().message;
      return;
    }
    ++read;
    ASSERT_TRUE(labels.ok()) << labels.error().message;
    ASSERT_EQ(labels->values.size(), set->train.size());
    for (const Images* images : {&set->train, &set->test}) {
      ASSERT_EQ(images->size() * images->PixelsPerImage(),
                images->pixels.size() + images->values.size());
      for (const std::uint8_t label : images->labels) ASSERT_LT(label, images->classes);
    }
  };
  const Arrays arrays = SmallSet();
  base::ForEachMutation(Npz({arrays.begin(), arrays.end()}), 1500,
                        [&](const std::string& bytes) { check(Write("set.npz", bytes)); });
  for (const auto& array : arrays) {
    WriteFolder(arrays);
    base::ForEachMutation(array.second, 500, [&](const std::string& bytes) {
      Write("folder/" + array.first + ".npy", bytes);
      check(Path("folder"));
    });
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 1500u);
}

}  // namespace
}  // namespace airlot::data
