#include "learning/dense_pass.h"

#include "learning/product.h"

namespace airlot::learning {

DensePass::DensePass(Activations& input, Activations& output, bool relu)
    : input_(input),
      output_(output),
      relu_(relu),
      delta_by_feature_(RoundUp(kMicroBatch, PanelWidth()) * output.features),
      packed_(output.features * PanelWidth()),
      cropped_gradient_(input.width > 0 ? output.features * RoundUp(input.features, PanelWidth())
                                        : 0) {}

// The pixels of a row that the crop leaves are one run of the weights. A crop of all pixels needs
// no detour.
void DensePass::FindRuns() {
  runs_.clear();
  if (input_.crop.empty() || SizeOf(input_.crop) == input_.features) return;
  for (std::size_t y = 0; y < input_.crop.size(); ++y) {
    const RowSpan& span = input_.crop[y];
    runs_.push_back({y * input_.width + span.begin, span.Size()});
  }
}

void DensePass::Forward(const float* parameters, const Batch& batch) {
  const std::size_t inputs = input_.features, outputs = output_.features;
  FindRuns();
  Multiply({.rows = outputs,
            .terms = runs_.empty() ? inputs : SizeOf(input_.crop),
            .columns = batch.samples,
            .s = parameters,
            .s_row = inputs,
            .b = input_.by_feature,
            .c = InPanels(output_.by_feature, outputs),
            .runs = runs_,
            .finish = Finish::kBias,
            .bias = parameters + outputs * inputs,
            .relu = relu_});
}

void DensePass::AddGradient(const float*, const Batch& batch, float* gradient) {
  const std::size_t samples = batch.samples;
  if (input_.needs_delta) {
    Transpose(InPanels<const float>(input_.by_feature, input_.features), input_.features, samples,
              InPanels(input_.by_sample.data(), samples));
  }
  const std::size_t inputs = input_.features, outputs = output_.features;
  Transpose(RowByRow<const float>(output_.delta_by_sample.data(), outputs), samples, outputs,
            RowByRow(delta_by_feature_.data(), samples));
  const bool cropped = !runs_.empty();
  const std::size_t columns = cropped ? SizeOf(input_.crop) : inputs;
  Multiply({.rows = outputs,
            .terms = samples,
            .columns = columns,
            .s = delta_by_feature_.data(),
            .s_row = samples,
            .b = input_.by_sample.data(),
            .c = cropped ? RowByRow(cropped_gradient_.data(), columns)
                         : Matrix{gradient, inputs, PanelWidth()},
            .finish = cropped ? Finish::kStore : Finish::kAdd,
            .columns_first = true});
  if (cropped) AddCropped(RoundUp(columns, PanelWidth()), gradient);
  AddRowSums(delta_by_feature_.data(), outputs, samples, gradient + outputs * inputs);
}

// AddCropped adds the gradient of the weights that see the crop where they belong.
void DensePass::AddCropped(std::size_t row, float* gradient) const {
  for (std::size_t output = 0; output < output_.features; ++output) {
    const float* from = cropped_gradient_.data() + output * row;
    for (const Run& run : runs_) {
      float* to = gradient + output * input_.features + run.begin;
      for (std::size_t i = 0; i < run.length; ++i) to[i] += from[i];
      from += run.length;
    }
  }
}

void DensePass::PassBack(const float* parameters, const Batch& batch) {
  if (!input_.needs_delta) return;
  const std::size_t samples = batch.samples;
  const std::size_t panel = PanelWidth(), inputs = input_.features, outputs = output_.features;
  const Matrix delta = RowByRow(input_.delta_by_sample.data(), inputs);
  const auto gate = InPanels<const float>(input_.by_sample.data(), samples);
  // The loop goes panel by panel, because W by columns would touch a page of memory for every
  // number.
  for (std::size_t p = 0; p * panel < inputs; ++p) {
    PackPanel(parameters, outputs, inputs, p, packed_.data());
    Multiply({.rows = samples,
              .terms = outputs,
              .columns = panel,
              .s = output_.delta_by_sample.data(),
              .s_row = RoundUp(outputs, panel),
              .b = packed_.data(),
              .c = {delta.data + p * delta.panel, delta.row, delta.panel},
              .finish = input_.is_gated ? Finish::kGate : Finish::kStore,
              .gate = {gate.data + p * gate.panel, gate.row, gate.panel}});
  }
}

}  // namespace airlot::learning
