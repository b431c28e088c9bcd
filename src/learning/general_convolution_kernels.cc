#include "learning/general_convolution_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learning/general_convolution_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "learning/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {

// --- Sums ----------------------------------------------------------------------------------------

template <std::size_t kRows>
HWY_INLINE void SumTile(const TapSum& x, std::size_t row, std::size_t pixel) {
  const D d;
  V left[kRows], right[kRows];
  SetAll(hn::Zero(d), left, right);
  const std::size_t weight_row = x.channels * x.kernel2;
  const Tap* const begin = x.taps.taps.data() + x.taps.begin[pixel];
  const Tap* const end = x.taps.taps.data() + x.taps.begin[pixel + 1];
  const float* weights = x.weights + row * weight_row;
  const float* in = x.in;
  for (std::size_t channel = 0; channel < x.channels; ++channel) {
    for (const Tap* tap = begin; tap != end; ++tap) {
      AddStep(weights + tap->weight, weight_row, in + tap->pixel * kPanel, left, right);
    }
    weights += x.kernel2;
    in += x.in_pixels * kPanel;
  }
  float* out = x.out + (row * x.out_pixels + pixel) * kPanel;
  for (std::size_t i = 0; i < kRows; ++i, out += x.out_pixels * kPanel) {
    if (x.bias != nullptr) {
      left[i] = hn::Add(left[i], hn::Set(d, x.bias[row + i]));
      right[i] = hn::Add(right[i], hn::Set(d, x.bias[row + i]));
    }
    if (x.relu) left[i] = Relu(left[i]), right[i] = Relu(right[i]);
    hn::Store(left[i], d, out);
    hn::Store(right[i], d, out + kLanes);
  }
}

void SumTapsHere(const TapSum& x) {
  for (std::size_t pixel = 0; pixel < x.out_pixels; ++pixel) {
    ForEachTile(x.rows, [&]<std::size_t kRows>(std::size_t row)
                            HWY_ATTR { SumTile<kRows>(x, row, pixel); });
  }
}

// --- Gradients -----------------------------------------------------------------------------------

// A tile is some outputs times some inputs: twelve sums and the seven vectors that they multiply
// nearly fit into the 16 registers of AVX2.
constexpr std::size_t kTileOutputs = 4;
constexpr std::size_t kTileInputs = 3;

// A Stretch is the outputs of one row that see one place of the kernel.
struct Stretch {
  const float* delta;  // the first of them, of the tile's first output
  const float* in;     // what it sees, of the tile's first input
  std::size_t length;
  std::size_t delta_channel, in_channel;  // numbers from one channel to the next
  std::size_t in_step;                    // numbers from what one output sees to the next
};

// AddStretch adds delta * in of a stretch, lane by lane, to the sums [output][input][lane].
template <std::size_t kOutputs, std::size_t kInputs>
HWY_INLINE void AddStretch(const Stretch& x, float* HWY_RESTRICT sums) {
  const D d;
  V sum[kOutputs][kInputs];
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t i = 0; i < kInputs; ++i) {
      sum[o][i] = hn::Load(d, sums + (o * kTileInputs + i) * kLanes);
    }
  }
  const float* HWY_RESTRICT delta = x.delta;
  const float* HWY_RESTRICT in = x.in;
  for (std::size_t n = 0; n < x.length; ++n, delta += kPanel, in += x.in_step) {
    for (std::size_t half = 0; half < kPanel; half += kLanes) {
      V inputs[kInputs];
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < kInputs; ++i)
        inputs[i] = hn::Load(d, in + i * x.in_channel + half);
      HWY_UNROLL(8)
      for (std::size_t o = 0; o < kOutputs; ++o) {
        const V own = hn::Load(d, delta + o * x.delta_channel + half);
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < kInputs; ++i) sum[o][i] = hn::MulAdd(own, inputs[i], sum[o][i]);
      }
    }
  }
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t i = 0; i < kInputs; ++i) {
      hn::Store(sum[o][i], d, sums + (o * kTileInputs + i) * kLanes);
    }
  }
}

