// The gradient of whole networks against finite differences of the losses of
// reference_network_for_tests.h.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/training.h"
#include "learning/reference_network_for_tests.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

// Single precision: sums of some hundred terms are off by 1e-6 of the size of the terms. Entries of
// a layer's gradient are such sums over samples and positions, so errors scale with its norm. An
// entry that is wrong or missing is off by 1e-3 of the norm and more.
constexpr double kTolerance = 1e-5;

// What a layer's parameters are of all: weights, then biases.
struct Range {
  std::size_t weights, biases, end;
};

std::vector<Range> RangesOf(const Model& model, const ImageShape& shape) {
  std::vector<Range> ranges;
  std::size_t begin = 0;
  int channels = 1, height = shape.height, width = shape.width;
  const auto add = [&](int outputs, int inputs_of_each) {
    const std::size_t biases = begin + std::size_t(outputs * inputs_of_each);
    ranges.push_back({begin, biases, biases + std::size_t(outputs)});
    begin = ranges.back().end;
    channels = outputs;
  };
  const auto add_dense = [&](int units) {
    add(units, channels * height * width);
    height = width = 1;
  };
  for (const Layer& layer : model.hidden) {
    if (const auto* convolution = std::get_if<Convolution>(&layer)) {
      add(convolution->channels, channels * convolution->kernel * convolution->kernel);
      height /= convolution->pool;
      width /= convolution->pool;
    } else {
      add_dense(std::get<Dense>(layer).units);
    }
  }
  add_dense(shape.classes);
  return ranges;
}

// A problem and what must come out, by the reference network.
struct Expected {
  struct Derivative {
    std::size_t parameter;
    double value;
  };
  struct Layer {
    Range range;
    std::vector<Derivative> derivatives;
  };
  double loss;
  std::vector<Layer> layers;
};

// Two parts: all samples but the last, and the last.
constexpr double kWeight = 1.5, kLastWeight = 0.4;

double ReferenceLoss(const ReferenceNetwork& network, const std::vector<double>& parameters,
                     const Images& images) {
  double loss = 0;
  const std::size_t first = images.size() - 1;
  for (std::size_t i = 0; i <= first; ++i) {
    const double weight = i < first ? kWeight / double(first) : kLastWeight;
    loss += weight * network.Loss(parameters, images.Image(i), images.labels[i]);
  }
  return loss;
}

// Central differences at some random weights and biases of each layer.
Expected ExpectedOf(const Model& model, const Images& images, const std::vector<float>& parameters,
                    std::size_t entries) {
  const ImageShape shape{images.height, images.width, images.classes};
  const ReferenceNetwork network(model, shape);
  std::vector<double> moved(parameters.begin(), parameters.end());
  const auto loss_at = [&](std::size_t i, double value) {
    const double before = std::exchange(moved[i], value);
    const double loss = ReferenceLoss(network, moved, images);
    moved[i] = before;
    return loss;
  };
  base::RandomStream stream = TestStream(40);
  Expected expected{ReferenceLoss(network, moved, images), {}};
  for (const Range& range : RangesOf(model, shape)) {
    expected.layers.push_back({range, {}});
    for (std::size_t n = 0; n < 2 * entries; ++n) {
      const std::size_t begin = n < entries ? range.weights : range.biases;
      const std::size_t end = n < entries ? range.biases : range.end;
      const std::size_t i = begin + stream.Below(end - begin);
      const double step = 1e-6, at = moved[i];
      expected.layers.back().derivatives.push_back(
          {i, (loss_at(i, at + step) - loss_at(i, at - step)) / (2 * step)});
    }
  }
  return expected;
}

double NormOf(const std::vector<float>& gradient, const Range& range) {
  double squares = 0;
  for (std::size_t i = range.weights; i < range.end; ++i) {
    squares += double(gradient[i]) * double(gradient[i]);
  }
  return std::sqrt(squares);
}

