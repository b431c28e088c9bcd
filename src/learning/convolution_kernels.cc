#include "learning/convolution_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learning/convolution_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <vector>

#include "learning/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {

// SightsOf returns for each padded row the positions whose window sees a pixel of that row: [begin,
// begin + count).
struct Sights {
  std::size_t begin, count;
};
std::vector<Sights> SightsOf(const ConvolutionShape& shape, const Crop& crop) {
  std::vector<Sights> sights(shape.PaddedHeight(), Sights{0, 0});
  for (std::size_t y = 0; y < shape.height; ++y) {
    const RowSpan span = crop.empty() ? RowSpan{0, shape.width} : crop[y];
    if (span.Size() == 0) continue;
    // Position x sees the columns from x - kernel/2 to x + kernel/2.
    const std::size_t reach = shape.kernel / 2;
    const std::size_t begin = span.begin > reach ? span.begin - reach : 0;
    sights[y + reach] = {begin, span.end + reach - begin};
  }
  return sights;
}

// SumWindow computes the sums of kRows channels at position x, for a panel of samples. `sights` are
// those of the kernel's rows. A row of the kernel is taken whole or not at all, so that the
// innermost loop has a fixed length: with only the columns that see the crop it has fewer steps but
// takes longer.
template <std::size_t kRows, std::size_t kKernel>
HWY_INLINE void SumWindow(const ConvolutionShape& shape, const float* window, std::size_t position,
                          const Sights* sights, const float* weights, V (&left)[kRows],
                          V (&right)[kRows]) {
  SetAll(hn::Zero(D()), left, right);
  const std::size_t width = shape.PaddedWidth(), plane = shape.PaddedHeight() * width;
  for (std::size_t i = 0; i < shape.inputs; ++i) {
    for (std::size_t y = 0; y < kKernel; ++y) {
      // The difference wraps round where the position is below `begin`.
      if (position - sights[y].begin >= sights[y].count) continue;
      const float* s = weights + (i * kKernel + y) * kKernel;
      const float* b = window + (i * plane + y * width) * kPanel;
      HWY_UNROLL(7)
      for (std::size_t x = 0; x < kKernel; ++x) {
        AddStep(s + x, shape.WeightsPerChannel(), b + x * kPanel, left, right);
      }
    }
  }
}

// Largest holds the largest sum so far of each sample and where it was.
struct Largest {
  HWY_ALIGN float value[kMostRows * kPanel];
  HWY_ALIGN float place[kMostRows * kPanel];
};

template <std::size_t kRows>
HWY_INLINE void KeepLargest(V place, const V (&left)[kRows], const V (&right)[kRows],
                            Largest& largest) {
  const D d;
  const auto keep = [&](V sum, std::size_t at) HWY_ATTR {
    const V value = hn::Load(d, largest.value + at);
    // Once there is a NaN, it stays, and it takes the place of any number.
    const auto stays = hn::Or(hn::Le(sum, value), hn::IsNaN(value));
    hn::Store(hn::IfThenElse(stays, value, sum), d, largest.value + at);
    hn::Store(hn::IfThenElse(stays, hn::Load(d, largest.place + at), place), d, largest.place + at);
  };
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kRows; ++i) {
    keep(left[i], i * kPanel);
    keep(right[i], i * kPanel + kLanes);
  }
}

HWY_INLINE void StoreLargest(const float* value, const float* place, float bias, float* output,
                             std::uint8_t* places) {
  const D d;
  const hn::Rebind<std::int32_t, D> integers;
  const hn::Rebind<std::uint8_t, D> bytes;
  for (std::size_t half = 0; half < kPanel; half += kLanes) {
    const V sum = hn::Add(hn::Load(d, value + half), hn::Set(d, bias));
    hn::Store(Relu(sum), d, output + half);
    const auto at = hn::ConvertTo(integers, hn::Load(d, place + half));
    hn::StoreU(hn::DemoteTo(bytes, at), bytes, places + half);
  }
}

