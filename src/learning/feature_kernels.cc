#include "learning/feature_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learning/feature_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "learning/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {

// --- Windows -------------------------------------------------------------------------------------

// ForEachWindow calls window(first input, output) for half a panel of each window.
template <class Window>
HWY_INLINE void ForEachWindow(const WindowShape& shape, const Window& window) {
  std::size_t out = 0;
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t y = 0; y < shape.out_height; ++y) {
      for (std::size_t x = 0; x < shape.out_width; ++x, ++out) {
        const std::size_t row = channel * shape.height + y * shape.stride;
        const std::size_t in = row * shape.width + x * shape.stride;
        for (std::size_t half = 0; half < kPanel; half += kLanes) {
          window(in * kPanel + half, out * kPanel + half);
        }
      }
    }
  }
}

// ForEachPlace calls place(input) for each number of a window whose first is `first`.
template <class Place>
HWY_INLINE void ForEachPlace(const WindowShape& shape, std::size_t first, const Place& place) {
  for (std::size_t y = 0; y < shape.rows; ++y) {
    for (std::size_t x = 0; x < shape.columns; ++x) {
      place(first + (y * shape.width + x) * kPanel);
    }
  }
}

// The largest is NaN where one number is, so that a training that has diverged shows.
void TakeLargestHere(const WindowShape& shape, const float* in, float* out) {
  const D d;
  ForEachWindow(shape, [&](std::size_t first, std::size_t to) HWY_ATTR {
    V largest = hn::Load(d, in + first);
    ForEachPlace(shape, first, [&](std::size_t at) HWY_ATTR {
      const V x = hn::Load(d, in + at);
      largest = hn::IfThenElse(hn::Or(hn::Gt(x, largest), hn::IsNaN(x)), x, largest);
    });
    hn::Store(largest, d, out + to);
  });
}

void TakeMeansHere(const WindowShape& shape, const float* in, float* out) {
  const D d;
  const V share = hn::Set(d, 1.0F / float(shape.rows * shape.columns));
  ForEachWindow(shape, [&](std::size_t first, std::size_t to) HWY_ATTR {
    V sum = hn::Zero(d);
    ForEachPlace(shape, first,
                 [&](std::size_t at) HWY_ATTR { sum = hn::Add(sum, hn::Load(d, in + at)); });
    hn::Store(hn::Mul(sum, share), d, out + to);
  });
}

HWY_INLINE void AddTo(V x, float* place) {
  const D d;
  hn::Store(hn::Add(hn::Load(d, place), x), d, place);
}

void PassLargestBackHere(const WindowShape& shape, const float* in, const float* out,
                         const float* delta, float* in_delta) {
  const D d;
  std::fill_n(in_delta, shape.channels * shape.height * shape.width * kPanel, 0.0F);
  ForEachWindow(shape, [&](std::size_t first, std::size_t from) HWY_ATTR {
    const V largest = hn::Load(d, out + from);
    V left = hn::Load(d, delta + from);  // what no number has got yet
    ForEachPlace(shape, first, [&](std::size_t at) HWY_ATTR {
      const auto takes = hn::Eq(hn::Load(d, in + at), largest);
      AddTo(hn::IfThenElseZero(takes, left), in_delta + at);
      left = hn::IfThenZeroElse(takes, left);
    });
  });
}

void PassMeansBackHere(const WindowShape& shape, const float* delta, float* in_delta) {
  const D d;
  const V share = hn::Set(d, 1.0F / float(shape.rows * shape.columns));
  std::fill_n(in_delta, shape.channels * shape.height * shape.width * kPanel, 0.0F);
  ForEachWindow(shape, [&](std::size_t first, std::size_t from) HWY_ATTR {
    const V part = hn::Mul(hn::Load(d, delta + from), share);
    ForEachPlace(shape, first, [&](std::size_t at) HWY_ATTR { AddTo(part, in_delta + at); });
  });
}

// --- Number by number ----------------------------------------------------------------------------

void AddFeaturesHere(const float* a, const float* b, std::size_t features, bool relu, float* out) {
  const D d;
  for (std::size_t i = 0; i < features * kPanel; i += kLanes) {
    V sum = hn::Load(d, a + i);
    if (b != nullptr) sum = hn::Add(sum, hn::Load(d, b + i));
    hn::Store(relu ? Relu(sum) : sum, d, out + i);
  }
}

