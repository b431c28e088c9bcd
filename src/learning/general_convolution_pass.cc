#include "learning/general_convolution_pass.h"

#include <algorithm>

#include "learning/feature_kernels.h"

namespace airlot::learning {

GeneralConvolutionPass::GeneralConvolutionPass(const Step& step, Activations& input,
                                               Activations& output)
    : shape_(step.General()),
      weights_(step.weights),
      has_bias_(step.biases > 0),
      relu_(step.relu),
      input_(input),
      output_(output),
      forward_(ForwardTaps(shape_)) {
  if (!input.needs_delta) return;
  backward_ = BackwardTaps(shape_);
  turned_.resize(step.weights);
}

void GeneralConvolutionPass::Forward(const float* parameters, const Batch& batch) {
  const std::size_t pixels = shape_.height * shape_.width;
  const std::size_t out_pixels = shape_.out_height * shape_.out_width;
  const std::size_t rows = shape_.OutputsOfGroup(), channels = shape_.InputsOfGroup();
  for (std::size_t first = 0; first < batch.samples; first += PanelWidth()) {
    for (std::size_t group = 0; group < shape_.groups; ++group) {
      SumTaps({.taps = forward_,
               .rows = rows,
               .channels = channels,
               .kernel2 = shape_.Kernel2(),
               .weights = parameters + group * rows * channels * shape_.Kernel2(),
               .bias = has_bias_ ? parameters + weights_ + group * rows : nullptr,
               .relu = relu_,
               .in = input_.by_feature + first * input_.features +
                     group * channels * pixels * PanelWidth(),
               .in_pixels = pixels,
               .out = output_.by_feature + first * output_.features +
                      group * rows * out_pixels * PanelWidth(),
               .out_pixels = out_pixels});
    }
  }
}

void GeneralConvolutionPass::AddGradient(const float*, const Batch& batch, float* gradient) {
  const std::size_t panels = batch.samples / PanelWidth();
  const std::size_t rows = shape_.OutputsOfGroup(), channels = shape_.InputsOfGroup();
  const std::size_t pixels = shape_.height * shape_.width * PanelWidth();
  const std::size_t out_pixels = shape_.out_height * shape_.out_width * PanelWidth();
  if (relu_) {
    GateFeatures(output_.by_feature, output_.features * panels, output_.delta_by_feature.data());
  }
  for (std::size_t group = 0; group < shape_.groups; ++group) {
    AddTapGradient({.shape = shape_,
                    .panels = panels,
                    .in = input_.by_feature + group * channels * pixels,
                    .in_panel = input_.features * PanelWidth(),
                    .delta = output_.delta_by_feature.data() + group * rows * out_pixels,
                    .delta_panel = output_.features * PanelWidth(),
                    .gradient = gradient + group * rows * channels * shape_.Kernel2(),
                    .bias_gradient = has_bias_ ? gradient + weights_ + group * rows : nullptr});
  }
}

// TurnWeights brings the weights that an input has in all outputs together.
void GeneralConvolutionPass::TurnWeights(const float* weights) {
  const std::size_t rows = shape_.OutputsOfGroup(), channels = shape_.InputsOfGroup();
  const std::size_t places = shape_.Kernel2();
  for (std::size_t group = 0; group < shape_.groups; ++group) {
    float* turned = turned_.data() + group * rows * channels * places;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t channel = 0; channel < channels; ++channel, weights += places) {
        std::copy_n(weights, places, turned + (channel * rows + row) * places);
      }
    }
  }
}

void GeneralConvolutionPass::PassBack(const float* parameters, const Batch& batch) {
  if (!input_.needs_delta) return;
  TurnWeights(parameters);
  const std::size_t pixels = shape_.height * shape_.width;
  const std::size_t out_pixels = shape_.out_height * shape_.out_width;
  const std::size_t rows = shape_.InputsOfGroup(), channels = shape_.OutputsOfGroup();
  for (std::size_t first = 0; first < batch.samples; first += PanelWidth()) {
    for (std::size_t group = 0; group < shape_.groups; ++group) {
      SumTaps({.taps = backward_,
               .rows = rows,
               .channels = channels,
               .kernel2 = shape_.Kernel2(),
               .weights = turned_.data() + group * rows * channels * shape_.Kernel2(),
               .in = output_.delta_by_feature.data() + first * output_.features +
                     group * channels * out_pixels * PanelWidth(),
               .in_pixels = out_pixels,
               .out = input_.delta_by_feature.data() + first * input_.features +
                      group * rows * pixels * PanelWidth(),
               .out_pixels = pixels});
    }
  }
}

}  // namespace airlot::learning
