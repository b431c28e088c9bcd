// These tests compare with the definition on images without padding, in double precision; the
// numbers are such that every sum is exact, and ties are frequent.
#include "learning/convolution_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Pictures holds the image of each sample, [input channel][row][column][sample], zero outside of a
// crop.
struct Pictures {
  ConvolutionShape shape;
  std::size_t samples;
  Floats numbers;

  std::size_t Place(std::size_t input, std::size_t y, std::size_t x, std::size_t sample) const {
    return ((input * shape.height + y) * shape.width + x) * samples + sample;
  }
  // Seen returns a pixel as a "same" convolution sees it, also beyond the border: (y, x) are
  // `border` too large.
  double Seen(std::size_t input, std::size_t y, std::size_t x, std::size_t sample) const {
    const std::size_t border = shape.kernel / 2;
    const bool inside =
        y >= border && x >= border && y < shape.height + border && x < shape.width + border;
    return inside ? double(numbers[Place(input, y - border, x - border, sample)]) : 0;
  }
  // Padded returns the images as the kernels read them.
  Floats Padded(std::size_t slack) const {
    Floats padded(shape.PaddedSize() * samples + slack, kNaN);
    std::size_t at = 0;
    for (std::size_t i = 0; i < shape.inputs; ++i) {
      for (std::size_t y = 0; y < shape.PaddedHeight(); ++y) {
        for (std::size_t x = 0; x < shape.PaddedWidth(); ++x) {
          for (std::size_t s = 0; s < samples; ++s) padded[at++] = float(Seen(i, y, x, s));
        }
      }
    }
    return padded;
  }
};

Pictures Draw(const ConvolutionShape& shape, const Crop& crop, std::size_t samples,
              base::RandomStream& stream) {
  Pictures pictures{shape, samples, Quarters(shape.InputFeatures() * samples, stream)};
  for (std::size_t i = 0; i < shape.inputs; ++i) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      for (std::size_t x = 0; x < shape.width; ++x) {
        if (x >= crop[y].begin && x < crop[y].end) continue;
        for (std::size_t s = 0; s < samples; ++s) pictures.numbers[pictures.Place(i, y, x, s)] = 0;
      }
    }
  }
  return pictures;
}

// Returns the sum of `channel` at position (y, x).
double SumAt(const Pictures& pictures, const Floats& weights, std::size_t channel, std::size_t y,
             std::size_t x, std::size_t sample) {
  const std::size_t kernel = pictures.shape.kernel, inputs = pictures.shape.inputs;
  double sum = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t v = 0; v < kernel; ++v) {
      for (std::size_t u = 0; u < kernel; ++u) {
        sum += double(weights[((channel * inputs + i) * kernel + v) * kernel + u]) *
               pictures.Seen(i, y + v, x + u, sample);
      }
    }
  }
  return sum;
}

void ExpectConvolved(const ConvolutionShape& shape, const Crop& crop, base::RandomStream& stream) {
  SCOPED_TRACE(::testing::Message() << "kernel " << shape.kernel << ", pool " << shape.pool << ", "
                                    << shape.inputs << " inputs, " << shape.channels
                                    << " channels, " << shape.height << " x " << shape.width);
  const std::size_t samples = PanelWidth(), pool = shape.pool;
  const Pictures pictures = Draw(shape, crop, samples, stream);
  const Floats weights = Quarters(shape.channels * shape.WeightsPerChannel(), stream);
  const Floats bias = Quarters(shape.channels, stream), input = pictures.Padded(0);
  Floats output(shape.OutputFeatures() * samples + 1, kNaN);
  std::vector<std::uint8_t> largest(output.size(), 255);
  ConvolveAndPool(shape, crop, input.data(), weights.data(), bias.data(), output.data(),
                  largest.data());
  std::size_t at = 0;
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t cell = 0; cell < shape.Cells(); ++cell) {
      const std::size_t top = cell / (shape.width / pool) * pool;
      const std::size_t left = cell % (shape.width / pool) * pool;
      for (std::size_t s = 0; s < samples; ++s, ++at) {
        double best = -std::numeric_limits<double>::infinity();
        std::size_t place = 0;
        for (std::size_t p = 0; p < pool * pool; ++p) {
          const double sum = SumAt(pictures, weights, channel, top + p / pool, left + p % pool, s);
          if (sum > best) best = sum, place = p;
        }
        ASSERT_EQ(double(output[at]), std::max(0.0, best + double(bias[channel])));
        ASSERT_EQ(largest[at], place) << "channel " << channel << ", cell " << cell;
      }
    }
  }
  ASSERT_NE(output[at], output[at]) << "beyond the output";
  ASSERT_EQ(largest[at], 255);
}

