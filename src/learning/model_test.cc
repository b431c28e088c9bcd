#include "airlot/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "learning/models_for_tests.h"

namespace airlot {
namespace {

std::string ErrorOf(const std::vector<Layer>& layers, const ImageShape& shape = {}) {
  const auto status = Validate({"test", layers, ""}, shape);
  return status.ok() ? "" : status.error().message;
}

TEST(Model, BuiltInModelsAreFoundByName) {
  ASSERT_EQ(Models().size(), 6);
  for (const Model& model : Models()) {
    EXPECT_EQ(FindModel(model.name), &model);
    EXPECT_TRUE(Validate(model, {}).ok());
  }
  EXPECT_EQ(FindModel("cnn"), &Models()[0]);
  EXPECT_EQ(FindModel("mlp"), &Models()[1]);
  EXPECT_EQ(FindModel("resnet"), nullptr);
  for (const Model& model : Models()) {
    for (const ImageShape& shape : {ImageShape{32, 32, 100, 3}, ImageShape{64, 48, 0, 3}}) {
      EXPECT_TRUE(Validate(model, shape).ok()) << model.name;
    }
  }
}

// The cnn has 20 (49 + 1) + 200 (20 * 7 * 7 + 1) + 10 (200 + 1) parameters, because pooling by 4
// leaves 7 x 7 of 28 x 28. The mlp has 200 (784 + 1) + 200 (200 + 1) + 10 (200 + 1).
TEST(Model, ParameterCount) {
  EXPECT_EQ(ParameterCount(*FindModel("cnn")), 199210);
  EXPECT_EQ(ParameterCount(*FindModel("mlp")), 199210);
  // The layers have 3 * 9 + 3, then 4 * (3 * 9) + 4 of 4 x 5 pixels, pooled to 2 x 2, then 2 * (4 *
  // 4) + 2 parameters.
  const Model two{"two", learning::Hidden({learning::Pooled{3, 3, 2}, learning::Pooled{4, 3, 2}}),
                  ""};
  EXPECT_EQ(ParameterCount(two, {9, 11, 2}), 30 + 112 + 34);
  EXPECT_EQ(ParameterCount({"none", {}, ""}, {2, 3, 4}), 4 * 6 + 4);
}

// LeNet-5 has 6 (25 + 1) + 16 (150 + 1) + 120 (400 + 1) + 84 (120 + 1) + 10 (84 + 1) parameters.
// McMahan et al. count 1 663 370. ResNet-8 has 432 + 32 of the first layer, 2 (2304 + 32), 4608 +
// 9216 + 512 + 3 * 64, 18432 + 36864 + 2048 + 3 * 128 of its blocks, and 10 (64 + 1).
TEST(Model, ParametersOfTheBuiltInModels) {
  EXPECT_EQ(ParameterCount(*FindModel("logistic")), 7850U);
  EXPECT_EQ(ParameterCount(*FindModel("lenet5")), 61706U);
  EXPECT_EQ(ParameterCount(*FindModel("cnn-mcmahan")), 1663370U);
  EXPECT_EQ(ParameterCount(*FindModel("resnet8"), {32, 32, 10, 3}),
            464U + 4672 + 14528 + 57728 + 650);
}

TEST(Model, ValidateAcceptsTheLimits) {
  EXPECT_EQ(ErrorOf({}), "");
  EXPECT_EQ(ErrorOf({}, {1, 1, 2}), "");
  EXPECT_EQ(ErrorOf({}, {1, 1, 0}), "");
  EXPECT_EQ(ErrorOf({}, {1, 1, 256}), "");
  EXPECT_EQ(ErrorOf({Convolution{1, 28}, MaxPool{1}, AveragePool{1}, AveragePool{}}), "");
  EXPECT_EQ(ErrorOf({Convolution{.channels = 1, .kernel = 30, .padding = 1}}), "");
  EXPECT_EQ(ErrorOf({Dropout{0}, Dense{4}, GroupNorm{4}, BatchNorm{}, Relu{}, Flatten{}}), "");
  EXPECT_EQ(ErrorOf({Convolution{.channels = 6, .kernel = 1},
                     Convolution{.channels = 4, .kernel = 2, .stride = 3, .groups = 2},
                     Residual{{Relu{}}, {}}}),
            "");
}

TEST(Model, ValidateSaysWhatIsWrongWithImages) {
  EXPECT_EQ(ErrorOf({}, {0, 28, 10}), "images of 0 x 28 in 1 channel: must be at least 1 x 1 in 1");
  EXPECT_EQ(ErrorOf({}, {28, 28, 10, 0}),
            "images of 28 x 28 in 0 channels: must be at least 1 x 1 in 1");
  EXPECT_EQ(ErrorOf({}, {28, 28, 1}), "1 classes: must be 2 to 256, or 0 to predict a number");
  EXPECT_EQ(ErrorOf({}, {28, 28, 257}), "257 classes: must be 2 to 256, or 0 to predict a number");
  EXPECT_EQ(ErrorOf({}, {1 << 11, 1 << 10, 2, 2}),
            "images of 2048 x 1024 in 2 channels: must have at most 2097152 numbers");
}

TEST(Model, ValidateSaysWhatIsWrongWithAConvolution) {
  const auto error = [](const Convolution& layer) {
    return ErrorOf({Convolution{6, 1}, layer}, {7, 9, 10});
  };
  const std::string place = "layers[2] (convolution): ";
  EXPECT_EQ(error({0, 3}), place + "channels = 0: must be >= 1");
  EXPECT_EQ(error({65537, 3}), place + "channels = 65537: must be <= 65536");
  EXPECT_EQ(error({1, 0}), place + "kernel = 0: must be >= 1");
  EXPECT_EQ(error({1, 9}), place + "kernel = 9: larger than the 7 x 9 image that comes in");
  EXPECT_EQ(error({1, 10, 1, 1}),
            place + "kernel = 10: larger than the 7 x 9 image that comes in with a padding of 1");
  EXPECT_EQ(error({1, 3, 0}), place + "stride = 0: must be >= 1");
  EXPECT_EQ(error({1, 3, 1, 3}), place + "padding = 3: must be <= 2");
  EXPECT_EQ(error({1, 3, 1, -2}), place + "padding = -2: must be >= 0");
  EXPECT_EQ(error({1, 2, 1, Convolution::kSame}),
            place + "padding = \"same\": needs an odd kernel, not 2");
  EXPECT_EQ(error({4, 3, 1, 0, 0}), place + "groups = 0: must be >= 1");
  for (const int channels : {4, 8}) {
    EXPECT_EQ(error({channels, 3, 1, 0, channels}),
              place + "groups = " + std::to_string(channels) +
                  ": must divide the 6 channels that come in and the " + std::to_string(channels) +
                  " that go out");
  }
  EXPECT_EQ(ErrorOf({Dense{3}, Convolution{1, 3}}),
            place + "needs an image, and none is left behind a dense layer or flatten");
}

TEST(Model, ValidateSaysWhatIsWrongWithOtherLayers) {
  EXPECT_EQ(ErrorOf({Dense{3}, Dense{0}}), "layers[2] (dense): units = 0: must be >= 1");
  EXPECT_EQ(ErrorOf({MaxPool{0}}), "layers[1] (max-pool): size = 0: must be >= 1");
  EXPECT_EQ(ErrorOf({MaxPool{2, -1}}), "layers[1] (max-pool): stride = -1: must be >= 0");
  EXPECT_EQ(ErrorOf({Relu{}, MaxPool{4}}, {9, 3, 2}),
            "layers[2] (max-pool): size = 4: larger than the 9 x 3 image that comes in");
  EXPECT_EQ(ErrorOf({AveragePool{3}, AveragePool{4}}, {9, 30, 2}),
            "layers[2] (average-pool): size = 4: larger than the 3 x 10 image that comes in");
  EXPECT_EQ(
      ErrorOf({AveragePool{0, 2}}),
      "layers[1] (average-pool): stride = 2: the whole image is one window: give a size, too");
  EXPECT_EQ(ErrorOf({Flatten{}, MaxPool{2}}),
            "layers[2] (max-pool): needs an image, and none is left behind a dense layer or "
            "flatten");
  EXPECT_EQ(ErrorOf({Dropout{1}}), "layers[1] (dropout): share = 1: must be >= 0 and < 1");
  EXPECT_EQ(ErrorOf({Dense{6}, GroupNorm{4}}),
            "layers[2] (group-norm): groups = 4: must divide the 6 channels that come in");
  EXPECT_EQ(ErrorOf({GroupNorm{2}}),
            "layers[1] (group-norm): groups = 2: must divide the 1 channel that comes in");
  EXPECT_EQ(
      ErrorOf({Convolution{.channels = 1, .kernel = 3, .groups = 2}}),
      "layers[1] (convolution): groups = 2: must divide the 1 channel that comes in and the 1 "
      "that goes out");
  EXPECT_EQ(ErrorOf({GroupNorm{0}}), "layers[1] (group-norm): groups = 0: must be >= 1");
}

TEST(Model, ValidateSaysWhatIsWrongWithAResidual) {
  EXPECT_EQ(ErrorOf({Residual{}}), "layers[1] (residual): layers = []: must have a layer");
  EXPECT_EQ(ErrorOf({Residual{{Convolution{4, 3, 2, 1}}, {}}}, {9, 9, 2}),
            "layers[1] (residual): layers make 4 x 5 x 5 (channels, rows, columns) and what comes "
            "in is 1 x 9 x 9: both must be the same");
  EXPECT_EQ(ErrorOf({Residual{{Relu{}}, {Convolution{4, 1}}}}, {9, 9, 2}),
            "layers[1] (residual): layers make 1 x 9 x 9 (channels, rows, columns) and shortcut "
            "makes 4 x 9 x 9: both must be the same");
  EXPECT_EQ(ErrorOf({Relu{}, Residual{{Relu{}, Dense{-1}}, {}}}),
            "layers[2].layers[2] (dense): units = -1: must be >= 1");
  EXPECT_EQ(ErrorOf({Residual{{Relu{}}, {Residual{{MaxPool{99}}, {}}}}}),
            "layers[1].shortcut[1].layers[1] (max-pool): size = 99: larger than the 28 x 28 image "
            "that comes in");
}

// A slip of some zeros is told, and not tried out.
TEST(Model, ValidateBoundsTheSize) {
  EXPECT_EQ(ErrorOf({Relu{}, Dense{1 << 20}}),
            "layers[2] (dense): the model comes to 823132160 parameters: must be at most 67108864");
  EXPECT_EQ(ErrorOf({Convolution{3000, 1}}),
            "layers[1] (convolution): the model comes to 2352000 numbers between its layers for "
            "each image: must be at most 2097152");
  EXPECT_EQ(ErrorOf({Convolution{1, 257, 1, 256}}),
            "layers[1] (convolution): kernel = 257: must be <= 256");
  // A kernel of 201 covers 41 356 pixels along a side of 256, which is 256 * 201 without the
  // padding.
  const int same = Convolution::kSame;
  EXPECT_EQ(ErrorOf({Relu{}, Convolution{1, 201, 1, same}}, {256, 256, 10}),
            "layers[2] (convolution): the convolutions of the model come to 1710318736 pairs of a "
            "pixel and a place of the kernel that covers it: must be at most 16777216");
  // One of 8 meets each of 512 * 512 pixels at all of its places, which makes 2^24 pairs. The fused
  // kernels list none.
  const Convolution just_fits{1, 8, 1, 7};
  EXPECT_EQ(ErrorOf({just_fits}, {512, 512, 10}), "");
  EXPECT_EQ(ErrorOf({Convolution{1, 3, 1, same}, Relu{}, MaxPool{2}, just_fits}, {1024, 1024, 10}),
            "");
  EXPECT_EQ(ErrorOf({just_fits, Convolution{1, 1}}, {512, 512, 10}),
            "layers[2] (convolution): the convolutions of the model come to 17046577 pairs of a "
            "pixel and a place of the kernel that covers it: must be at most 16777216");
  EXPECT_EQ(
      ErrorOf({Dense{80000}}, {28, 28, 100}),
      "with its last layer, the model comes to 70800100 parameters: must be at most 67108864");
}

TEST(Model, AnExternalModelIsAllOfAList) {
  const Model external{.name = "own", .layers = {External{7}}};
  EXPECT_TRUE(IsExternal(external));
  EXPECT_FALSE(IsExternal(*FindModel("mlp")));
  EXPECT_TRUE(Validate(external, ImageShape{}));
  EXPECT_EQ(ParameterCount(external), 7U);
  EXPECT_EQ(InitialParameters(external, {}, 1), std::vector<float>(7));
  EXPECT_EQ(ErrorOf({External{0}}), "layers[1] (external): parameters = 0: must be >= 1");
  EXPECT_EQ(ErrorOf({External{1 << 27}}),
            "layers[1] (external): parameters = 134217728: must be <= 67108864");
  EXPECT_EQ(ErrorOf({Relu{}, External{7}}),
            "layers[2] (external): stands alone: a backend of your own trains the whole model");
}

TEST(Model, BatchNormIsFoundInside) {
  EXPECT_FALSE(HasBatchNorm(*FindModel("resnet8")));
  EXPECT_TRUE(HasBatchNorm({"", {Relu{}, BatchNorm{}}, ""}));
  EXPECT_TRUE(HasBatchNorm({"", {Residual{{Relu{}}, {Residual{{BatchNorm{}}, {}}}}}, ""}));
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
  const auto shallow =
      InitialParameters({"", learning::Hidden({learning::Units{5}}), ""}, shape, 3);
  const auto deep = InitialParameters(
      {"", learning::Hidden({learning::Units{5}, learning::Units{4}}), ""}, shape, 3);
  EXPECT_TRUE(std::equal(shallow.begin(), shallow.begin() + per_unit * 5, deep.begin()));
  const auto pooled = InitialParameters(
      {"", learning::Hidden({learning::Pooled{9, 3, 2}, learning::Units{4}}), ""}, shape, 3);
  const auto wide = InitialParameters(
      {"", learning::Hidden({learning::Units{81}, learning::Units{4}}), ""}, shape, 3);
  EXPECT_TRUE(std::equal(pooled.begin() + 90, pooled.end(), wide.begin() + per_unit * 81));
  EXPECT_NE(deep.front(), deep.begin()[per_unit * 5]);
}

}  // namespace
}  // namespace airlot
