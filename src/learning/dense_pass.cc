#include "learning/dense_pass.h"

#include "learning/product.h"

namespace airlot::learning {

DensePass::DensePass(Activations& input, Activations& output, bool relu)
    : input_(input),
      output_(output),
      relu_(relu),
      delta_by_feature_(output.by_feature.size()),
      packed_(output.features * PanelWidth()),
      cropped_gradient_(input.width > 0 ? output.features * RoundUp(input.features, PanelWidth())
                                        : 0) {}

// A box of all pixels needs no detour.
bool DensePass::IsCropped() const {
  return input_.box.Size() > 0 && input_.box.Size() < input_.features;
}

void DensePass::Forward(const float* parameters, std::size_t samples) {
  const std::size_t inputs = input_.features, outputs = output_.features;
  const Box& box = input_.box;
  const bool cropped = IsCropped();
  Multiply({.rows = outputs,
            .terms = cropped ? box.Size() : inputs,
            .columns = samples,
            .s = cropped ? parameters + box.top * input_.width + box.left : parameters,
            .s_row = inputs,
            .run = cropped ? box.width : inputs,
            .s_run = input_.width,
            .b = input_.by_feature.data(),
            .c = InPanels(output_.by_feature.data(), outputs),
            .bias = parameters + outputs * inputs,
            .relu = relu_});
}

void DensePass::AddGradient(std::size_t samples, float* gradient) {
  const std::size_t inputs = input_.features, outputs = output_.features;
  Transpose(RowByRow<const float>(output_.delta_by_sample.data(), outputs), samples, outputs,
            RowByRow(delta_by_feature_.data(), samples));
  const std::size_t pixels = IsCropped() ? input_.box.Size() : inputs;
  Multiply({.rows = outputs,
            .terms = samples,
            .columns = pixels,
            .s = delta_by_feature_.data(),
            .s_row = samples,
            .b = input_.by_sample.data(),
            .c = IsCropped() ? RowByRow(cropped_gradient_.data(), pixels)
                             : Matrix{gradient, inputs, PanelWidth()},
            .accumulate = !IsCropped(),
            .columns_first = true});
  if (IsCropped()) AddCropped(gradient);
  AddRowSums(delta_by_feature_.data(), outputs, samples, gradient + outputs * inputs);
}

// Puts the gradient of the cropped weights where they belong.
void DensePass::AddCropped(float* gradient) const {
  const Box& box = input_.box;
  for (std::size_t output = 0; output < output_.features; ++output) {
    const float* from = cropped_gradient_.data() + output * RoundUp(box.Size(), PanelWidth());
    float* to = gradient + output * input_.features + box.top * input_.width + box.left;
    for (std::size_t y = 0; y < box.height; ++y, from += box.width, to += input_.width) {
      for (std::size_t x = 0; x < box.width; ++x) to[x] += from[x];
    }
  }
}

void DensePass::PassBack(const float* parameters, std::size_t samples) {
  const std::size_t panel = PanelWidth(), inputs = input_.features, outputs = output_.features;
  const Matrix delta = RowByRow(input_.delta_by_sample.data(), inputs);
  const auto gate = InPanels<const float>(input_.by_sample.data(), samples);
  // Panel by panel, because W by columns would touch a page of memory for every number.
  for (std::size_t p = 0; p * panel < inputs; ++p) {
    PackPanel(parameters, outputs, inputs, p, packed_.data());
    Multiply({.rows = samples,
              .terms = outputs,
              .columns = panel,
              .s = output_.delta_by_sample.data(),
              .s_row = RoundUp(outputs, panel),
              .b = packed_.data(),
              .c = {delta.data + p * delta.panel, delta.row, delta.panel},
              .gate = {gate.data + p * gate.panel, gate.row, gate.panel}});
  }
}

}  // namespace airlot::learning