void GateFeaturesHere(const float* out, std::size_t features, float* delta) {
  const D d;
  for (std::size_t i = 0; i < features * kPanel; i += kLanes) {
    const auto is_open = hn::Gt(hn::Load(d, out + i), hn::Zero(d));
    hn::Store(hn::IfThenElseZero(is_open, hn::Load(d, delta + i)), d, delta + i);
  }
}

void MultiplyFeaturesHere(const float* a, const float* b, std::size_t features, float* out) {
  const D d;
  for (std::size_t i = 0; i < features * kPanel; i += kLanes) {
    hn::Store(hn::Mul(hn::Load(d, a + i), hn::Load(d, b + i)), d, out + i);
  }
}

// --- Normalisation -------------------------------------------------------------------------------

// Four sums of each half run side by side, because one would wait for itself.
constexpr std::size_t kChains = 4;

// AddEach adds term(half, feature's place) over all features to `sums`.
template <class Term>
HWY_INLINE void AddEach(std::size_t features, Lanes& sums, const Term& term) {
  const D d;
  for (std::size_t half = 0; half < kPanel; half += kLanes) {
    V chain[kChains];
    for (V& one : chain) one = hn::Zero(d);
    std::size_t f = 0;
    for (; f + kChains <= features; f += kChains) {
      HWY_UNROLL(4)
      for (std::size_t c = 0; c < kChains; ++c) {
        chain[c] = term(half, (f + c) * kPanel + half, chain[c]);
      }
    }
    for (; f < features; ++f) chain[0] = term(half, f * kPanel + half, chain[0]);
    const V sum = hn::Add(hn::Add(chain[0], chain[1]), hn::Add(chain[2], chain[3]));
    AddTo(sum, sums.of + half);
  }
}

void AddSumsHere(const float* in, std::size_t features, Lanes& sums) {
  const D d;
  AddEach(features, sums, [&](std::size_t, std::size_t at, V sum) HWY_ATTR {
    return hn::Add(sum, hn::Load(d, in + at));
  });
}

void AddSquaresHere(const float* in, std::size_t features, const Lanes& mean, Lanes& sums) {
  const D d;
  AddEach(features, sums, [&](std::size_t half, std::size_t at, V sum) HWY_ATTR {
    const V off = hn::Sub(hn::Load(d, in + at), hn::Load(d, mean.of + half));
    return hn::MulAdd(off, off, sum);
  });
}

void ScaleHere(const float* in, std::size_t features, const Lanes& scale, const Lanes& shift,
               bool relu, float* out) {
  const D d;
  for (std::size_t half = 0; half < kPanel; half += kLanes) {
    const V factor = hn::Load(d, scale.of + half), more = hn::Load(d, shift.of + half);
    for (std::size_t i = half; i < features * kPanel; i += kPanel) {
      const V y = hn::MulAdd(hn::Load(d, in + i), factor, more);
      hn::Store(relu ? Relu(y) : y, d, out + i);
    }
  }
}

// GatedDelta computes what Scale did once more, bit by bit, to see what the ReLU let pass.
HWY_INLINE V GatedDelta(const ScaledDelta& x, std::size_t half, std::size_t at, V in) {
  const D d;
  const V delta = hn::Load(d, x.delta + at);
  if (!x.relu) return delta;
  const V y = hn::MulAdd(in, hn::Load(d, x.scale.of + half), hn::Load(d, x.shift.of + half));
  return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), delta);
}

void AddDeltaSumsHere(const ScaledDelta& x, const Lanes& mean, Lanes& sums, Lanes& products) {
  const D d;
  for (std::size_t half = 0; half < kPanel; half += kLanes) {
    const V middle = hn::Load(d, mean.of + half);
    V sum[2] = {hn::Zero(d), hn::Zero(d)}, product[2] = {hn::Zero(d), hn::Zero(d)};
    for (std::size_t f = 0; f < x.features; ++f) {
      const std::size_t at = f * kPanel + half;
      const V in = hn::Load(d, x.in + at), delta = GatedDelta(x, half, at, in);
      sum[f % 2] = hn::Add(sum[f % 2], delta);
      product[f % 2] = hn::MulAdd(delta, hn::Sub(in, middle), product[f % 2]);
    }
    AddTo(hn::Add(sum[0], sum[1]), sums.of + half);
    AddTo(hn::Add(product[0], product[1]), products.of + half);
  }
}

