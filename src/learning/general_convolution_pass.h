// GeneralConvolutionPass is a convolution of any stride, padding and groups, and ReLU where one
// follows.
#ifndef AIRLOT_LEARNING_GENERAL_CONVOLUTION_PASS_H_
#define AIRLOT_LEARNING_GENERAL_CONVOLUTION_PASS_H_

#include "learning/general_convolution_kernels.h"
#include "learning/network.h"

namespace airlot::learning {

class GeneralConvolutionPass : public LayerPass {
 public:
  GeneralConvolutionPass(const Step& step, Activations& input, Activations& output);
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float* parameters, const Batch& batch, float* gradient) override;
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  void TurnWeights(const float* weights);

  GeneralShape shape_;
  std::size_t weights_;  // how many there are
  bool has_bias_, relu_;
  Activations& input_;
  Activations& output_;
  Taps forward_, backward_;
  Floats turned_;  // the weights as [group][input][output][place]
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_GENERAL_CONVOLUTION_PASS_H_
