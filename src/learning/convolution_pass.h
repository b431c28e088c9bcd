// ConvolutionPass is a layer of convolution, ReLU and max-pooling.
#ifndef AIRLOT_LEARNING_CONVOLUTION_PASS_H_
#define AIRLOT_LEARNING_CONVOLUTION_PASS_H_

#include <cstdint>
#include <vector>

#include "learning/convolution_kernels.h"
#include "learning/network.h"
#include "learning/panels.h"

namespace airlot::learning {

class ConvolutionPass : public LayerPass {
 public:
  ConvolutionPass(const ConvolutionShape& shape, Activations& input, Activations& output);
  bool IsBySample() const override { return true; }
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float* parameters, const Batch& batch, float* gradient) override;
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  void UseCrop();
  void PadPanel(const float* panel);
  void PadSample(std::size_t sample, std::size_t samples);
  const float* TakeDelta(std::size_t sample);
  void PutInputGradient(std::size_t sample, std::size_t samples);

  ConvolutionShape shape_;
  Activations& input_;
  Activations& output_;
  std::vector<std::uint8_t> largest_;  // places in windows, laid out as the output by feature
  Crop crop_;                          // outside of the crop, the padded inputs are zero
  Floats padded_panel_;                // the padded input of one panel
  std::vector<std::uint32_t> cell_offset_, place_offset_;  // offsets in a padded image
  // These are buffers for one sample.
  Floats row_;     // the input, one feature after another
  Floats padded_;  // the padded input
  Floats padded_gradient_;
  std::vector<std::uint32_t> offset_;  // the place of each output's largest window
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_CONVOLUTION_PASS_H_