// Range returns which outputs of a line see place k of the kernel inside of the image.
struct Range {
  std::size_t begin, end;
};
HWY_INLINE Range RangeOf(const GeneralShape& shape, std::size_t k, std::size_t size,
                         std::size_t outputs) {
  // The output o sees o * stride + k - padding.
  const std::size_t begin =
      k >= shape.padding ? 0 : (shape.padding - k + shape.stride - 1) / shape.stride;
  if (size + shape.padding <= k) return {0, 0};
  const std::size_t end = (size + shape.padding - k - 1) / shape.stride + 1;
  return {std::min(begin, outputs), std::min(end, outputs)};
}

template <std::size_t kOutputs, std::size_t kInputs>
void AddTileGradient(const TapGradient& x, std::size_t output, std::size_t input, float* sums) {
  const D d;
  const GeneralShape& shape = x.shape;
  const std::size_t pixels = shape.height * shape.width;
  const std::size_t out_pixels = shape.out_height * shape.out_width;
  constexpr std::size_t kTile = kTileOutputs * kTileInputs * kLanes;
  std::fill_n(sums, shape.Kernel2() * kTile, 0.0F);
  for (std::size_t panel = 0; panel < x.panels; ++panel) {
    const float* delta = x.delta + panel * x.delta_panel + output * out_pixels * kPanel;
    const float* in = x.in + panel * x.in_panel + input * pixels * kPanel;
    for (std::size_t y = 0; y < shape.out_height; ++y) {
      for (std::size_t ky = 0; ky < shape.kernel; ++ky) {
        const std::size_t row =
            y * shape.stride + ky - shape.padding;  // wraps where it is negative
        if (row >= shape.height) continue;
        for (std::size_t kx = 0; kx < shape.kernel; ++kx) {
          const Range range = RangeOf(shape, kx, shape.width, shape.out_width);
          if (range.begin >= range.end) continue;
          const std::size_t column = range.begin * shape.stride + kx - shape.padding;
          AddStretch<kOutputs, kInputs>(
              {delta + (y * shape.out_width + range.begin) * kPanel,
               in + (row * shape.width + column) * kPanel, range.end - range.begin,
               out_pixels * kPanel, pixels * kPanel, shape.stride * kPanel},
              sums + (ky * shape.kernel + kx) * kTile);
        }
      }
    }
  }
  for (std::size_t place = 0; place < shape.Kernel2(); ++place) {
    for (std::size_t o = 0; o < kOutputs; ++o) {
      for (std::size_t i = 0; i < kInputs; ++i) {
        const V sum = hn::Load(d, sums + place * kTile + (o * kTileInputs + i) * kLanes);
        x.gradient[((output + o) * shape.InputsOfGroup() + input + i) * shape.Kernel2() + place] +=
            hn::GetLane(hn::SumOfLanes(d, sum));
      }
    }
  }
}

template <std::size_t kOutputs>
void AddTilesGradient(const TapGradient& x, std::size_t output, float* sums) {
  const std::size_t inputs = x.shape.InputsOfGroup();
  for (std::size_t input = 0; input < inputs; input += kTileInputs) {
    switch (inputs - input) {
      case 1:
        AddTileGradient<kOutputs, 1>(x, output, input, sums);
        break;
      case 2:
        AddTileGradient<kOutputs, 2>(x, output, input, sums);
        break;
      default:
        AddTileGradient<kOutputs, 3>(x, output, input, sums);
        break;
    }
  }
}

void AddBiasGradient(const TapGradient& x) {
  const D d;
  const std::size_t out_size = x.shape.out_height * x.shape.out_width * kPanel;
  for (std::size_t output = 0; output < x.shape.OutputsOfGroup(); ++output) {
    V left = hn::Zero(d), right = hn::Zero(d);
    for (std::size_t panel = 0; panel < x.panels; ++panel) {
      const float* delta = x.delta + panel * x.delta_panel + output * out_size;
      for (std::size_t i = 0; i < out_size; i += kPanel) {
        left = hn::Add(left, hn::Load(d, delta + i));
        right = hn::Add(right, hn::Load(d, delta + i + kLanes));
      }
    }
    x.bias_gradient[output] += hn::GetLane(hn::SumOfLanes(d, hn::Add(left, right)));
  }
}

