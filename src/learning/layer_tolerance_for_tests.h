// GradientTolerance says, for tests, how far the gradient of a network of any layers may be off in
// single precision. It is derived in docs/learning.md, "Rounding", "General kernels".
#ifndef AIRLOT_LEARNING_LAYER_TOLERANCE_FOR_TESTS_H_
#define AIRLOT_LEARNING_LAYER_TOLERANCE_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "airlot/model.h"
#include "learning/layers.h"

namespace airlot::learning {

// A tolerance that was larger than this share would let wrong terms pass, which show in percents.
inline constexpr double kWrongShare = 0.005;

// SumTerms are how many terms the longest sums of a step have.
struct SumTerms {
  double forward = 1, back = 1, gradient = 1;
};

inline SumTerms TermsOf(const Step& step, std::size_t samples) {
  const double images = double(samples), pixels = double(step.out.Pixels());
  switch (step.kind) {
    case StepKind::kPooledConvolution:  // One pixel of a window passes its gradient on.
    case StepKind::kConvolution:
      return {double(step.fan_in) + 1,
              double(step.out.channels / step.groups * step.kernel * step.kernel), images * pixels};
    case StepKind::kDense:
      return {double(step.fan_in) + 1, double(step.out.channels), images};
    case StepKind::kNormalization: {
      // Mean and deviation, and on the way back two sums, are over all that is normalised together.
      const double together = double(step.in.Size() / step.groups);
      const double numbers = step.across_samples ? together * images : together;
      return {2 * numbers, 2 * numbers, images * pixels};
    }
    case StepKind::kAveragePool:
      return {double(step.kernel == 0 ? step.in.Pixels() : step.kernel * step.kernel), 1, 0};
    case StepKind::kMaxPool: {
      // Windows overlap, and a pixel may be the largest of several.
      const std::size_t windows = (step.kernel + step.stride - 1) / step.stride;
      return {0, double(windows * windows), 0};
    }
    case StepKind::kSum:
    case StepKind::kDropout:
      return {1, 1, 0};
    case StepKind::kRelu:
    case StepKind::kExternal:  // Nobody here computes with it.
      return {0, 0, 0};
  }
  return {};
}

// Returns the tolerance as a share of a typical entry of the gradient.
inline double GradientTolerance(const Model& model, const ImageShape& shape, std::size_t samples) {
  constexpr double kDeviations = 8, kRoundoff = 0x1p-24;
  double on_the_way = std::sqrt(double(std::max(shape.classes, 1)) + 8);  // (L2), (L3)
  double at_the_end = 0;
  for (const Step& step : StepsOf(model, shape)) {
    const SumTerms terms = TermsOf(step, samples);
    on_the_way += std::sqrt(terms.forward) + std::sqrt(terms.back);
    at_the_end = std::max(at_the_end, std::sqrt(terms.gradient));
  }
  return kDeviations * kRoundoff * (on_the_way + at_the_end);
}

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_LAYER_TOLERANCE_FOR_TESTS_H_