void ExpectGradient(const Model& model, const Images& images, const std::vector<float>& parameters,
                    const Expected& expected) {
  std::vector<std::uint32_t> samples(images.size());
  std::iota(samples.begin(), samples.end(), 0U);
  const std::vector<WeightedSamples> parts{
      {std::span(samples).first(samples.size() - 1), kWeight},
      {std::span(samples).last(1), kLastWeight},
  };
  ASSERT_EQ(expected.layers.back().range.end, parameters.size());
  std::vector<float> gradient(parameters.size(), std::nanf(""));
  const double loss = Trainer(model, images).Gradient(parameters, parts, gradient);
  ASSERT_NEAR(loss, expected.loss, 1e-6 * loss);
  for (const auto& [range, derivatives] : expected.layers) {
    const double norm = NormOf(gradient, range);
    ASSERT_GT(norm, 1e-3) << "nothing to compare";
    for (const auto& [parameter, value] : derivatives) {
      ASSERT_NEAR(double(gradient[parameter]), value, kTolerance * norm)
          << "parameter " << parameter << ", layer from " << range.weights;
    }
  }
}

// Small images of odd sizes, with and without a margin; not whole panels of them.
void ExpectGradientOnEveryTarget(const std::vector<Layer>& hidden) {
  const Model model{"test", hidden, ""};
  const ImageShape shape{9, 11, 3};
  const std::vector<float> parameters = InitialParameters(model, shape, 5);
  base::RandomStream stream = TestStream(41);
  for (const Box& box : {Box{0, 0, 9, 11}, Box{2, 3, 4, 5}, Box{0, 0, 1, 11}, Box{}}) {
    SCOPED_TRACE(::testing::Message() << "box of " << box.height << " x " << box.width);
    const Images images = DrawImages(18, shape, box, stream);
    const Expected expected = ExpectedOf(model, images, parameters, 4);
    OnEveryTarget([&] { ExpectGradient(model, images, parameters, expected); });
  }
}

TEST(Gradient, NoHiddenLayer) { ExpectGradientOnEveryTarget({}); }

TEST(Gradient, DenseLayers) {
  ExpectGradientOnEveryTarget({Dense{7}});
  ExpectGradientOnEveryTarget({Dense{19}, Dense{5}});
}

TEST(Gradient, Convolution) {
  int channels = 1;
  for (const int kernel : {1, 3, 5, 7}) {
    for (const int pool : {1, 2, 4}) {
      SCOPED_TRACE(::testing::Message() << "kernel " << kernel << ", pool " << pool);
      ExpectGradientOnEveryTarget({Convolution{++channels % 7 + 2, kernel, pool}});
    }
  }
}

TEST(Gradient, ConvolutionAndDense) {
  ExpectGradientOnEveryTarget({Convolution{4, 3, 2}, Dense{6}});
}

TEST(Gradient, ConvolutionBehindConvolution) {
  ExpectGradientOnEveryTarget({Convolution{3, 3, 2}, Convolution{4, 5, 2}});
  ExpectGradientOnEveryTarget({Convolution{2, 5, 1}, Convolution{7, 3, 3}, Dense{5}});
  ExpectGradientOnEveryTarget({Convolution{5, 1, 1}, Convolution{3, 7, 2}, Convolution{3, 3, 2}});
}

// With the margin of MNIST's digits, and without.
void ExpectBuiltIn(std::string_view name) {
  const Model& model = *FindModel(name);
  const std::vector<float> parameters = InitialParameters(model, {}, 5);
  base::RandomStream stream = TestStream(42);
  for (const Box& box : {Box{4, 4, 20, 20}, Box{0, 0, 28, 28}, Box{}}) {
    const Images images = DrawImages(3, {}, box, stream);
    ExpectGradient(model, images, parameters, ExpectedOf(model, images, parameters, 2));
  }
}

TEST(Gradient, Cnn) { ExpectBuiltIn("cnn"); }
TEST(Gradient, Mlp) { ExpectBuiltIn("mlp"); }

}  // namespace
}  // namespace airlot::learning