// There are kernels larger than the image, windows that do not fill it, 1 to 13 channels, and crops
// of all kinds.
TEST(ConvolutionKernels, ConvolveAndPool) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(20);
    std::size_t next = 0;
    for (const std::size_t kernel : {1, 3, 5, 7}) {
      for (const std::size_t pool : {1, 2, 3, 4}) {
        for (const Crop& crop :
             {CropOf({0, 0, 5, 9}, 5), CropOf({0, 0, 1, 1}, 5), CropOf({4, 8, 1, 1}, 5),
              CropOf({1, 2, 3, 4}, 5), Crop(5), Crop{{8, 9}, {}, {0, 2}, {3, 4}, {1, 9}}}) {
          const ConvolutionShape shape{.inputs = 1 + next % 3,
                                       .height = 5,
                                       .width = 9,
                                       .channels = 1 + next % 13,
                                       .kernel = kernel,
                                       .pool = pool};
          ++next;
          ExpectConvolved(shape, crop, stream);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
    ExpectConvolved({2, 2, 6, 3, 7, 2}, CropOf({0, 0, 2, 6}, 2), stream);
    ExpectConvolved({1, 1, 1, 1, 3, 1}, Crop{{0, 1}}, stream);
  });
}

// The first of equal sums wins, in the order of rows, wherever they are.
TEST(ConvolutionKernels, TiesGoToTheFirst) {
  OnEveryTarget([] {
    const std::size_t samples = PanelWidth();
    const ConvolutionShape shape{
        .inputs = 1, .height = 3, .width = 3, .channels = 1, .kernel = 1, .pool = 3};
    for (std::size_t first = 0; first < 9; ++first) {
      for (std::size_t second = first; second < 9; ++second) {
        Floats input(9 * samples, 1.0F), output(samples);
        std::fill_n(input.begin() + std::ptrdiff_t(first * samples), samples, 2.0F);
        std::fill_n(input.begin() + std::ptrdiff_t(second * samples), samples, 2.0F);
        std::vector<std::uint8_t> largest(samples);
        const float weight = 1, bias = 0;
        ConvolveAndPool(shape, {}, input.data(), &weight, &bias, output.data(), largest.data());
        for (const std::uint8_t place : largest) EXPECT_EQ(place, first);
      }
    }
  });
}

// The last place of the largest window fits into its byte, and a sum below 0 has a place, too.
TEST(ConvolutionKernels, LargestPool) {
  OnEveryTarget([] {
    const std::size_t samples = PanelWidth(), pixels = kLargestPool * kLargestPool;
    const ConvolutionShape shape{.inputs = 1,
                                 .height = kLargestPool,
                                 .width = kLargestPool,
                                 .channels = 1,
                                 .kernel = 1,
                                 .pool = kLargestPool};
    Floats input(pixels * samples, -2.0F), output(samples);
    for (std::size_t s = 0; s < samples; ++s) input[(pixels - 1 - s) * samples + s] = -1;
    std::vector<std::uint8_t> largest(samples);
    const float weight = 1, bias = 0.5F;
    ConvolveAndPool(shape, {}, input.data(), &weight, &bias, output.data(), largest.data());
    for (std::size_t s = 0; s < samples; ++s) {
      EXPECT_EQ(largest[s], pixels - 1 - s);
      EXPECT_EQ(output[s], 0);
    }
  });
}

// Outputs holds a loss gradient for each output of one sample, and the position (y, x) that it goes
// to.
struct Outputs {
  Floats delta;
  std::vector<std::size_t> y, x;
  std::vector<std::uint32_t> offset;
};

