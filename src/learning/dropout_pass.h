// DropoutPass makes a share of the numbers 0 in training, and divides the others by 1 - share.
//
// The mask of a sample is decided by (seed, round, device, step, sample) and the layer.
#ifndef AIRLOT_LEARNING_DROPOUT_PASS_H_
#define AIRLOT_LEARNING_DROPOUT_PASS_H_

#include "learning/network.h"

namespace airlot::learning {

class DropoutPass : public LayerPass {
 public:
  // `layer` counts the dropout layers of a model.
  DropoutPass(double share, std::size_t layer, Activations& input, Activations& output);
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float*, const Batch&, float*) override {}
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  void DrawMask(const SampleMask& mask, float* factors) const;

  double share_;
  std::size_t layer_;
  Activations& input_;
  Activations& output_;
  Floats factors_;  // 0 or 1 / (1 - share), as the activations by feature
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_DROPOUT_PASS_H_
