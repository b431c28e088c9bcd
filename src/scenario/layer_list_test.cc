// These tests are of models that are lists of layers: how they are read and written, and what is
// said of wrong ones.
#include "scenario/layer_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "airlot/scenario.h"
#include "airlot/scenario_fleet.h"

namespace airlot {
namespace {

std::string ErrorOf(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto scenario = ParseScenario(text, "x.toml", overrides);
  return scenario.ok() ? "" : scenario.error().message;
}

std::string ListError(const std::string& layers) {
  return ErrorOf("[model]\nlayers = [" + layers + "]");
}

constexpr const char* kEveryKind = R"(
[model]
name = "every kind"
layers = [
  { kind = "convolution", channels = 8, kernel = 5, stride = 2, padding = "same", bias = false },
  { kind = "batch-norm" }, { kind = "relu" },
  { kind = "residual", layers = [
      { kind = "convolution", channels = 8, kernel = 3, padding = 1, groups = 2 },
      { kind = "group-norm", groups = 2 }
    ], shortcut = [{ kind = "relu" }] },
  { kind = "max-pool", size = 3, stride = 2 }, { kind = "average-pool", size = 2 },
  { kind = "flatten" }, { kind = "dense", units = 20 }, { kind = "dropout", share = 0.25 },
]
)";

std::vector<Layer> EveryKind() {
  return {Convolution{8, 5, 2, Convolution::kSame, 1, false},
          BatchNorm{},
          Relu{},
          Residual{{Convolution{8, 3, 1, 1, 2}, GroupNorm{2}}, {Relu{}}},
          MaxPool{3, 2},
          AveragePool{2},
          Flatten{},
          Dense{20},
          Dropout{0.25}};
}

TEST(LayerList, IsReadAndWritten) {
  const auto scenario = ParseScenario(kEveryKind, "x.toml");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_EQ(scenario->model.name, "every kind");
  EXPECT_EQ(*scenario->model.layers, EveryKind());
  const std::string written = FormatScenario(*scenario);
  EXPECT_NE(
      written.find("layers = [{ kind = \"convolution\", channels = 8, kernel = 5, stride = 2, "
                   "padding = \"same\", bias = false }, { kind = \"batch-norm\" }"),
      std::string::npos)
      << written;
  const auto again = ParseScenario(written, "again.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, *scenario);
}

// 8 * 25 + 2 * 8 + 8 * (4 * 9) + 8 + 2 * 8 of 14 x 14 pixels, pooled to 6 x 6 and 3 x 3, then 20
// (72
// + 1) + 10 (20 + 1).
TEST(LayerList, IsAModel) {
  const auto scenario = ParseScenario(kEveryKind, "x.toml");
  EXPECT_EQ(ParameterCount(ModelOf(scenario->model)), 200U + 16 + 288 + 8 + 16 + 1460 + 210);
  EXPECT_EQ(*ModelBits(scenario->model), 32 * 2198);
}

TEST(LayerList, DefaultsAreThoseOfTheLayers) {
  const auto scenario = ParseScenario(
      R"(model.layers = [{ kind = "max-pool" }, { kind = "average-pool" }, { kind = "dropout" },
                         { kind = "group-norm" }])",
      "x.toml");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_EQ(*scenario->model.layers,
            (std::vector<Layer>{MaxPool{}, AveragePool{}, Dropout{}, GroupNorm{}}));
  EXPECT_EQ(scenario->model.name, "own");
}

TEST(LayerList, MayBeEmpty) {
  const auto scenario = ParseScenario("[model]\nlayers = []", "x.toml");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_TRUE(scenario->model.layers->empty());
  EXPECT_EQ(*ParseScenario(FormatScenario(*scenario), "y.toml"), *scenario);
}

// What --set says stands instead of what the file says in the other way.
TEST(LayerList, OverridesTakeThePlaceOfTheFile) {
  const std::string layers = "model.layers=[{kind=\"dense\", units=5}]";
  const auto own = ParseScenario("[model]\nname = \"mlp\"", "x.toml", std::vector{layers});
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_EQ(own->model.name, "own");
  EXPECT_EQ(*own->model.layers, (std::vector<Layer>{Dense{5}}));
  const auto named =
      ParseScenario("", "x.toml", std::vector<std::string>{"model.name=small", layers});
  ASSERT_TRUE(named.ok()) << named.error().message;
  EXPECT_EQ(named->model.name, "small");
  const auto built_in =
      ParseScenario(kEveryKind, "x.toml", std::vector<std::string>{"model.name=lenet5"});
  ASSERT_TRUE(built_in.ok()) << built_in.error().message;
  EXPECT_FALSE(built_in->model.layers);
}

TEST(LayerList, WrongNames) {
  EXPECT_EQ(
      ErrorOf("[model]\nname = \"cnn\"\nlayers = []"),
      "x.toml:2: model.name = \"cnn\": is a built-in model: give model.layers another name, or "
      "leave them out");
}

