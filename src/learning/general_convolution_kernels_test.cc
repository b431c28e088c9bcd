// These tests compare the kernels of general convolutions with plain loops, on every target and for
// every remainder. All numbers are quarters (targets_for_tests.h), so that sums are exact in any
// order and have to be equal.
#include "learning/general_convolution_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

struct Numbers {
  std::size_t pixels, channels;
  Floats values;  // [panel][channel][pixel][lane]
  float At(std::size_t panel, std::size_t channel, std::size_t pixel, std::size_t lane) const {
    return values[((panel * channels + channel) * pixels + pixel) * PanelWidth() + lane];
  }
};

Numbers Draw(std::size_t panels, std::size_t channels, std::size_t pixels,
             base::RandomStream& stream) {
  return {pixels, channels, Quarters(panels * channels * pixels * PanelWidth(), stream)};
}

// Calls use(output pixel, place in the kernel, input pixel) for all that belong together.
template <class Use>
void ForEachTap(const GeneralShape& shape, const Use& use) {
  const auto at = [](std::size_t o, std::size_t stride, std::size_t k, std::size_t padding) {
    return std::ptrdiff_t(o * stride + k) - std::ptrdiff_t(padding);
  };
  for (std::size_t o = 0; o < shape.out_height * shape.out_width; ++o) {
    for (std::size_t place = 0; place < shape.Kernel2(); ++place) {
      const auto y = at(o / shape.out_width, shape.stride, place / shape.kernel, shape.padding);
      const auto x = at(o % shape.out_width, shape.stride, place % shape.kernel, shape.padding);
      if (y < 0 || x < 0 || y >= std::ptrdiff_t(shape.height) || x >= std::ptrdiff_t(shape.width)) {
        continue;
      }
      use(o, place, std::size_t(y) * shape.width + std::size_t(x));
    }
  }
}

GeneralShape ShapeOf(std::size_t inputs, std::size_t outputs, std::size_t kernel,
                     std::size_t stride, std::size_t padding) {
  GeneralShape shape{.inputs = inputs,
                     .height = 5,
                     .width = 6,
                     .outputs = outputs,
                     .kernel = kernel,
                     .stride = stride,
                     .padding = padding};
  shape.out_height = (shape.height + 2 * padding - kernel) / stride + 1;
  shape.out_width = (shape.width + 2 * padding - kernel) / stride + 1;
  return shape;
}

void ExpectSums(const GeneralShape& shape, base::RandomStream& stream) {
  const std::size_t pixels = 30, out_pixels = shape.out_height * shape.out_width;
  const Numbers in = Draw(1, shape.inputs, pixels, stream);
  const Floats weights = Quarters(shape.outputs * shape.inputs * shape.Kernel2(), stream);
  const Floats bias = Quarters(shape.outputs, stream);
  Numbers out = Draw(1, shape.outputs, out_pixels, stream);
  std::vector<float> expected(out.values.size());
  for (std::size_t row = 0; row < shape.outputs; ++row) {
    for (std::size_t lane = 0; lane < PanelWidth(); ++lane) {
      float* sums = expected.data() + row * out_pixels * PanelWidth() + lane;
      for (std::size_t o = 0; o < out_pixels; ++o) sums[o * PanelWidth()] = bias[row];
      ForEachTap(shape, [&](std::size_t o, std::size_t place, std::size_t pixel) {
        for (std::size_t c = 0; c < shape.inputs; ++c) {
          sums[o * PanelWidth()] += weights[(row * shape.inputs + c) * shape.Kernel2() + place] *
                                    in.At(0, c, pixel, lane);
        }
      });
    }
  }
  const Taps taps = ForwardTaps(shape);
  for (const bool relu : {false, true}) {
    SumTaps({.taps = taps,
             .rows = shape.outputs,
             .channels = shape.inputs,
             .kernel2 = shape.Kernel2(),
             .weights = weights.data(),
             .bias = bias.data(),
             .relu = relu,
             .in = in.values.data(),
             .in_pixels = pixels,
             .out = out.values.data(),
             .out_pixels = out_pixels});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(out.values[i], relu ? std::max(expected[i], 0.0F) : expected[i]) << i;
    }
  }
}

