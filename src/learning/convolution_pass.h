// A convolution with ReLU and max-pooling.
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
  void Forward(const float* parameters, std::size_t samples) override;
  void AddGradient(std::size_t samples, float* gradient) override;
  void PassBack(const float* parameters, std::size_t samples) override;

 private:
  void UseCrop();
  void PadPanel(const float* panel);
  void PadSample(std::size_t sample, std::size_t samples);
  const float* TakeDelta(std::size_t sample);
  void PutInputGradient(std::size_t sample, std::size_t samples);

  ConvolutionShape shape_;
  Activations& input_;
  Activations& output_;
  std::vector<std::uint8_t> largest_;  // laid out as the output by feature
  Crop crop_;                          // outside of which the padded inputs are zero
  Floats padded_panel_;                // the input of one panel
  std::vector<std::uint32_t> cell_offset_, place_offset_;  // in a padded image
  // Buffers for one sample:
  Floats row_;     // input, one feature after another
  Floats padded_;  // input
  Floats padded_gradient_;
  std::vector<std::uint32_t> offset_;  // of each output's largest window
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_CONVOLUTION_PASS_H_