// PoolCell computes one cell of kRows channels; (top, left) is its first position.
template <std::size_t kRows, std::size_t kKernel>
HWY_INLINE void PoolCell(const ConvolutionShape& shape, const Sights* sights, const float* input,
                         std::size_t top, std::size_t left_column, const float* weights,
                         const float* bias, float* output, std::uint8_t* places) {
  const D d;
  Largest largest;
  V left[kRows], right[kRows];
  std::fill_n(largest.value, kRows * kPanel, -std::numeric_limits<float>::infinity());
  std::fill_n(largest.place, kRows * kPanel, 0.0F);
  for (std::size_t y = 0; y < shape.pool; ++y) {
    const float* window = input + ((top + y) * shape.PaddedWidth() + left_column) * kPanel;
    for (std::size_t x = 0; x < shape.pool; ++x) {
      SumWindow<kRows, kKernel>(shape, window + x * kPanel, left_column + x, sights + top + y,
                                weights, left, right);
      KeepLargest(hn::Set(d, float(y * shape.pool + x)), left, right, largest);
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::size_t feature = i * shape.Cells() * kPanel;
    StoreLargest(largest.value + i * kPanel, largest.place + i * kPanel, bias[i], output + feature,
                 places + feature);
  }
}

template <std::size_t kKernel>
void ConvolveAndPoolOf(const ConvolutionShape& shape, const Crop& crop, const float* input,
                       const float* weights, const float* bias, float* output,
                       std::uint8_t* places) {
  const std::vector<Sights> sights = SightsOf(shape, crop);
  for (std::size_t cell = 0; cell < shape.Cells(); ++cell) {
    const std::size_t top = cell / shape.OutputWidth() * shape.pool;
    const std::size_t left = cell % shape.OutputWidth() * shape.pool;
    ForEachTile(shape.channels, [&]<std::size_t kRows>(std::size_t channel) HWY_ATTR {
      const std::size_t feature = (channel * shape.Cells() + cell) * kPanel;
      PoolCell<kRows, kKernel>(shape, sights.data(), input, top, left,
                               weights + channel * shape.WeightsPerChannel(), bias + channel,
                               output + feature, places + feature);
    });
  }
}

void ConvolveAndPoolHere(const ConvolutionShape& shape, const Crop& crop, const float* input,
                         const float* weights, const float* bias, float* output,
                         std::uint8_t* places) {
  const auto convolve = shape.kernel == 1   ? ConvolveAndPoolOf<1>
                        : shape.kernel == 3 ? ConvolveAndPoolOf<3>
                        : shape.kernel == 5 ? ConvolveAndPoolOf<5>
                                            : ConvolveAndPoolOf<7>;
  convolve(shape, crop, input, weights, bias, output, places);
}

// Rows of a kernel are vectors of at most eight numbers; what is beyond the row is ignored.
using RowD = hn::CappedTag<float, kPaddedSlack>;
using RowV = hn::Vec<RowD>;
constexpr std::size_t kRowLanes = hn::MaxLanes(RowD());
constexpr std::size_t kRowVectors = kPaddedSlack / kRowLanes;
static_assert(kLargestKernel < kPaddedSlack);

// SumPatches computes sum[y] += delta * the row y of the receptive field at `window`, for all cells
// of a channel.
template <std::size_t kKernel>
HWY_INLINE void SumPatches(const ConvolutionShape& shape, const float* input, const float* delta,
                           const std::uint32_t* offset, float* gradient) {
  const RowD d;
  RowV sum[kKernel][kRowVectors];
  HWY_UNROLL(8)
  for (auto& row : sum) {
    for (RowV& part : row) part = hn::Zero(d);
  }
  const std::size_t width = shape.PaddedWidth();
  for (std::size_t cell = 0; cell < shape.Cells(); ++cell) {
    const float* window = input + offset[cell];
    const RowV factor = hn::Set(d, delta[cell]);
    HWY_UNROLL(8)
    for (std::size_t y = 0; y < kKernel; ++y) {
      for (std::size_t part = 0; part < kRowVectors; ++part) {
        const RowV pixels = hn::LoadU(d, window + y * width + part * kRowLanes);
        sum[y][part] = hn::MulAdd(factor, pixels, sum[y][part]);
      }
    }
  }
  HWY_ALIGN float row[kPaddedSlack];
  for (std::size_t y = 0; y < kKernel; ++y) {
    for (std::size_t part = 0; part < kRowVectors; ++part) {
      hn::Store(sum[y][part], d, row + part * kRowLanes);
    }
    for (std::size_t x = 0; x < kKernel; ++x) gradient[y * kKernel + x] += row[x];
  }
}

template <std::size_t kKernel>
void AddWeightGradientOf(const ConvolutionShape& shape, const float* input, const float* delta,
                         const std::uint32_t* offset, float* weight_gradient,
                         float* bias_gradient) {
  const std::size_t plane = shape.PaddedHeight() * shape.PaddedWidth();
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t i = 0; i < shape.inputs; ++i) {
      SumPatches<kKernel>(shape, input + i * plane, delta, offset, weight_gradient);
      weight_gradient += kKernel * kKernel;
    }
    float sum = 0;
    for (std::size_t cell = 0; cell < shape.Cells(); ++cell) sum += delta[cell];
    bias_gradient[channel] += sum;
    delta += shape.Cells();
    offset += shape.Cells();
  }
}