Outputs DrawOutputs(const ConvolutionShape& shape, base::RandomStream& stream) {
  Outputs outputs{Quarters(shape.OutputFeatures(), stream), {}, {}, {}};
  for (std::size_t f = 0; f < shape.OutputFeatures(); ++f) {
    const std::size_t cell = f % shape.Cells(), across = shape.width / shape.pool;
    outputs.y.push_back(cell / across * shape.pool + stream.Below(shape.pool));
    outputs.x.push_back(cell % across * shape.pool + stream.Below(shape.pool));
    outputs.offset.push_back(
        std::uint32_t(outputs.y.back() * shape.PaddedWidth() + outputs.x.back()));
  }
  return outputs;
}

template <class Check>
void ForEachGradientShape(const Check& check) {
  std::size_t next = 0;
  for (const std::size_t kernel : {1, 3, 5, 7}) {
    for (const std::size_t pool : {1, 2, 4}) {
      for (const std::size_t inputs : {1, 3}) {
        check(ConvolutionShape{.inputs = inputs,
                               .height = 5,
                               .width = 9,
                               .channels = 1 + next++ % 5,
                               .kernel = kernel,
                               .pool = pool});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(ConvolutionKernels, AddWeightGradient) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(21);
    ForEachGradientShape([&](const ConvolutionShape& shape) {
      const Pictures picture = Draw(shape, Crop(shape.height, {0, shape.width}), 1, stream);
      const Outputs outputs = DrawOutputs(shape, stream);
      const std::size_t kernel = shape.kernel, taps = kernel * kernel;
      Floats weights = Quarters(shape.channels * shape.WeightsPerChannel() + 1, stream);
      Floats bias = Quarters(shape.channels + 1, stream);
      std::vector<double> expected(weights.begin(), weights.end());
      std::vector<double> expected_bias(bias.begin(), bias.end());
      for (std::size_t f = 0; f < outputs.delta.size(); ++f) {
        const std::size_t channel = f / shape.Cells();
        const double delta = double(outputs.delta[f]);
        expected_bias[channel] += delta;
        for (std::size_t t = 0; t < shape.inputs * taps; ++t) {
          const std::size_t v = t % taps / kernel, u = t % kernel;
          expected[channel * shape.inputs * taps + t] +=
              delta * picture.Seen(t / taps, outputs.y[f] + v, outputs.x[f] + u, 0);
        }
      }
      const Floats input = picture.Padded(kPaddedSlack);  // the slack is NaN
      AddWeightGradient(shape, input.data(), outputs.delta.data(), outputs.offset.data(),
                        weights.data(), bias.data());
      ASSERT_EQ(std::vector<double>(weights.begin(), weights.end()), expected);
      ASSERT_EQ(std::vector<double>(bias.begin(), bias.end()), expected_bias);
    });
  });
}

TEST(ConvolutionKernels, AddInputGradient) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(22);
    ForEachGradientShape([&](const ConvolutionShape& shape) {
      const Outputs outputs = DrawOutputs(shape, stream);
      const std::size_t kernel = shape.kernel, taps = kernel * kernel;
      const Floats weights = Quarters(shape.channels * shape.WeightsPerChannel(), stream);
      Floats gradient = Quarters(shape.PaddedSize() + kPaddedSlack, stream);
      std::vector<double> expected(gradient.begin(), gradient.end());
      for (std::size_t f = 0; f < outputs.delta.size(); ++f) {
        const std::size_t channel = f / shape.Cells();
        for (std::size_t t = 0; t < shape.inputs * taps; ++t) {
          const std::size_t y = outputs.y[f] + t % taps / kernel, x = outputs.x[f] + t % kernel;
          const std::size_t row = t / taps * shape.PaddedHeight() + y;
          expected[row * shape.PaddedWidth() + x] +=
              double(outputs.delta[f]) * double(weights[channel * shape.inputs * taps + t]);
        }
      }
      AddInputGradient(shape, weights.data(), outputs.delta.data(), outputs.offset.data(),
                       gradient.data());
      ASSERT_EQ(std::vector<double>(gradient.begin(), gradient.end()), expected);
    });
  });
}

}  // namespace
}  // namespace airlot::learning
