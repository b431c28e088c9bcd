// These tests compare gradients of every kind of layer, and of networks of them, with finite
// differences of the losses of reference_network_for_tests.h.
// Tolerances are those of layer_tolerance_for_tests.h.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "airlot/training.h"
#include "learning/layer_tolerance_for_tests.h"
#include "learning/purposes.h"
#include "learning/reference_network_for_tests.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

using Numbers = std::vector<double>;

// A Case is a model, samples and the parts they come in.
struct Case {
  Model model;
  Images images;
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<float> parameters;
  bool has_masks = false;

  MaskDraw MaskOf(std::size_t part) const { return {7, 3, 11 + part, std::uint32_t(2 * part)}; }
  double WeightOf(std::size_t part) const { return part == 0 ? 1.5 : 0.4; }
  std::vector<WeightedSamples> Parts() const {
    std::vector<WeightedSamples> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all.push_back({parts[i], WeightOf(i)});
      if (has_masks) all.back().masks = MaskOf(i);
    }
    return all;
  }
};

Numbers InputOf(const Images& images, std::size_t sample) {
  if (images.values.empty()) return ReferenceNetwork::PixelsOf(images.Image(sample));
  const float* first = images.values.data() + sample * images.PixelsPerImage();
  return {first, first + images.PixelsPerImage()};
}

// What docs/learning.md says of masks, once more.
double FactorOf(const MaskDraw& mask, double share, std::size_t sample, std::size_t layer,
                std::size_t feature) {
  const auto block = base::StreamBlock(
      mask.seed, kDropoutMask, mask.round + (std::uint64_t(mask.step) << 32U), mask.device,
      (std::uint64_t(sample) << 32U) + (std::uint64_t(layer) << 24U) + feature / 8);
  const std::uint64_t word = block[feature % 8 / 2];
  const std::uint64_t bits = feature % 2 == 0 ? word % (1ULL << 32U) : word >> 32U;
  return double(bits) * 0x1p-32 < share ? 0 : 1 / (1 - share);
}

constexpr double kShare = 0.25;  // of all dropout layers here

// The loss of all parts, and the pattern of kinks on the way.
double LossAt(const Case& x, const Numbers& parameters, std::vector<std::ptrdiff_t>& pattern) {
  double loss = 0;
  for (std::size_t part = 0; part < x.parts.size(); ++part) {
    std::vector<Numbers> inputs;
    for (const std::uint32_t i : x.parts[part]) inputs.push_back(InputOf(x.images, i));
    ReferenceNetwork::Factor factor;
    if (x.has_masks) {
      factor = [&](std::size_t n, std::size_t layer, std::size_t feature) {
        return FactorOf(x.MaskOf(part), kShare, x.parts[part][n], layer, feature);
      };
    }
    const ReferenceNetwork network(x.model, ShapeOf(x.images), factor);
    const auto outputs = network.Outputs(parameters, inputs, &pattern);
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      const std::uint32_t i = x.parts[part][n];
      const double off = x.images.classes > 0 ? 0 : outputs[n][0] - double(x.images.targets[i]);
      loss += x.WeightOf(part) / double(outputs.size()) *
              (x.images.classes > 0 ? ReferenceNetwork::LossOf(outputs[n], x.images.labels[i])
                                    : off * off);
    }
  }
  return loss;
}

struct Derivative {
  std::size_t parameter;
  double slope;
};
struct Expected {
  double loss = 0;
  std::vector<Derivative> derivatives;
};

// Central differences at some of the parameters. Their own error, of a second derivative's order,
// is far below that of floats.
Expected ExpectedOf(const Case& x, std::size_t entries) {
  constexpr double kStep = 1e-5;
  Numbers moved(x.parameters.begin(), x.parameters.end());
  std::vector<std::ptrdiff_t> unused;
  Expected expected{LossAt(x, moved, unused), {}};
  base::RandomStream stream = TestStream(50);
  const std::size_t count = moved.size();
  // The first and the last parameters are tried, and some in between.
  for (std::size_t n = 0; n < entries; ++n) {
    const std::size_t i = n == 0 ? 0 : n == 1 ? count - 1 : stream.Below(count);
    std::vector<std::ptrdiff_t> low_pattern, high_pattern;
    const double before = moved[i];
    moved[i] = before - kStep;
    const double low = LossAt(x, moved, low_pattern);
    moved[i] = before + kStep;
    const double high = LossAt(x, moved, high_pattern);
    moved[i] = before;
    if (low_pattern == high_pattern)
      expected.derivatives.push_back({i, (high - low) / (2 * kStep)});
  }
  EXPECT_GT(expected.derivatives.size(), entries / 2) << "a kink everywhere";
  return expected;
}