void AddTapGradientHere(const TapGradient& x) {
  Floats sums(x.shape.Kernel2() * kTileOutputs * kTileInputs * kLanes);
  const std::size_t outputs = x.shape.OutputsOfGroup();
  for (std::size_t output = 0; output < outputs; output += kTileOutputs) {
    switch (outputs - output) {
      case 1:
        AddTilesGradient<1>(x, output, sums.data());
        break;
      case 2:
        AddTilesGradient<2>(x, output, sums.data());
        break;
      case 3:
        AddTilesGradient<3>(x, output, sums.data());
        break;
      default:
        AddTilesGradient<4>(x, output, sums.data());
        break;
    }
  }
  if (x.bias_gradient != nullptr) AddBiasGradient(x);
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::learning {
namespace {

// Returns how many pixels the kernel covers along one side, all its places together. What lies in
// the padding does not count.
std::size_t CoveredAlong(std::size_t size, std::size_t out_size, const GeneralShape& shape) {
  std::size_t covered = 0;
  for (std::size_t i = 0; i < out_size; ++i) {
    const std::size_t begin = std::max(i * shape.stride, shape.padding);
    const std::size_t end = std::min(i * shape.stride + shape.kernel, size + shape.padding);
    covered += end > begin ? end - begin : 0;
  }
  return covered;
}

}  // namespace

HWY_EXPORT(SumTapsHere);
HWY_EXPORT(AddTapGradientHere);

void SumTaps(const TapSum& sum) { HWY_DYNAMIC_DISPATCH(SumTapsHere)(sum); }
void AddTapGradient(const TapGradient& x) { HWY_DYNAMIC_DISPATCH(AddTapGradientHere)(x); }

Taps ForwardTaps(const GeneralShape& shape) {
  Taps all{{0}, {}};
  for (std::size_t y = 0; y < shape.out_height; ++y) {
    for (std::size_t x = 0; x < shape.out_width; ++x) {
      for (std::size_t place = 0; place < shape.Kernel2(); ++place) {
        // Rows and columns above and left of the image wrap to large numbers.
        const std::size_t row = y * shape.stride + place / shape.kernel - shape.padding;
        const std::size_t column = x * shape.stride + place % shape.kernel - shape.padding;
        if (row >= shape.height || column >= shape.width) continue;
        all.taps.push_back({std::uint32_t(place), std::uint32_t(row * shape.width + column)});
      }
      all.begin.push_back(std::uint32_t(all.taps.size()));
    }
  }
  return all;
}

Taps BackwardTaps(const GeneralShape& shape) {
  Taps all{{0}, {}};
  for (std::size_t y = 0; y < shape.height; ++y) {
    for (std::size_t x = 0; x < shape.width; ++x) {
      // From the last place on, the pixels come in their order.
      for (std::size_t place = shape.Kernel2(); place-- > 0;) {
        const std::size_t ky = place / shape.kernel, kx = place % shape.kernel;
        const std::size_t below = y + shape.padding, right = x + shape.padding;
        if (below < ky || right < kx) continue;
        if ((below - ky) % shape.stride != 0 || (right - kx) % shape.stride != 0) continue;
        const std::size_t row = (below - ky) / shape.stride, column = (right - kx) / shape.stride;
        if (row >= shape.out_height || column >= shape.out_width) continue;
        all.taps.push_back({std::uint32_t(place), std::uint32_t(row * shape.out_width + column)});
      }
      all.begin.push_back(std::uint32_t(all.taps.size()));
    }
  }
  return all;
}

std::size_t CountTaps(const GeneralShape& shape) {
  return CoveredAlong(shape.height, shape.out_height, shape) *
         CoveredAlong(shape.width, shape.out_width, shape);
}

}  // namespace airlot::learning
#endif  // HWY_ONCE
