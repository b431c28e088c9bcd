// These tests compare the built-in models, and every kind of layer, with PyTorch: loss and
// gradient.
//
// tests/data/layer_vectors.csv is written by tools/layer_vectors.py, which makes the same images
// and parameters by the same recipe and computes in float64. Tolerances are those of
// layer_tolerance_for_tests.h.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "airlot/training.h"
#include "learning/layer_tolerance_for_tests.h"
#include "learning/layers.h"
#include "learning/reference_network_for_tests.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

constexpr std::size_t kImages = 5;

std::uint64_t SplitMix(std::uint64_t n) {
  std::uint64_t z = (n + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Images ImagesOf(int channels, int side, bool is_regression) {
  Images images{.height = side, .width = side, .classes = is_regression ? 0 : 10};
  images.channels = channels;
  for (std::uint64_t i = 0; i < kImages; ++i) {
    for (std::size_t p = 0; p < images.PixelsPerImage(); ++p) {
      images.pixels.push_back(std::uint8_t(SplitMix((i << 32) + p) >> 56));
    }
    const std::uint64_t goal = SplitMix((1ULL << 62) + i) % 10;
    if (is_regression) {
      images.targets.push_back(float(goal));
    } else {
      images.labels.push_back(std::uint8_t(goal));
    }
  }
  return images;
}

std::vector<float> ParametersOf(const Model& model, const ImageShape& shape) {
  std::vector<float> values;
  std::uint64_t n = 1ULL << 61;
  for (const Step& step : StepsOf(model, shape)) {
    const bool is_norm = step.kind == StepKind::kNormalization;
    const double bound = is_norm ? 0.1 : 1 / std::sqrt(double(step.fan_in));
    for (std::size_t i = 0; i < step.weights + step.biases; ++i) {
      const double drawn = bound * (double(SplitMix(n++) >> 11) * 0x1p-52 - 1);
      values.push_back(float(drawn + (is_norm && i < step.weights ? 1 : 0)));
    }
  }
  return values;
}

std::map<std::size_t, double> Stored(const std::string& model, const std::string& quantity) {
  std::map<std::size_t, double> values;
  std::ifstream file("tests/data/layer_vectors.csv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name, kind, index, value;
    std::getline(fields, name, ',');
    std::getline(fields, kind, ',');
    std::getline(fields, index, ',');
    std::getline(fields, value, ',');
    if (name == model && kind == quantity) values[std::stoul(index)] = std::stod(value);
  }
  EXPECT_FALSE(values.empty()) << model << " " << quantity;
  return values;
}

// The reference network, in double, must have PyTorch's loss but for the order of sums.
double ReferenceLoss(const Model& model, const Images& images,
                     const std::vector<float>& parameters) {
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < kImages; ++i) {
    inputs.push_back(ReferenceNetwork::PixelsOf(images.Image(i)));
  }
  const std::vector<double> doubles(parameters.begin(), parameters.end());
  const auto outputs = ReferenceNetwork(model, ShapeOf(images)).Outputs(doubles, inputs);
  double loss = 0;
  for (std::size_t i = 0; i < kImages; ++i) {
    const double off = images.classes > 0 ? 0 : outputs[i][0] - double(images.targets[i]);
    loss +=
        (images.classes > 0 ? ReferenceNetwork::LossOf(outputs[i], images.labels[i]) : off * off) /
        double(kImages);
  }
  return loss;
}

void ExpectPyTorchs(const Model& model, const Images& images) {
  SCOPED_TRACE(model.name);
  const std::vector<float> parameters = ParametersOf(model, ShapeOf(images));
  const double stored_loss = Stored(model.name, "loss")[0];
  EXPECT_NEAR(ReferenceLoss(model, images, parameters), stored_loss, 1e-9 * stored_loss);
  const auto stored = Stored(model.name, "gradient");
  double squares = 0;
  for (const auto& [index, value] : stored) squares += value * value;
  const double typical = std::sqrt(squares / double(stored.size()));
  std::vector<std::uint32_t> samples(kImages);
  std::iota(samples.begin(), samples.end(), 0U);
  const WeightedSamples part{samples};
  const double tolerance = GradientTolerance(model, ShapeOf(images), kImages);
  ASSERT_LT(tolerance, kWrongShare);
  OnEveryTarget([&] {
    std::vector<float> gradient(parameters.size());
    const double loss = Trainer(model, images).Gradient(parameters, {&part, 1}, gradient);
    EXPECT_NEAR(loss, stored_loss, tolerance * stored_loss);
    for (const auto& [index, value] : stored) {
      ASSERT_LT(index, gradient.size());
      EXPECT_NEAR(double(gradient[index]), value, tolerance * (typical + std::abs(value))) << index;
    }
  });
}

TEST(LayerVectors, BuiltInModels) {
  for (const char* name : {"cnn", "mlp", "logistic", "lenet5", "cnn-mcmahan"}) {
    ExpectPyTorchs(*FindModel(name), ImagesOf(1, 28, false));
  }
  ExpectPyTorchs(*FindModel("resnet8"), ImagesOf(3, 32, false));
}

TEST(LayerVectors, EveryKind) {
  const Model model{
      "every-kind",
      {Convolution{8, 3, 2, 1, 2}, BatchNorm{}, Relu{},
       Residual{{Convolution{8, 3, 1, 1}, GroupNorm{4}}, {Convolution{8, 1, 1, 0, 1, false}}},
       MaxPool{3, 1}, Convolution{6, 2}, Relu{}, AveragePool{2, 1}, Flatten{}, Dense{12}, Relu{}},
      ""};
  ExpectPyTorchs(model, ImagesOf(4, 13, false));
}

TEST(LayerVectors, Regression) {
  ExpectPyTorchs({"regression", {Dense{8}, Relu{}}, ""}, ImagesOf(1, 6, true));
}

}  // namespace
}  // namespace airlot::learning
