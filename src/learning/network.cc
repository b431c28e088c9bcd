#include "learning/network.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "learning/convolution_pass.h"
#include "learning/dense_pass.h"
#include "learning/layers.h"
#include "learning/softmax.h"

namespace airlot::learning {
Activations::Activations(std::size_t feature_count, std::size_t image_width)
    : features(feature_count),
      width(image_width),
      by_feature(features * RoundUp(kMicroBatch, PanelWidth())),
      by_sample(RoundUp(features, PanelWidth()) * RoundUp(kMicroBatch, PanelWidth())),
      delta_by_sample(width > 0 ? 0 : by_sample.size()) {}  // nothing is passed back to the images

Network::Network(const Model& model, const ImageShape& shape)
    : panel_(PanelWidth()), height_(std::size_t(shape.height)), width_(std::size_t(shape.width)) {
  const auto status = Validate(model, shape);
  AIRLOT_CHECK(status, "{}", status.error().message);
  activations_.push_back(std::make_unique<Activations>(height_ * width_, width_));
  std::size_t offset = 0;
  for (const LayerShape& layer : LayersOf(model, shape)) {
    Activations& input = *activations_.back();
    activations_.push_back(std::make_unique<Activations>(layer.outputs));
    Activations& output = *activations_.back();
    offsets_.push_back(offset);
    offset += layer.weights + layer.biases;
    if (layer.convolution) {
      layers_.push_back(std::make_unique<ConvolutionPass>(*layer.convolution, input, output));
    } else {
      layers_.push_back(std::make_unique<DensePass>(input, output, layer.relu));
    }
  }
}

void Network::Load(std::span<const std::uint8_t* const> images) {
  AIRLOT_CHECK(!images.empty() && images.size() <= kMicroBatch, "{} images", images.size());
  AIRLOT_CHECK(panel_ == PanelWidth(), "made for panels of {}, not {}", panel_, PanelWidth());
  images_ = images.size();
  samples_ = RoundUp(images_, panel_);
  // The last image fills the last panel up; its copies will have the weight 0.
  std::array<const std::uint8_t*, kMicroBatch> filled;
  std::fill(std::copy(images.begin(), images.end(), filled.begin()), filled.end(), images.back());
  Activations& input = *activations_.front();
  input.panel_crops.clear();
  input.crop.assign(height_, {});
  for (std::size_t first = 0; first < samples_; first += panel_) {
    input.panel_crops.push_back(FindCrop({filled.data() + first, panel_}, height_, width_));
    input.crop = Unite(input.crop, input.panel_crops.back());
  }
  const std::size_t pixels = SizeOf(input.crop);
  cropped_.resize(samples_ * pixels);
  for (std::size_t i = 0; i < samples_; ++i) {
    std::uint8_t* cropped = cropped_.data() + i * pixels;
    CropImage(filled[i], width_, input.crop, cropped);
    filled[i] = cropped;
  }
  const Matrix by_sample = InPanels(input.by_sample.data(), samples_);
  LoadPixels({filled.data(), samples_}, pixels, by_sample);
  Transpose({by_sample.data, by_sample.row, by_sample.panel}, samples_, pixels,
            InPanels(input.by_feature.data(), pixels));
}

const float* Network::Forward(std::span<const float> parameters) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->Forward(parameters.data() + offsets_[i], samples_);
  }
  return activations_.back()->by_feature.data();
}

void Network::AddGradient(std::span<const float> parameters, std::span<const std::uint8_t> labels,
                          std::span<const float> weights, std::span<float> losses,
                          std::span<float> gradient) {
  ReplaceLogits(labels, weights, losses);
  Activations& output = *activations_.back();
  Transpose(InPanels<const float>(output.by_feature.data(), output.features), output.features,
            samples_, RowByRow(output.delta_by_sample.data(), output.features));
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Activations& input = *activations_[i];
    if (i > 0) {
      Transpose(InPanels<const float>(input.by_feature.data(), input.features), input.features,
                samples_, InPanels(input.by_sample.data(), samples_));
    }
    layers_[i]->AddGradient(samples_, gradient.data() + offsets_[i]);
    if (i > 0) layers_[i]->PassBack(parameters.data() + offsets_[i], samples_);
  }
}

void Network::Losses(std::span<const std::uint8_t> labels, std::span<float> losses) {
  ReplaceLogits(labels, {}, losses);
}

// The logits become the gradient of the weighted losses; what has no weight gets 0.
void Network::ReplaceLogits(std::span<const std::uint8_t> labels, std::span<const float> weights,
                            std::span<float> losses) {
  alignas(64) std::array<std::uint8_t, kMicroBatch> all_labels{};
  alignas(64) std::array<float, kMicroBatch> all_weights{}, all_losses;
  std::copy(labels.begin(), labels.end(), all_labels.begin());
  std::copy(weights.begin(), weights.end(), all_weights.begin());
  Activations& output = *activations_.back();
  for (std::size_t first = 0; first < samples_; first += panel_) {
    SoftmaxGradient(output.features, all_labels.data() + first, all_weights.data() + first,
                    output.by_feature.data() + first * output.features, all_losses.data() + first);
  }
  std::copy_n(all_losses.begin(), images_, losses.begin());
}

}  // namespace airlot::learning