void ExpectGradients(const GeneralShape& shape, base::RandomStream& stream) {
  constexpr std::size_t kPanels = 2;
  const std::size_t pixels = 30, out_pixels = shape.out_height * shape.out_width;
  const Numbers in = Draw(kPanels, shape.inputs, pixels, stream);
  const Numbers delta = Draw(kPanels, shape.outputs, out_pixels, stream);
  Floats gradient = Quarters(shape.outputs * shape.inputs * shape.Kernel2(), stream);
  Floats bias = Quarters(shape.outputs, stream);
  Floats expected = gradient, expected_bias = bias;
  for (std::size_t panel = 0; panel < kPanels; ++panel) {
    for (std::size_t lane = 0; lane < PanelWidth(); ++lane) {
      for (std::size_t row = 0; row < shape.outputs; ++row) {
        for (std::size_t o = 0; o < out_pixels; ++o) {
          expected_bias[row] += delta.At(panel, row, o, lane);
        }
        ForEachTap(shape, [&](std::size_t o, std::size_t place, std::size_t pixel) {
          for (std::size_t c = 0; c < shape.inputs; ++c) {
            expected[(row * shape.inputs + c) * shape.Kernel2() + place] +=
                delta.At(panel, row, o, lane) * in.At(panel, c, pixel, lane);
          }
        });
      }
    }
  }
  AddTapGradient({.shape = shape,
                  .panels = kPanels,
                  .in = in.values.data(),
                  .in_panel = shape.inputs * pixels * PanelWidth(),
                  .delta = delta.values.data(),
                  .delta_panel = shape.outputs * out_pixels * PanelWidth(),
                  .gradient = gradient.data(),
                  .bias_gradient = bias.data()});
  EXPECT_EQ(gradient, expected);
  EXPECT_EQ(bias, expected_bias);
}

// Every number of outputs and inputs that a tile may be left with.
TEST(GeneralConvolutionKernels, EveryRemainder) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(70);
    for (std::size_t outputs = 1; outputs <= 14; ++outputs) {
      const GeneralShape shape = ShapeOf(outputs % 7 + 1, outputs, 2, 1, 1);
      ExpectSums(shape, stream);
      ExpectGradients(shape, stream);
    }
  });
}

TEST(GeneralConvolutionKernels, EveryGeometry) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(71);
    for (const std::size_t kernel : {1, 2, 3, 5}) {
      for (const std::size_t stride : {1, 2, 3, 4}) {
        for (std::size_t padding = 0; padding < kernel; ++padding) {
          const GeneralShape shape = ShapeOf(2, 5, kernel, stride, padding);
          ExpectSums(shape, stream);
          ExpectGradients(shape, stream);
        }
      }
    }
  });
}

// The way back has the same taps as the way there, seen from the other end.
TEST(GeneralConvolutionKernels, BackwardTapsAreForwardTapsTurned) {
  for (const std::size_t kernel : {1, 2, 3, 5}) {
    for (const std::size_t stride : {1, 2, 3, 4}) {
      for (std::size_t padding = 0; padding < kernel; ++padding) {
        const GeneralShape shape = ShapeOf(1, 1, kernel, stride, padding);
        using Triple = std::array<std::size_t, 3>;
        std::vector<Triple> there, back;
        ForEachTap(shape, [&](std::size_t o, std::size_t place, std::size_t pixel) {
          there.push_back({pixel, place, o});
        });
        EXPECT_EQ(CountTaps(shape), there.size());
        EXPECT_EQ(ForwardTaps(shape).taps.size(), there.size());
        const Taps taps = BackwardTaps(shape);
        ASSERT_EQ(taps.begin.size(), 31U);
        for (std::size_t pixel = 0; pixel < 30; ++pixel) {
          for (std::size_t t = taps.begin[pixel]; t < taps.begin[pixel + 1]; ++t) {
            back.push_back({pixel, taps.taps[t].weight, taps.taps[t].pixel});
          }
        }
        std::ranges::sort(there);
        std::ranges::sort(back);
        EXPECT_EQ(there, back);
      }
    }
  }
}

}  // namespace
}  // namespace airlot::learning