TEST(LayerList, WrongKindsAndKeys) {
  EXPECT_EQ(ListError("{ kind = \"relu\" }, { kind = \"convolutoin\" }"),
            "x.toml:2: model.layers[2]: kind = \"convolutoin\": did you mean convolution?");
  EXPECT_EQ(
      ListError("{ kind = \"lstm\" }"),
      "x.toml:2: model.layers[1]: kind = \"lstm\": must be one of convolution, relu, max-pool, "
      "average-pool, flatten, dense, dropout, batch-norm, group-norm, residual, "
      "external");
  EXPECT_EQ(ListError("{ kind = 3 }").substr(0, 51),
            "x.toml:2: model.layers[1]: kind = 3: must be one of");
  EXPECT_EQ(ListError("{ units = 3 }").substr(0, 42), "x.toml:2: model.layers[1]: kind is missing");
  EXPECT_EQ(ListError("{ kind = \"convolution\", channels = 2, kernl = 3 }"),
            "x.toml:2: model.layers[1] (convolution): unknown key \"kernl\": did you mean kernel?");
  EXPECT_EQ(ListError("{ kind = \"convolution\", channels = 2 }"),
            "x.toml:2: model.layers[1] (convolution): kernel is missing");
  EXPECT_EQ(ListError("{ kind = \"relu\", size = 2 }"),
            "x.toml:2: model.layers[1] (relu): unknown key \"size\"");
}

TEST(LayerList, WrongValues) {
  EXPECT_EQ(ListError("{ kind = \"dense\", units = 2.5 }"),
            "x.toml:2: model.layers[1] (dense): units = 2.5: must be a whole number");
  EXPECT_EQ(ListError("{ kind = \"dense\", units = 1e12 }"),
            "x.toml:2: model.layers[1] (dense): units = 1e+12: must be at most 1e9");
  EXPECT_EQ(
      ListError("{ kind = \"convolution\", channels = 1, kernel = 3, padding = \"full\" }"),
      "x.toml:2: model.layers[1] (convolution): padding = \"full\": must be a whole number or "
      "\"same\"");
  EXPECT_EQ(ListError("{ kind = \"convolution\", channels = 1, kernel = 3, padding = -1 }"),
            "x.toml:2: model.layers[1] (convolution): padding = -1: must be >= 0");
  EXPECT_EQ(ListError("{ kind = \"convolution\", channels = 1, kernel = 3, bias = 1 }"),
            "x.toml:2: model.layers[1] (convolution): bias = 1: must be true or false");
  EXPECT_EQ(ListError("{ kind = \"dropout\", share = \"half\" }"),
            "x.toml:2: model.layers[1] (dropout): share = \"half\": must be a number");
  EXPECT_EQ(ListError("{ kind = \"convolution\", channels = 2, kernel = [3, 3] }"),
            "x.toml:2: model.layers[1] (convolution): kernel: must be a whole number");
  EXPECT_EQ(ListError("{ kind = \"residual\", layers = 3 }"),
            "x.toml:2: model.layers[1] (residual): layers = 3: must be a list of layers");
  EXPECT_EQ(
      ListError("{ kind = \"relu\" }, { kind = \"residual\", layers = [{ kind = \"dense\" }] }"),
      "x.toml:2: model.layers[2].layers[1] (dense): units is missing");
  EXPECT_EQ(
      ErrorOf("[model]\nlayers = 3"),
      "x.toml:2: model.layers = 3: must be a list of layers, [{ kind = \"dense\", units = 200 }, "
      "{ kind = \"relu\" }]");
  EXPECT_EQ(ErrorOf("", {"model.layers=[{kind=\"dens\"}]"}),
            "override model.layers[1]: kind = \"dens\": did you mean dense?");
}

// The images decide what fits.
TEST(LayerList, LayersThatDoNotFitAreAnError) {
  ModelChoice choice{.name = "mine"};
  choice.layers = {MaxPool{4}, Convolution{8, 9}};
  EXPECT_EQ(ModelBits(choice).error().message,
            "model.layers[2] (convolution): kernel = 9: larger than the 7 x 7 image that comes in "
            "(for images of 28 x 28 in 10 classes)");
  choice.layers = {};
  choice.layers.emplace();
  EXPECT_EQ(
      CheckModel(choice, {28, 28, 300, 3}).error().message,
      "model.layers: 300 classes: must be 2 to 256, or 0 to predict a number (for images of 28 "
      "x 28 in 3 channels and 300 classes)");
  EXPECT_EQ(
      CheckModel({.name = "cnn"}, {3, 5, 2}).error().message,
      "model.name = cnn: layers[3] (max-pool): size = 4: larger than the 3 x 5 image that comes "
      "in (for images of 3 x 5 in 2 classes)");
}

// What shows only with the images is told with the place of the list, as what shows when it is
// read.
TEST(LayerList, LayersThatDoNotFitAreToldWithTheirPlace) {
  const std::string layers = "layers = [{ kind = \"max-pool\", size = 40 }]";
  const auto message_of = [](const Result<Scenario>& scenario) {
    return CheckModel(scenario->model, {}).error().message;
  };
  const std::string rest =
      "[1] (max-pool): size = 40: larger than the 28 x 28 image that comes in (for images of 28 x "
      "28 in 10 classes)";
  const auto read = ParseScenario("[model]\n\n" + layers, "x.toml");
  EXPECT_EQ(message_of(read), "x.toml:3: model.layers" + rest);
  const auto set =
      ParseScenario("", "x.toml", std::vector<std::string>{"model." + layers}, "--set");
  EXPECT_EQ(message_of(set), "--set model.layers" + rest);
  EXPECT_EQ(*read, *ParseScenario("[model]\n" + layers, "x.toml"));
}

TEST(LayerList, AModelSaysWhatItIsChargedAs) {
  EXPECT_EQ(DescribeModel({.name = "cnn"}), "cnn");
  ModelChoice choice;
  choice.parameters = 11e6;
  EXPECT_EQ(DescribeModel(choice), "cnn (updates charged as 11000000 parameters)");
}

}  // namespace
}  // namespace airlot
