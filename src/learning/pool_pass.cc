#include "learning/pool_pass.h"

namespace airlot::learning {

// A kernel of 0 is the whole image.
PoolPass::PoolPass(const Step& step, Activations& input, Activations& output)
    : shape_{.channels = step.in.channels,
             .height = step.in.height,
             .width = step.in.width,
             .out_height = step.out.height,
             .out_width = step.out.width,
             .rows = step.kernel == 0 ? step.in.height : step.kernel,
             .columns = step.kernel == 0 ? step.in.width : step.kernel,
             .stride = step.stride},
      is_mean_(step.kind == StepKind::kAveragePool),
      input_(input),
      output_(output) {}

void PoolPass::Forward(const float*, const Batch& batch) {
  for (std::size_t first = 0; first < batch.samples; first += PanelWidth()) {
    const float* in = input_.by_feature + first * input_.features;
    float* out = output_.by_feature + first * output_.features;
    is_mean_ ? TakeMeans(shape_, in, out) : TakeLargest(shape_, in, out);
  }
}

void PoolPass::PassBack(const float*, const Batch& batch) {
  if (!input_.needs_delta) return;
  for (std::size_t first = 0; first < batch.samples; first += PanelWidth()) {
    const float* delta = output_.delta_by_feature.data() + first * output_.features;
    float* in_delta = input_.delta_by_feature.data() + first * input_.features;
    if (is_mean_) {
      PassMeansBack(shape_, delta, in_delta);
    } else {
      PassLargestBack(shape_, input_.by_feature + first * input_.features,
                      output_.by_feature + first * output_.features, delta, in_delta);
    }
  }
}

}  // namespace airlot::learning