void ExpectGradient(const Case& x, std::size_t entries = 40) {
  const Expected expected = ExpectedOf(x, entries);
  std::size_t samples = 0;
  for (const auto& part : x.parts) samples += part.size();
  const double tolerance = GradientTolerance(x.model, ShapeOf(x.images), samples);
  ASSERT_LT(tolerance, kWrongShare);
  OnEveryTarget([&] {
    std::vector<float> gradient(x.parameters.size(), std::nanf(""));
    const auto parts = x.Parts();
    const double loss = Trainer(x.model, x.images).Gradient(x.parameters, parts, gradient);
    EXPECT_NEAR(loss, expected.loss, tolerance * expected.loss);
    double squares = 0;
    for (const float one : gradient) squares += double(one) * double(one);
    // The share of one entry that is compared in the norm of all.
    const double typical = std::sqrt(squares / double(gradient.size()));
    ASSERT_GT(typical, 1e-6) << "nothing to compare";
    for (const auto& [parameter, slope] : expected.derivatives) {
      EXPECT_NEAR(double(gradient[parameter]), slope, tolerance * (typical + std::abs(slope)))
          << "parameter " << parameter;
    }
  });
}

// Samples do not fill whole panels; two parts are of different devices.
Case CaseOf(const std::vector<Layer>& layers, const ImageShape& shape = {9, 11, 3, 2}) {
  base::RandomStream stream = TestStream(51);
  Case x{{"test", layers, ""}, {.height = shape.height, .width = shape.width}, {}, {}};
  x.images.classes = shape.classes;
  x.images.channels = shape.channels;
  for (std::size_t i = 0; i < 18; ++i) {
    x.images.labels.push_back(std::uint8_t(stream.Below(std::uint64_t(shape.classes))));
    for (std::size_t p = 0; p < x.images.PixelsPerImage(); ++p) {
      x.images.pixels.push_back(std::uint8_t(stream.Below(256)));
    }
  }
  x.parts.resize(2);
  for (std::uint32_t i = 0; i < 18; ++i) x.parts[i < 13 ? 0 : 1].push_back(i);
  x.parameters = InitialParameters(x.model, shape, 5);
  // The parameters of normalisations are not only 1 and 0.
  for (float& one : x.parameters) one += float(stream.Uniform(-0.1, 0.1));
  return x;
}

void ExpectGradientOf(const std::vector<Layer>& layers) { ExpectGradient(CaseOf(layers)); }

TEST(LayerGradient, Convolution) {
  for (const int stride : {1, 2, 3}) {
    for (const int kernel : {1, 2, 3, 5}) {
      for (const int padding : {0, 1, kernel - 1}) {
        if (padding >= kernel) continue;
        SCOPED_TRACE(::testing::Message() << kernel << ", " << stride << ", " << padding);
        ExpectGradientOf({Convolution{5, kernel, stride, padding}});
      }
    }
  }
}

TEST(LayerGradient, ConvolutionBehindConvolution) {
  ExpectGradientOf({Convolution{5, 3, 2, 1}, Relu{}, Convolution{7, 3, 2, 2}, Relu{}});
  ExpectGradientOf({Convolution{13, 3, 1, 1, 1, false}, Convolution{4, 2, 3}, Relu{}});
}

TEST(LayerGradient, GroupedConvolution) {
  ExpectGradientOf({Convolution{6, 3, 1, 1, 2}, Relu{}, Convolution{9, 3, 2, 1, 3}, Relu{}});
  ExpectGradientOf({Convolution{4, 1}, Convolution{4, 3, 1, 1, 4, false}, Relu{}});
}

TEST(LayerGradient, Pools) {
  ExpectGradientOf({Convolution{3, 2}, MaxPool{2}});
  ExpectGradientOf({Convolution{3, 3}, Relu{}, MaxPool{3, 2}, Convolution{4, 1}});
  ExpectGradientOf({Convolution{3, 3}, AveragePool{3, 2}, Relu{}, MaxPool{2, 1}});
  ExpectGradientOf({Convolution{3, 3}, Relu{}, AveragePool{}});
  ExpectGradientOf({MaxPool{2}, AveragePool{2}, Dense{4}});
}

// The fused kernels stand behind and before general ones.
TEST(LayerGradient, FusedAndGeneralKernelsMeet) {
  const auto same = [](int channels) {
    return Convolution{.channels = channels, .kernel = 3, .padding = Convolution::kSame};
  };
  const ImageShape grey{9, 11, 3, 1};
  for (const std::vector<Layer>& layers : std::vector<std::vector<Layer>>{
           {same(4), Relu{}, MaxPool{2}, Convolution{5, 2}, Relu{}, Dense{4}},
           {Convolution{1, 2}, same(4), Relu{}, MaxPool{2}, GroupNorm{2}, Dense{5}, Relu{}},
           {Convolution{1, 2}, Relu{}, same(4), Relu{}, MaxPool{3}}}) {
    ExpectGradient(CaseOf(layers, grey));
  }
  ExpectGradientOf({Dense{8}, GroupNorm{2}, Relu{}, Dense{5}, Relu{}, BatchNorm{}, Dense{3}});
  ExpectGradientOf({Flatten{}, Relu{}, Dense{6}, Dense{4}});
}

