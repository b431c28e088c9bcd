#include "learning/convolution_pass.h"

#include <algorithm>

namespace airlot::learning {
namespace {

// ForEachRow calls copy(index inside of the crop, index in the padded image, length) for each row
// of each channel.
template <class Copy>
void ForEachRow(const ConvolutionShape& shape, const Crop& crop, const Copy& copy) {
  const std::size_t border = shape.kernel / 2;
  std::size_t index = 0;
  for (std::size_t input = 0; input < shape.inputs; ++input) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      const std::size_t row = input * shape.PaddedHeight() + y + border;
      copy(index, row * shape.PaddedWidth() + border + crop[y].begin, crop[y].Size());
      index += crop[y].Size();
    }
  }
}

}  // namespace

ConvolutionPass::ConvolutionPass(const ConvolutionShape& shape, Activations& input,
                                 Activations& output)
    : shape_(shape),
      input_(input),
      output_(output),
      largest_(output.Size()),
      padded_panel_(shape.PaddedSize() * PanelWidth(), 0.0F),
      row_(RoundUp(input.features, PanelWidth())),
      padded_(shape.PaddedSize() + kPaddedSlack, 0.0F),
      padded_gradient_(padded_.size()),
      offset_(output.features) {
  for (std::size_t cell = 0; cell < shape.Cells(); ++cell) {
    const std::size_t y = cell / shape.OutputWidth(), x = cell % shape.OutputWidth();
    cell_offset_.push_back(std::uint32_t((y * shape.PaddedWidth() + x) * shape.pool));
  }
  for (std::size_t place = 0; place < shape.pool * shape.pool; ++place) {
    const std::size_t y = place / shape.pool, x = place % shape.pool;
    place_offset_.push_back(std::uint32_t(y * shape.PaddedWidth() + x));
  }
}

void ConvolutionPass::Forward(const float* parameters, const Batch& batch) {
  const std::size_t panel = PanelWidth();
  UseCrop();
  const float* bias = parameters + shape_.channels * shape_.WeightsPerChannel();
  for (std::size_t first = 0; first < batch.samples; first += panel) {
    PadPanel(input_.by_feature + first * shape_.inputs * SizeOf(crop_));
    const Crop& crop = input_.panel_crops.empty() ? crop_ : input_.panel_crops[first / panel];
    ConvolveAndPool(shape_, crop, padded_panel_.data(), parameters, bias,
                    output_.by_feature + first * output_.features,
                    largest_.data() + first * output_.features);
  }
}

// UseCrop takes the crop of the input, or all of it, and clears what another crop left in the
// padded inputs.
void ConvolutionPass::UseCrop() {
  const Crop crop = input_.crop.empty() ? Crop(shape_.height, {0, shape_.width}) : input_.crop;
  if (crop == crop_) return;
  crop_ = crop;
  std::fill(padded_panel_.begin(), padded_panel_.end(), 0.0F);
  std::fill(padded_.begin(), padded_.end(), 0.0F);
}

void ConvolutionPass::PadPanel(const float* input) {
  const std::size_t panel = PanelWidth();
  ForEachRow(shape_, crop_, [&](std::size_t from, std::size_t to, std::size_t length) {
    std::copy_n(input + from * panel, length * panel, padded_panel_.data() + to * panel);
  });
}

void ConvolutionPass::AddGradient(const float*, const Batch& batch, float* gradient) {
  const std::size_t samples = batch.samples;
  if (input_.needs_delta) {
    Transpose(InPanels<const float>(input_.by_feature, input_.features), input_.features, samples,
              InPanels(input_.by_sample.data(), samples));
  }
  float* bias_gradient = gradient + shape_.channels * shape_.WeightsPerChannel();
  for (std::size_t sample = 0; sample < samples; ++sample) {
    PadSample(sample, samples);
    const float* delta = TakeDelta(sample);
    AddWeightGradient(shape_, padded_.data(), delta, offset_.data(), gradient, bias_gradient);
  }
}

void ConvolutionPass::PadSample(std::size_t sample, std::size_t samples) {
  const std::size_t panel = PanelWidth();
  for (std::size_t f = 0; f < shape_.inputs * SizeOf(crop_); f += panel) {
    std::copy_n(input_.by_sample.data() + f * samples + sample * panel, panel, row_.data() + f);
  }
  ForEachRow(shape_, crop_, [&](std::size_t from, std::size_t to, std::size_t length) {
    std::copy_n(row_.data() + from, length, padded_.data() + to);
  });
}

// TakeDelta returns the output gradient of a sample, and notes in offset_ where it goes.
const float* ConvolutionPass::TakeDelta(std::size_t sample) {
  const std::size_t panel = PanelWidth();
  const std::uint8_t* largest =
      largest_.data() + sample / panel * panel * output_.features + sample % panel;
  std::size_t feature = 0;
  for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
    for (const std::uint32_t cell : cell_offset_) {
      offset_[feature] = cell + place_offset_[largest[feature * panel]];
      ++feature;
    }
  }
  return output_.delta_by_sample.data() + sample * RoundUp(output_.features, panel);
}

void ConvolutionPass::PassBack(const float* parameters, const Batch& batch) {
  if (!input_.needs_delta) return;
  const std::size_t samples = batch.samples;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const float* delta = TakeDelta(sample);
    std::fill(padded_gradient_.begin(), padded_gradient_.end(), 0.0F);
    AddInputGradient(shape_, parameters, delta, offset_.data(), padded_gradient_.data());
    PutInputGradient(sample, samples);
  }
}

void ConvolutionPass::PutInputGradient(std::size_t sample, std::size_t samples) {
  const std::size_t panel = PanelWidth();
  float* delta = input_.delta_by_sample.data() + sample * RoundUp(input_.features, panel);
  ForEachRow(shape_, crop_, [&](std::size_t to, std::size_t from, std::size_t length) {
    std::copy_n(padded_gradient_.data() + from, length, delta + to);
  });
  if (!input_.is_gated) return;
  for (std::size_t f = 0; f < input_.features; ++f) {
    const std::size_t at = (f / panel * samples + sample) * panel + f % panel;
    if (!(input_.by_sample[at] > 0)) delta[f] = 0;
  }
}

}  // namespace airlot::learning
