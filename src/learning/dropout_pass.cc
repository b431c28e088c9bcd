#include "learning/dropout_pass.h"

#include <algorithm>
#include <cmath>

#include "learning/feature_kernels.h"
#include "learning/purposes.h"

namespace airlot::learning {

DropoutPass::DropoutPass(double share, std::size_t layer, Activations& input, Activations& output)
    : share_(share), layer_(layer), input_(input), output_(output), factors_(input.Size()) {}

void DropoutPass::Forward(const float*, const Batch& batch) {
  const std::size_t features = input_.features * batch.samples / PanelWidth();
  if (batch.masks.empty()) {
    std::fill_n(factors_.begin(), input_.features * batch.samples, 1.0F);
  } else {
    std::fill_n(factors_.begin(), input_.features * batch.samples, 0.0F);
    for (std::size_t i = 0; i < batch.images; ++i) {
      const std::size_t panel = i / PanelWidth() * PanelWidth();
      DrawMask(batch.masks[i], factors_.data() + panel * input_.features + i % PanelWidth());
    }
  }
  MultiplyFeatures(input_.by_feature, factors_.data(), features, output_.by_feature);
}

// A word of a stream decides over two features. A block has four words; the block's number says the
// sample, the layer and the place, and the stream's round has the step in its upper half.
void DropoutPass::DrawMask(const SampleMask& mask, float* factors) const {
  const auto least = std::uint64_t(std::llround(std::ldexp(share_, 32)));
  const auto kept = float(1 / (1 - share_));
  const std::uint64_t round = mask.round | std::uint64_t(mask.step) << 32U;
  const std::uint64_t first = std::uint64_t(mask.sample) << 32U | std::uint64_t(layer_) << 24U;
  for (std::size_t f = 0; f < input_.features; f += 8) {
    const auto block =
        base::StreamBlock(mask.seed, kDropoutMask, round, mask.device, first + f / 8);
    for (std::size_t k = 0; k < std::min<std::size_t>(8, input_.features - f); ++k) {
      const std::uint64_t bits = block[k / 2] >> (32 * (k % 2)) & 0xFFFFFFFFU;
      factors[(f + k) * PanelWidth()] = bits >= least ? kept : 0;
    }
  }
}

void DropoutPass::PassBack(const float*, const Batch& batch) {
  if (!input_.needs_delta) return;
  MultiplyFeatures(output_.delta_by_feature.data(), factors_.data(),
                   input_.features * batch.samples / PanelWidth(), input_.delta_by_feature.data());
}

}  // namespace airlot::learning
