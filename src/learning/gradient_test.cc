// These tests compare some entries of the gradient of whole networks with finite differences of the
// losses of reference_network_for_tests.h, and all of them with rounded_network_for_tests.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/training.h"
#include "learning/models_for_tests.h"
#include "learning/reference_network_for_tests.h"
#include "learning/rounded_network_for_tests.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

// Bounds that were larger than this share of the layer's gradient would let wrong entries pass.
constexpr double kWrong = 0.02;

// A Range says which of all parameters are a layer's: its weights, then its biases.
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
  for (const auto& layer : FusedOf(model)) {
    if (const auto* pooled = std::get_if<Pooled>(&layer)) {
      add(pooled->channels, channels * pooled->kernel * pooled->kernel);
      height /= pooled->pool;
      width /= pooled->pool;
    } else {
      add_dense(std::get<Units>(layer).units);
    }
  }
  add_dense(shape.classes);
  return ranges;
}

// Expected has what must come out, by the reference network and by the rounded one.
struct Expected {
  struct Derivative {
    std::size_t parameter;
    Bounded slope;  // by differences
  };
  struct Layer {
    Range range;
    std::vector<Derivative> derivatives;
  };
  double loss = 0;
  std::vector<Layer> layers;
  RoundedNetwork::LossAndGradient rounded;
};

// These are the weights of two parts, of all samples but the last, and of the last.
constexpr double kWeight = 1.5, kLastWeight = 0.4;

