// DensePass is a dense layer: output = W input + b, and ReLU where one follows.
#ifndef AIRLOT_LEARNING_DENSE_PASS_H_
#define AIRLOT_LEARNING_DENSE_PASS_H_

#include <vector>

#include "learning/network.h"
#include "learning/panels.h"
#include "learning/product.h"

namespace airlot::learning {

class DensePass : public LayerPass {
 public:
  DensePass(Activations& input, Activations& output, bool relu);
  bool IsBySample() const override { return true; }
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float* parameters, const Batch& batch, float* gradient) override;
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  void FindRuns();
  void AddCropped(std::size_t row, float* gradient) const;

  Activations& input_;
  Activations& output_;
  bool relu_;
  Floats delta_by_feature_;  // the loss gradient of the output
  Floats packed_;            // a panel of W
  std::vector<Run> runs_;    // the runs of a row of W, where the input is cropped
  Floats cropped_gradient_;  // the gradient of the weights that see the crop
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_DENSE_PASS_H_
