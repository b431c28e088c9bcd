#include "learning/sum_pass.h"

#include <algorithm>

#include "learning/feature_kernels.h"

namespace airlot::learning {

// The panels of a micro-batch lie one behind the other, so they are taken as one.
void SumPass::Forward(const float*, const Batch& batch) {
  AddFeatures(input_.by_feature, other_ == nullptr ? nullptr : other_->by_feature,
              output_.features * batch.samples / PanelWidth(), relu_, output_.by_feature);
}

void SumPass::PassBack(const float*, const Batch& batch) {
  float* delta = output_.delta_by_feature.data();
  const std::size_t size = output_.features * batch.samples;
  if (relu_) GateFeatures(output_.by_feature, size / PanelWidth(), delta);
  if (input_.needs_delta) std::copy_n(delta, size, input_.delta_by_feature.data());
  if (other_ != nullptr && other_->needs_delta) {
    std::copy_n(delta, size, other_->delta_by_feature.data());
  }
}

}  // namespace airlot::learning
