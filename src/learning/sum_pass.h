// SumPass adds two activations, or takes one alone, and ReLU where one follows.
#ifndef AIRLOT_LEARNING_SUM_PASS_H_
#define AIRLOT_LEARNING_SUM_PASS_H_

#include "learning/network.h"

namespace airlot::learning {

class SumPass : public LayerPass {
 public:
  // `other` may be null.
  SumPass(bool relu, Activations& input, Activations* other, Activations& output)
      : relu_(relu), input_(input), other_(other), output_(output) {}
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float*, const Batch&, float*) override {}
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  bool relu_;
  Activations& input_;
  Activations* other_;
  Activations& output_;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_SUM_PASS_H_
