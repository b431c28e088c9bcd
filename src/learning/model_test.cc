#include "airlot/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace airlot {
namespace {

std::string ErrorOf(const std::vector<Layer>& hidden, const ImageShape& shape = {}) {
  const auto status = Validate({"test", hidden, ""}, shape);
  return status.ok() ? "" : status.error().message;
}

TEST(Model, BuiltInModelsAreFoundByName) {
  ASSERT_EQ(Models().size(), 2);
  for (const Model& model : Models()) {
    EXPECT_EQ(FindModel(model.name), &model);
    EXPECT_TRUE(Validate(model, {}).ok());
  }
  EXPECT_EQ(FindModel("cnn"), &Models()[0]);
  EXPECT_EQ(FindModel("mlp"), &Models()[1]);
  EXPECT_EQ(FindModel("resnet"), nullptr);
}

// The cnn has 20 (49 + 1) + 200 (20 * 7 * 7 + 1) + 10 (200 + 1) parameters, because pooling by 4
// leaves 7 x 7 of 28 x 28. The mlp has 200 (784 + 1) + 200 (200 + 1) + 10 (200 + 1).
TEST(Model, ParameterCount) {
  EXPECT_EQ(ParameterCount(*FindModel("cnn")), 199210);
  EXPECT_EQ(ParameterCount(*FindModel("mlp")), 199210);
  // The layers have 3 * 9 + 3, then 4 * (3 * 9) + 4 of 4 x 5 pixels, pooled to 2 x 2, then 2 * (4 *
  // 4) + 2 parameters.
  const Model two{"two", {Convolution{3, 3, 2}, Convolution{4, 3, 2}}, ""};
  EXPECT_EQ(ParameterCount(two, {9, 11, 2}), 30 + 112 + 34);
  EXPECT_EQ(ParameterCount({"none", {}, ""}, {2, 3, 4}), 4 * 6 + 4);
}

TEST(Model, ValidateAcceptsTheLimits) {
  EXPECT_EQ(ErrorOf({}), "");
  EXPECT_EQ(ErrorOf({}, {1, 1, 2}), "");
  EXPECT_EQ(ErrorOf({Convolution{1, 7, 15}}), "");
  EXPECT_EQ(ErrorOf({Convolution{1, 1, 1}, Convolution{1, 3, 7}, Convolution{1, 5, 4}, Dense{1}}),
            "");
}

TEST(Model, ValidateSaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf({}, {0, 28, 10}), "images of 0 x 28: must be at least 1 x 1");
  EXPECT_EQ(ErrorOf({}, {28, -1, 10}), "images of 28 x -1: must be at least 1 x 1");
  EXPECT_EQ(ErrorOf({}, {28, 28, 1}), "1 classes: must be >= 2");
  EXPECT_EQ(ErrorOf({Convolution{0, 3, 1}}), "test: layer 1: 0 channels: must be >= 1");
  for (const int kernel : {-1, 0, 2, 4, 6, 8, 9}) {
    EXPECT_EQ(ErrorOf({Convolution{1, kernel, 1}}),
              "test: layer 1: a kernel of " + std::to_string(kernel) + ": must be 1, 3, 5 or 7");
  }
  EXPECT_EQ(ErrorOf({Convolution{1, 3, 0}}), "test: layer 1: pooling by 0: must be from 1 to 15");
  EXPECT_EQ(ErrorOf({Convolution{1, 3, 16}}), "test: layer 1: pooling by 16: must be from 1 to 15");
  EXPECT_EQ(ErrorOf({Dense{3}, Dense{0}}), "test: layer 2: 0 units: must be >= 1");
  EXPECT_EQ(ErrorOf({Dense{3}, Convolution{1, 3, 1}}),
            "test: layer 2: a convolution cannot follow a dense layer");
}

// What is left of the image decides how far pooling may go, rows and columns alike.
TEST(Model, PoolingHasToFit) {
  EXPECT_EQ(ErrorOf({Convolution{1, 3, 4}}, {9, 3, 2}),
            "test: layer 1: pooling by 4: must be from 1 to 3");
  EXPECT_EQ(ErrorOf({Convolution{1, 3, 4}}, {3, 9, 2}),
            "test: layer 1: pooling by 4: must be from 1 to 3");
  EXPECT_EQ(ErrorOf({Convolution{1, 3, 4}, Convolution{1, 3, 3}}, {11, 20, 2}),
            "test: layer 2: pooling by 3: must be from 1 to 2");
}

// Parameters are uniform up to 1 / sqrt(inputs) in every layer: the bounds are nearly reached, and
// the mean and the mean square are within five standard deviations.
TEST(Model, InitialParameters) {
  const std::vector<float> parameters = InitialParameters(*FindModel("cnn"), {}, 7);
  ASSERT_EQ(parameters.size(), 199210);
  struct LayerRange {
    std::size_t begin, end;
    double inputs;
  };
  for (const auto& [begin, end, inputs] :
       {LayerRange{0, 1000, 49}, {1000, 197200, 980}, {197200, 199210, 200}}) {
    const double bound = 1 / std::sqrt(inputs), count = double(end - begin);
    double largest = 0, sum = 0, squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double scaled = double(parameters[i]) / bound;
      largest = std::max(largest, std::abs(scaled));
      sum += scaled;
      squares += scaled * scaled;
    }
    EXPECT_LE(largest, 1 + 1.001 * 0x1p-24);  // a parameter is rounded to a float
    EXPECT_GT(largest, 0.99);
    EXPECT_NEAR(sum / count, 0, 5 * std::sqrt(1 / 3.0 / count));
    EXPECT_NEAR(squares / count, 1 / 3.0, 5 * std::sqrt(4 / 45.0 / count));
  }
}

TEST(Model, SeedsDecideTheInitialParameters) {
  const Model& model = *FindModel("mlp");
  EXPECT_EQ(InitialParameters(model, {}, 1), InitialParameters(model, {}, 1));
  const std::vector<float> one = InitialParameters(model, {}, 1);
  const std::vector<float> two = InitialParameters(model, {}, 2);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < one.size(); ++i) equal += one[i] == two[i] ? 1 : 0;
  EXPECT_LT(equal, one.size() / 1000);
}

// Layers draw from streams of their own, so that later layers do not shift earlier ones, nor does a
// first layer of another size shift the second.
TEST(Model, LayersDrawOnTheirOwn) {
  const ImageShape shape{6, 6, 2};
  const std::ptrdiff_t per_unit = 36 + 1;
  const auto shallow = InitialParameters({"", {Dense{5}}, ""}, shape, 3);
  const auto deep = InitialParameters({"", {Dense{5}, Dense{4}}, ""}, shape, 3);
  EXPECT_TRUE(std::equal(shallow.begin(), shallow.begin() + per_unit * 5, deep.begin()));
  const auto pooled = InitialParameters({"", {Convolution{9, 3, 2}, Dense{4}}, ""}, shape, 3);
  const auto wide = InitialParameters({"", {Dense{81}, Dense{4}}, ""}, shape, 3);
  EXPECT_TRUE(std::equal(pooled.begin() + 90, pooled.end(), wide.begin() + per_unit * 81));
  EXPECT_NE(deep.front(), deep.begin()[per_unit * 5]);
}

}  // namespace
}  // namespace airlot