std::vector<std::uint32_t> AllSamples(const Images& images) {
  std::vector<std::uint32_t> samples(images.size());
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

std::vector<WeightedSamples> PartsOf(std::span<const std::uint32_t> samples) {
  return {{samples.first(samples.size() - 1), kWeight}, {samples.last(1), kLastWeight}};
}

double WeightOf(std::size_t i, std::size_t samples) {
  return i + 1 < samples ? kWeight / double(samples - 1) : kLastWeight;
}

// A Point has what the reference network gives for some parameters: the loss of all samples, their
// logits, and where those come from.
struct Point {
  double loss = 0;
  std::vector<std::vector<double>> logits;
  std::vector<std::ptrdiff_t> pattern;
};

Point PointAt(const ReferenceNetwork& network, const std::vector<double>& parameters,
              const Images& images) {
  Point point;
  for (std::size_t i = 0; i < images.size(); ++i) {
    point.logits.push_back(network.Logits(parameters, images.Image(i), &point.pattern));
    point.loss += WeightOf(i, images.size()) *
                  ReferenceNetwork::LossOf(point.logits.back(), images.labels[i]);
  }
  return point;
}

// The step is a power of 2, so that a float plus or minus the step is exact in double.
constexpr double kStep = 0x1p-18;

// Returns the slope between two points a step to both sides, and its error. Both have the same
// pattern, so in between the logits z_k are linear in the parameter, and the third derivative of a
// sample's loss is the third central moment of dz_k/dw under its softmax. That is at most
// R^3/(6 sqrt 3), where R is the range of dz_k/dw. The central difference is off by step^2/6 of
// that, and by the rounding of the two losses, each at most `loss_error`, divided by the step.
Bounded SlopeBetween(const Point& low, const Point& high, double loss_error) {
  Bounded slope{(high.loss - low.loss) / (2 * kStep), loss_error / kStep};
  const std::size_t samples = low.logits.size();
  for (std::size_t i = 0; i < samples; ++i) {
    double least = INFINITY, most = -INFINITY;
    for (std::size_t k = 0; k < low.logits[i].size(); ++k) {
      const double rise = (high.logits[i][k] - low.logits[i][k]) / (2 * kStep);
      least = std::min(least, rise);
      most = std::max(most, rise);
    }
    const double third = std::pow(most - least, 3) / (6 * std::sqrt(3.0));
    slope.error += WeightOf(i, samples) * third * kStep * kStep / 6;
  }
  return slope;
}

// Returns how far rounding may move the reference's loss, which is that of a network in double. The
// parameters in use are off the floats by a step at the most, which a factor of 2 covers.
double ReferenceLossError(const Model& model, const Images& images,
                          const std::vector<float>& parameters) {
  const RoundedNetwork network(model, ShapeOf(images), 0x1p-53);
  BoundedSum sum;
  for (std::size_t i = 0; i < images.size(); ++i) {
    sum.AddProduct({WeightOf(i, images.size())},
                   network.Loss(parameters, images.Image(i), images.labels[i]));
  }
  return 2 * sum.Rounded(double(images.size() + 1), 0x1p-53).error;
}

// Central differences at some random weights and biases of each layer, where no step passes a kink.
Expected ExpectedOf(const Model& model, const Images& images, const std::vector<float>& parameters,
                    std::size_t entries) {
  const ReferenceNetwork network(model, ShapeOf(images));
  const double loss_error = ReferenceLossError(model, images, parameters);
  std::vector<double> moved(parameters.begin(), parameters.end());
  const auto point_at = [&](std::size_t i, double value) {
    const double before = std::exchange(moved[i], value);
    Point point = PointAt(network, moved, images);
    moved[i] = before;
    return point;
  };
  base::RandomStream stream = TestStream(40);
  const std::vector<std::uint32_t> samples = AllSamples(images);
  Expected expected{
      PointAt(network, moved, images).loss,
      {},
      RoundedNetwork(model, ShapeOf(images)).Gradient(parameters, images, PartsOf(samples))};
  for (const Range& range : RangesOf(model, ShapeOf(images))) {
    expected.layers.push_back({range, {}});
    auto& derivatives = expected.layers.back().derivatives;
    for (std::size_t n = 0; derivatives.size() < 2 * entries && n < 20 * entries; ++n) {
      const bool is_weight = derivatives.size() < entries;
      const std::size_t begin = is_weight ? range.weights : range.biases;
      const std::size_t end = is_weight ? range.biases : range.end;
      const std::size_t i = begin + stream.Below(end - begin);
      const Point low = point_at(i, moved[i] - kStep), high = point_at(i, moved[i] + kStep);
      if (low.pattern != high.pattern) continue;
      derivatives.push_back({i, SlopeBetween(low, high, loss_error)});
    }
    EXPECT_EQ(derivatives.size(), 2 * entries) << "a kink everywhere";
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
  const std::vector<std::uint32_t> samples = AllSamples(images);
  const std::vector<WeightedSamples> parts = PartsOf(samples);
  ASSERT_EQ(expected.layers.back().range.end, parameters.size());
  std::vector<float> gradient(parameters.size(), std::nanf(""));
  const double loss = Trainer(model, images).Gradient(parameters, parts, gradient);
  const auto& [rounded_loss, rounded] = expected.rounded;
  ASSERT_NEAR(loss, expected.loss, rounded_loss.error);
  ASSERT_LT(rounded_loss.error, 1e-3 * loss);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    ASSERT_NEAR(double(gradient[i]), rounded[i].value, rounded[i].error) << i;
  }
  for (const auto& [range, derivatives] : expected.layers) {
    const double norm = NormOf(gradient, range);
    ASSERT_GT(norm, 1e-3) << "nothing to compare";
    for (const auto& [parameter, slope] : derivatives) {
      SCOPED_TRACE(::testing::Message()
                   << "parameter " << parameter << ", layer from " << range.weights);
      const double most = rounded[parameter].error + slope.error;
      ASSERT_NEAR(double(gradient[parameter]), slope.value, most);
      ASSERT_NEAR(rounded[parameter].value, slope.value, 2 * slope.error);
      ASSERT_LT(most, kWrong * norm);
    }
  }
}

// The images are small and of odd sizes, with and without a margin, and they do not fill whole
// panels.
void ExpectGradientOnEveryTarget(std::initializer_list<std::variant<Pooled, Units>> hidden) {
  const Model model{"test", Hidden(hidden), ""};
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
  ExpectGradientOnEveryTarget({Units{7}});
  ExpectGradientOnEveryTarget({Units{19}, Units{5}});
}

TEST(Gradient, Convolution) {
  int channels = 1;
  for (const int kernel : {1, 3, 5, 7}) {
    for (const int pool : {1, 2, 4}) {
      SCOPED_TRACE(::testing::Message() << "kernel " << kernel << ", pool " << pool);
      ExpectGradientOnEveryTarget({Pooled{++channels % 7 + 2, kernel, pool}});
    }
  }
}

TEST(Gradient, ConvolutionAndDense) { ExpectGradientOnEveryTarget({Pooled{4, 3, 2}, Units{6}}); }

TEST(Gradient, ConvolutionBehindConvolution) {
  ExpectGradientOnEveryTarget({Pooled{3, 3, 2}, Pooled{4, 5, 2}});
  ExpectGradientOnEveryTarget({Pooled{2, 5, 1}, Pooled{7, 3, 3}, Units{5}});
  ExpectGradientOnEveryTarget({Pooled{5, 1, 1}, Pooled{3, 7, 2}, Pooled{3, 3, 2}});
}

// The images have the margin of MNIST's digits, or none.
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