void PassScaleBackHere(const ScaledDelta& x, const Lanes& mean, const Lanes& by_delta,
                       const Lanes& by_in, const Lanes& constant, float* in_delta) {
  const D d;
  for (std::size_t half = 0; half < kPanel; half += kLanes) {
    const V middle = hn::Load(d, mean.of + half), a = hn::Load(d, by_delta.of + half);
    const V b = hn::Load(d, by_in.of + half), c = hn::Load(d, constant.of + half);
    for (std::size_t f = 0; f < x.features; ++f) {
      const std::size_t at = f * kPanel + half;
      const V in = hn::Load(d, x.in + at), delta = GatedDelta(x, half, at, in);
      hn::Store(hn::MulAdd(a, delta, hn::MulAdd(b, hn::Sub(in, middle), c)), d, in_delta + at);
    }
  }
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::learning {

HWY_EXPORT(TakeLargestHere);
HWY_EXPORT(TakeMeansHere);
HWY_EXPORT(PassLargestBackHere);
HWY_EXPORT(PassMeansBackHere);
HWY_EXPORT(AddFeaturesHere);
HWY_EXPORT(GateFeaturesHere);
HWY_EXPORT(MultiplyFeaturesHere);
HWY_EXPORT(AddSumsHere);
HWY_EXPORT(AddSquaresHere);
HWY_EXPORT(ScaleHere);
HWY_EXPORT(AddDeltaSumsHere);
HWY_EXPORT(PassScaleBackHere);

void TakeLargest(const WindowShape& shape, const float* in, float* out) {
  HWY_DYNAMIC_DISPATCH(TakeLargestHere)(shape, in, out);
}
void TakeMeans(const WindowShape& shape, const float* in, float* out) {
  HWY_DYNAMIC_DISPATCH(TakeMeansHere)(shape, in, out);
}
void PassLargestBack(const WindowShape& shape, const float* in, const float* out,
                     const float* delta, float* in_delta) {
  HWY_DYNAMIC_DISPATCH(PassLargestBackHere)(shape, in, out, delta, in_delta);
}
void PassMeansBack(const WindowShape& shape, const float* delta, float* in_delta) {
  HWY_DYNAMIC_DISPATCH(PassMeansBackHere)(shape, delta, in_delta);
}
void AddFeatures(const float* a, const float* b, std::size_t features, bool relu, float* out) {
  HWY_DYNAMIC_DISPATCH(AddFeaturesHere)(a, b, features, relu, out);
}
void GateFeatures(const float* out, std::size_t features, float* delta) {
  HWY_DYNAMIC_DISPATCH(GateFeaturesHere)(out, features, delta);
}
void MultiplyFeatures(const float* a, const float* b, std::size_t features, float* out) {
  HWY_DYNAMIC_DISPATCH(MultiplyFeaturesHere)(a, b, features, out);
}
void AddSums(const float* in, std::size_t features, Lanes& sums) {
  HWY_DYNAMIC_DISPATCH(AddSumsHere)(in, features, sums);
}
void AddSquares(const float* in, std::size_t features, const Lanes& mean, Lanes& sums) {
  HWY_DYNAMIC_DISPATCH(AddSquaresHere)(in, features, mean, sums);
}
void Scale(const float* in, std::size_t features, const Lanes& scale, const Lanes& shift, bool relu,
           float* out) {
  HWY_DYNAMIC_DISPATCH(ScaleHere)(in, features, scale, shift, relu, out);
}
void AddDeltaSums(const ScaledDelta& x, const Lanes& mean, Lanes& sums, Lanes& products) {
  HWY_DYNAMIC_DISPATCH(AddDeltaSumsHere)(x, mean, sums, products);
}
void PassScaleBack(const ScaledDelta& x, const Lanes& mean, const Lanes& by_delta,
                   const Lanes& by_in, const Lanes& constant, float* in_delta) {
  HWY_DYNAMIC_DISPATCH(PassScaleBackHere)(x, mean, by_delta, by_in, constant, in_delta);
}

}  // namespace airlot::learning
#endif  // HWY_ONCE