void AddWeightGradientHere(const ConvolutionShape& shape, const float* input, const float* delta,
                           const std::uint32_t* offset, float* weight_gradient,
                           float* bias_gradient) {
  const auto add = shape.kernel == 1   ? AddWeightGradientOf<1>
                   : shape.kernel == 3 ? AddWeightGradientOf<3>
                   : shape.kernel == 5 ? AddWeightGradientOf<5>
                                       : AddWeightGradientOf<7>;
  add(shape, input, delta, offset, weight_gradient, bias_gradient);
}

// PadRows copies the kernel from one input to one channel, its rows filled up with zeros.
HWY_INLINE void PadRows(const float* kernel, std::size_t size, float* rows) {
  for (std::size_t y = 0; y < size; ++y) {
    std::fill_n(std::copy_n(kernel + y * size, size, rows + y * kPaddedSlack), kPaddedSlack - size,
                0.0F);
  }
}

void AddInputGradientHere(const ConvolutionShape& shape, const float* weights, const float* delta,
                          const std::uint32_t* offset, float* input_gradient) {
  const RowD d;
  const std::size_t width = shape.PaddedWidth(), plane = shape.PaddedHeight() * width;
  HWY_ALIGN float rows[kLargestKernel * kPaddedSlack];
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t i = 0; i < shape.inputs; ++i) {
      PadRows(weights, shape.kernel, rows);
      weights += shape.kernel * shape.kernel;
      for (std::size_t cell = 0; cell < shape.Cells(); ++cell) {
        const RowV factor = hn::Set(d, delta[cell]);
        for (std::size_t y = 0; y < shape.kernel; ++y) {
          for (std::size_t x = 0; x < kPaddedSlack; x += kRowLanes) {
            float* at = input_gradient + i * plane + offset[cell] + y * width + x;
            const RowV weight = hn::Load(d, rows + y * kPaddedSlack + x);
            hn::StoreU(hn::MulAdd(factor, weight, hn::LoadU(d, at)), d, at);
          }
        }
      }
    }
    delta += shape.Cells();
    offset += shape.Cells();
  }
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::learning {

HWY_EXPORT(ConvolveAndPoolHere);
HWY_EXPORT(AddWeightGradientHere);
HWY_EXPORT(AddInputGradientHere);

void ConvolveAndPool(const ConvolutionShape& shape, const Crop& crop, const float* input,
                     const float* weights, const float* bias, float* output,
                     std::uint8_t* largest) {
  HWY_DYNAMIC_DISPATCH(ConvolveAndPoolHere)(shape, crop, input, weights, bias, output, largest);
}

void AddWeightGradient(const ConvolutionShape& shape, const float* input, const float* delta,
                       const std::uint32_t* offset, float* weight_gradient, float* bias_gradient) {
  HWY_DYNAMIC_DISPATCH(AddWeightGradientHere)
  (shape, input, delta, offset, weight_gradient, bias_gradient);
}

void AddInputGradient(const ConvolutionShape& shape, const float* weights, const float* delta,
                      const std::uint32_t* offset, float* input_gradient) {
  HWY_DYNAMIC_DISPATCH(AddInputGradientHere)(shape, weights, delta, offset, input_gradient);
}

}  // namespace airlot::learning
#endif  // HWY_ONCE
