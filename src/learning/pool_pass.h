// PoolPass takes the largest number or the mean of each window.
#ifndef AIRLOT_LEARNING_POOL_PASS_H_
#define AIRLOT_LEARNING_POOL_PASS_H_

#include "learning/feature_kernels.h"
#include "learning/network.h"

namespace airlot::learning {

class PoolPass : public LayerPass {
 public:
  PoolPass(const Step& step, Activations& input, Activations& output);
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float*, const Batch&, float*) override {}
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  WindowShape shape_;
  bool is_mean_;
  Activations& input_;
  Activations& output_;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_POOL_PASS_H_
