// Parameters come back from a file; arrays that are not the model's are refused.
#include "airlot/model_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/mutations_for_tests.h"
#include "data/npz.h"
#include "learning/models_for_tests.h"

namespace airlot {
namespace {

using data::NamedArray;

// The layers have 3 * 9 + 3, then 5 * (3 * 4 * 5) + 5, then 2 * 5 + 2 parameters.
const Model kSmall{"small", learning::Hidden({learning::Pooled{3, 3, 2}, learning::Units{5}}), ""};
constexpr ImageShape kImages{9, 11, 2};
constexpr std::string_view kDescribed = "model small for images of 9 x 11 in 2 classes";

class ModelFileTest : public testing::Test {
 protected:
  ModelFileTest()
      : path_(base::FolderInMemory() + "/airlot_model_" + std::to_string(getpid()) + ".npz"),
        parameters_(ParameterCount(kSmall, kImages)) {
    std::iota(parameters_.begin(), parameters_.end(), -7.5F);
    EXPECT_TRUE(WriteModel(path_, kSmall, kImages, parameters_).ok());
    arrays_ = *data::DecodeNpz(*base::ReadWhole(path_, 1 << 20));
  }
  ~ModelFileTest() override { std::filesystem::remove(path_); }

  // Returns what reading says of the arrays, without the file.
  std::string ErrorOf(const std::vector<NamedArray>& arrays) const {
    EXPECT_TRUE(base::WriteWhole(path_, *data::EncodeNpz(arrays)).ok());
    const auto read = ReadModel(path_, kSmall, kImages);
    if (read) return "";
    EXPECT_EQ(read.error().message.find(path_ + ": "), 0u) << read.error().message;
    return read.error().message.substr(path_.size() + 2);
  }

  std::string path_;
  std::vector<float> parameters_;
  std::vector<NamedArray> arrays_;
};

TEST_F(ModelFileTest, HasAnArrayForTheWeightsAndBiasesOfEachLayer) {
  const std::vector<std::pair<std::string, std::vector<std::size_t>>> wanted{
      {"conv1.weight", {3, 1, 3, 3}}, {"conv1.bias", {3}},
      {"fc1.weight", {5, 3 * 4 * 5}}, {"fc1.bias", {5}},
      {"fc2.weight", {2, 5}},         {"fc2.bias", {2}}};
  ASSERT_EQ(arrays_.size(), wanted.size());
  std::vector<float> all;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(arrays_[i].name, wanted[i].first);
    EXPECT_EQ(arrays_[i].shape, wanted[i].second);
    all.insert(all.end(), arrays_[i].values.begin(), arrays_[i].values.end());
  }
  EXPECT_EQ(all, parameters_);
}

TEST_F(ModelFileTest, ParametersComeBackFromArraysInAnyOrder) {
  EXPECT_EQ(*ReadModel(path_, kSmall, kImages), parameters_);
  std::swap(arrays_[0], arrays_[5]);
  EXPECT_EQ(ErrorOf(arrays_), "");
  EXPECT_EQ(*ReadModel(path_, kSmall, kImages), parameters_);
}

TEST_F(ModelFileTest, SaysWhatIsWrong) {
  const std::string described(kDescribed);
  auto arrays = arrays_;
  arrays[2].shape = {3 * 4 * 5, 5};
  EXPECT_EQ(ErrorOf(arrays), "fc1.weight: has the shape (60, 5): " + described + " needs (5, 60)");
  arrays = arrays_;
  arrays.erase(arrays.begin() + 3);
  EXPECT_EQ(ErrorOf(arrays), "lacks fc1.bias of " + described);
  arrays = arrays_;
  arrays[3].name = "fc9.bias";
  EXPECT_EQ(ErrorOf(arrays), "holds \"fc9.bias\": " + described +
                                 " has conv1.weight, conv1.bias, fc1.weight, fc1.bias, fc2.weight, "
                                 "fc2.bias");
  arrays = arrays_;
  arrays[4].values[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ErrorOf(arrays), "fc2.weight: its number 3 is nan: must be finite");
  arrays[4].values[2] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(ErrorOf(arrays), "fc2.weight: its number 3 is -inf: must be finite");
  ASSERT_TRUE(base::WriteWhole(path_, "hello").ok());
  EXPECT_EQ(ReadModel(path_, kSmall, kImages).error().message, path_ + ": is not a zip archive");
  EXPECT_EQ(ReadModel(path_ + "x", kSmall, kImages).error().message,
            path_ + "x: cannot open: No such file or directory");
}

TEST_F(ModelFileTest, MutationsAreReadOrRefused) {
  const std::string bytes = *base::ReadWhole(path_, 1 << 20);
  std::size_t refused = 0;
  base::ForEachMutation(bytes, 500, [&](const std::string& mutated) {
    std::ofstream(path_, std::ios::binary) << mutated;
    const auto read = ReadModel(path_, kSmall, kImages);
    if (read) {
      ASSERT_EQ(read->size(), parameters_.size());
      return;
    }
    ++refused;
    ASSERT_EQ(read.error().message.find(path_ + ": "), 0u) << read.error().message;
  });
  EXPECT_GT(refused, 250u);
}

}  // namespace
}  // namespace airlot
