// These kernels work feature by feature on one panel of samples: windows, normalisations, sums.
//
// Pointers are to [feature][panel]; a `Lanes` has one number for each sample of a panel.
#ifndef AIRLOT_LEARNING_FEATURE_KERNELS_H_
#define AIRLOT_LEARNING_FEATURE_KERNELS_H_

#include <cstddef>

#include "learning/micro_batch.h"

namespace airlot::learning {

struct alignas(64) Lanes {
  float of[kMicroBatch] = {};  // PanelWidth() of them are used
};

// A WindowShape is windows of `size` rows and columns over each of some channels.
struct WindowShape {
  std::size_t channels = 0, height = 0, width = 0;
  std::size_t out_height = 0, out_width = 0;
  std::size_t rows = 0, columns = 0, stride = 1;  // of a window
};
void TakeLargest(const WindowShape& shape, const float* in, float* out);
void TakeMeans(const WindowShape& shape, const float* in, float* out);
// These write the gradient of the input. The first of equal largest numbers gets all of it.
void PassLargestBack(const WindowShape& shape, const float* in, const float* out,
                     const float* delta, float* in_delta);
void PassMeansBack(const WindowShape& shape, const float* delta, float* in_delta);

// out = a + b, and max(0, .) where `relu`; b may be null for a alone.
void AddFeatures(const float* a, const float* b, std::size_t features, bool relu, float* out);
// delta = 0 where `out` is not above 0.
void GateFeatures(const float* out, std::size_t features, float* delta);
// out = a * b.
void MultiplyFeatures(const float* a, const float* b, std::size_t features, float* out);

// sums += the sum over the features of in, or of (in - mean)^2.
void AddSums(const float* in, std::size_t features, Lanes& sums);
void AddSquares(const float* in, std::size_t features, const Lanes& mean, Lanes& sums);
// out = in * scale + shift, and max(0, .) where `relu`.
void Scale(const float* in, std::size_t features, const Lanes& scale, const Lanes& shift, bool relu,
           float* out);
// A ScaledDelta is the gradient of what Scale computes, gated where `relu`.
struct ScaledDelta {
  const float* in;
  const float* delta;
  std::size_t features;
  const Lanes& scale;
  const Lanes& shift;
  bool relu;
};
// sums += the sum of the gated delta; products += that of delta * (in - mean).
void AddDeltaSums(const ScaledDelta& x, const Lanes& mean, Lanes& sums, Lanes& products);
// in_delta = by_delta * gated delta + by_in * (in - mean) + constant.
void PassScaleBack(const ScaledDelta& x, const Lanes& mean, const Lanes& by_delta,
                   const Lanes& by_in, const Lanes& constant, float* in_delta);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_FEATURE_KERNELS_H_