TEST(LayerGradient, Normalization) {
  ExpectGradientOf({Convolution{6, 3}, GroupNorm{1}, Relu{}, AveragePool{2}});
  ExpectGradientOf({Convolution{6, 3}, GroupNorm{3}, AveragePool{2}});
  ExpectGradientOf({Convolution{6, 3}, GroupNorm{6}, Relu{}, MaxPool{2}});
  ExpectGradientOf({GroupNorm{2}, Convolution{4, 3}, Relu{}});
  ExpectGradientOf({Convolution{4, 3}, BatchNorm{}, Relu{}, AveragePool{2}});
  ExpectGradientOf({Convolution{4, 3}, BatchNorm{}, Convolution{3, 2}, BatchNorm{}, Relu{}});
}

TEST(LayerGradient, Residual) {
  ExpectGradientOf({Convolution{4, 3}, Relu{}, Residual{{Convolution{4, 3, 1, 1}}, {}}, Relu{}});
  ExpectGradientOf(
      {Residual{{Convolution{4, 3, 2, 1}, GroupNorm{2}, Relu{}, Convolution{4, 3, 1, 1}},
                {Convolution{4, 1, 2}}},
       Relu{}, AveragePool{}});
  // Both are the input itself, a fused step is read twice, one residual is inside of another.
  ExpectGradient(CaseOf({Convolution{4, 3, 1, 1}, Relu{}, MaxPool{2}, Residual{{Relu{}}, {}},
                         Residual{{Residual{{Convolution{4, 1}, Relu{}}, {Relu{}}}}, {}}, Dense{4}},
                        {9, 11, 3, 1}));
  ExpectGradientOf({Dense{5}, Relu{}, Residual{{Dense{5}, Relu{}}, {}},
                    Residual{{Dense{5}}, {Dense{5}, Relu{}}}, Relu{}});
}

// A ReLU at the head of a residual is not that of the step before it, though no step lies between:
// the shortcut takes what comes in as it is.
TEST(LayerGradient, ResidualBeginsWithFlatten) {
  ExpectGradientOf({Dense{5}, Residual{{Flatten{}, Relu{}, Dense{5}}, {}}, Dense{4}});
  ExpectGradientOf({Dense{5}, Residual{{Flatten{}}, {Flatten{}, Relu{}}}, Dense{4}});
  ExpectGradientOf({Dense{5}, Residual{{Flatten{}, Flatten{}, Relu{}}, {Relu{}, Dense{5}}}});
  ExpectGradientOf({Convolution{4, 3}, GroupNorm{2},
                    Residual{{Residual{{Flatten{}, Relu{}}, {Flatten{}}}}, {Flatten{}}}});
}

TEST(LayerGradient, Dropout) {
  Case x = CaseOf({Dropout{kShare}, Convolution{5, 3}, Relu{}, Dropout{kShare}, Dense{6}, Relu{},
                   Dropout{kShare}});
  x.has_masks = true;
  ExpectGradient(x);
  x.has_masks = false;
  ExpectGradient(x);
}

TEST(LayerGradient, Regression) {
  for (const std::vector<Layer>& layers :
       {std::vector<Layer>{}, {Dense{6}, Relu{}}, {BatchNorm{}, Dense{6}, Relu{}}}) {
    Case x = CaseOf(layers, {1, 7, 3, 1});
    base::RandomStream stream = TestStream(52);
    x.images.classes = 0;
    x.images.labels.clear();
    x.images.pixels.clear();
    for (int i = 0; i < 18; ++i) x.images.targets.push_back(float(stream.Uniform(-2, 3)));
    for (int i = 0; i < 18 * 7; ++i) x.images.values.push_back(float(stream.Uniform(-3, 3)));
    x.parameters.resize(ParameterCount(x.model, ShapeOf(x.images)));
    ExpectGradient(x);
  }
}

TEST(LayerGradient, ValuesGoInAsTheyAre) {
  Case x = CaseOf({Convolution{5, 3, 2}, Relu{}});
  base::RandomStream stream = TestStream(53);
  for (std::size_t i = 0; i < x.images.pixels.size(); ++i) {
    x.images.values.push_back(float(stream.Uniform(-3, 3)));
  }
  x.images.pixels.clear();
  ExpectGradient(x);
}

TEST(LayerGradient, BuiltInModels) {
  for (const char* name : {"logistic", "lenet5", "resnet8"}) {
    SCOPED_TRACE(name);
    Case x = CaseOf(FindModel(name)->layers, {14, 15, 4, 3});
    x.parts[0].resize(3);
    x.parts[1].resize(2);
    ExpectGradient(x, 20);
  }
}

}  // namespace
}  // namespace airlot::learning
