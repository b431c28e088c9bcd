#include "learning/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learning/softmax.cc"
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "learning/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {

// OrNaN returns f(x), and NaN for NaN: Exp and Log make numbers of it, and a training that has
// diverged would look as if it had not.
HWY_INLINE V OrNaN(V x, V f) { return hn::IfThenElse(hn::IsNaN(x), x, f); }

// SoftmaxGradientOf takes half a panel: `logits` and the results are vectors of samples, kPanel
// apart from class to class.
HWY_INLINE void SoftmaxGradientOf(std::size_t classes, const std::uint8_t* labels,
                                  const float* weights, float* logits, float* losses) {
  const D d;
  const hn::Rebind<std::int32_t, D> integers;
  const hn::Rebind<std::uint8_t, D> bytes;
  V largest = hn::Load(d, logits);
  for (std::size_t k = 1; k < classes; ++k) {
    largest = hn::Max(largest, hn::Load(d, logits + k * kPanel));
  }
  const V label = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, labels)));
  V sum = hn::Zero(d), own = hn::Zero(d);
  for (std::size_t k = 0; k < classes; ++k) {
    const V shifted = hn::Sub(hn::Load(d, logits + k * kPanel), largest);
    own = hn::IfThenElse(hn::Eq(label, hn::Set(d, float(k))), shifted, own);
    const V power = OrNaN(shifted, hn::Exp(d, shifted));
    sum = hn::Add(sum, power);
    hn::Store(power, d, logits + k * kPanel);
  }
  hn::Store(hn::Sub(OrNaN(sum, hn::Log(d, sum)), own), d, losses);  // (46)
  const V weight = hn::Load(d, weights), scale = hn::Div(weight, sum);
  for (std::size_t k = 0; k < classes; ++k) {  // (47)
    const V softmax = hn::Mul(hn::Load(d, logits + k * kPanel), scale);
    const auto is_label = hn::Eq(label, hn::Set(d, float(k)));
    hn::Store(hn::Sub(softmax, hn::IfThenElseZero(is_label, weight)), d, logits + k * kPanel);
  }
}

void SoftmaxGradientHere(std::size_t classes, const std::uint8_t* labels, const float* weights,
                         float* logits, float* losses) {
  for (std::size_t half = 0; half < kPanel; half += kLanes) {
    SoftmaxGradientOf(classes, labels + half, weights + half, logits + half, losses + half);
  }
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::learning {

HWY_EXPORT(SoftmaxGradientHere);

void SoftmaxGradient(std::size_t classes, const std::uint8_t* labels, const float* weights,
                     float* logits, float* losses) {
  HWY_DYNAMIC_DISPATCH(SoftmaxGradientHere)(classes, labels, weights, logits, losses);
}

void SquaredErrorGradient(std::size_t samples, const float* targets, const float* weights,
                          float* outputs, float* losses) {
  for (std::size_t i = 0; i < samples; ++i) {
    const float off = outputs[i] - targets[i];
    losses[i] = off * off;
    outputs[i] = weights[i] == 0 ? 0 : 2 * weights[i] * off;
  }
}

}  // namespace airlot::learning
#endif  // HWY_ONCE
