#include "learning/network.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "learning/convolution_pass.h"
#include "learning/dense_pass.h"
#include "learning/dropout_pass.h"
#include "learning/feature_kernels.h"
#include "learning/general_convolution_pass.h"
#include "learning/normalization_pass.h"
#include "learning/pool_pass.h"
#include "learning/softmax.h"
#include "learning/sum_pass.h"

namespace airlot::learning {
namespace {

bool IsBySampleKind(StepKind kind) {
  return kind == StepKind::kDense || kind == StepKind::kPooledConvolution;
}

// Fill returns pointers for all samples: the last image fills the last panel up, and its copies
// have the weight 0.
template <class T>
std::array<const T*, kMicroBatch> Fill(std::span<const T* const> images) {
  std::array<const T*, kMicroBatch> filled;
  filled.fill(images.back());
  std::ranges::copy(images, filled.begin());
  return filled;
}

}  // namespace

Activations::Activations(std::size_t feature_count)
    : features(feature_count), own(Size()), by_feature(own.data()) {}

Activations::Activations(std::size_t feature_count, float* shared)
    : features(feature_count), by_feature(shared) {}

std::size_t Activations::Size() const { return features * RoundUp(kMicroBatch, PanelWidth()); }

// --- The steps -----------------------------------------------------------------------------------

Network::Network(const Model& model, const ImageShape& shape)
    : panel_(PanelWidth()),
      height_(std::size_t(shape.height)),
      width_(std::size_t(shape.width)),
      is_regression_(shape.classes == 0),
      steps_(StepsOf(model, shape)) {
  const std::size_t pixels = height_ * width_ * std::size_t(shape.channels);
  activations_.push_back(std::make_unique<Activations>(pixels));
  activations_[0]->width = width_;
  activations_[0]->needs_delta = false;
  other_readers_.resize(steps_.size() + 1);
  is_read_.resize(steps_.size() + 1);
  // Only the fused kernels know crops, and one reader has them.
  const auto reads_input = [](const Step& s) {
    return s.from == 0 || (s.kind == StepKind::kSum && s.other == 0);
  };
  may_crop_ = shape.channels == 1 && IsBySampleKind(steps_[0].kind) &&
              std::ranges::count_if(steps_, reads_input) == 1;
  std::size_t offset = 0, dropouts = 0;
  for (const Step& step : steps_) {
    activations_.push_back(std::make_unique<Activations>(step.out.Size()));
    activations_.back()->is_gated = step.relu && IsBySampleKind(step.kind);
    offsets_.push_back(offset);
    offset += step.weights + step.biases;
    passes_.push_back(PassOf(step, dropouts));
    if (step.kind == StepKind::kDropout) ++dropouts;
  }
  MakeDeltas();
}

Activations& Network::ReaderOf(std::size_t activation, bool is_by_sample) {
  Activations* reader = activations_[activation].get();
  if (is_read_[activation]) {
    auto other = std::make_unique<Activations>(reader->features, reader->by_feature);
    other->width = reader->width;
    other->needs_delta = reader->needs_delta;
    other->is_gated = reader->is_gated;
    reader = other.get();
    other_readers_[activation].push_back(std::move(other));
  }
  is_read_[activation] = true;
  reader->reader_is_by_sample = is_by_sample;
  if (is_by_sample || activation == 0) {
    reader->by_sample.resize(RoundUp(reader->features, panel_) * RoundUp(kMicroBatch, panel_));
  }
  return *reader;
}

std::unique_ptr<LayerPass> Network::PassOf(const Step& step, std::size_t dropouts) {
  Activations& input = ReaderOf(step.from, IsBySampleKind(step.kind));
  Activations& output = *activations_.back();
  switch (step.kind) {
    case StepKind::kPooledConvolution:
      return std::make_unique<ConvolutionPass>(step.Pooled(), input, output);
    case StepKind::kDense:
      return std::make_unique<DensePass>(input, output, step.relu);
    case StepKind::kConvolution:
      return std::make_unique<GeneralConvolutionPass>(step, input, output);
    case StepKind::kNormalization:
      return std::make_unique<NormalizationPass>(step, input, output);
    case StepKind::kMaxPool:
    case StepKind::kAveragePool:
      return std::make_unique<PoolPass>(step, input, output);
    case StepKind::kDropout:
      return std::make_unique<DropoutPass>(step.share, dropouts, input, output);
    case StepKind::kRelu:
      return std::make_unique<SumPass>(true, input, nullptr, output);
    case StepKind::kExternal:
      AIRLOT_CHECK(false, "an external model is trained by a backend of the user");
    case StepKind::kSum:
      return std::make_unique<SumPass>(step.relu, input, &ReaderOf(step.other, false), output);
  }
  return nullptr;
}

// MakeDeltas gives each reader room for deltas in its own form and in that of the step that made
// what it reads.
void Network::MakeDeltas() {
  const auto make = [&](bool maker_is_by_sample, Activations& reader) {
    const bool is_by_sample = reader.reader_is_by_sample;
    if (is_by_sample || maker_is_by_sample) {
      reader.delta_by_sample.resize(RoundUp(reader.features, panel_) *
                                    RoundUp(kMicroBatch, panel_));
    }
    if (!is_by_sample || !maker_is_by_sample) reader.delta_by_feature.resize(reader.Size());
  };
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    make(passes_[i]->IsBySample(), *activations_[i + 1]);
    for (auto& reader : other_readers_[i + 1]) make(passes_[i]->IsBySample(), *reader);
  }
}

// --- The input -----------------------------------------------------------------------------------

void Network::Start(std::size_t images, std::span<const SampleMask> masks) {
  AIRLOT_CHECK(images > 0 && images <= kMicroBatch, "{} images", images);
  AIRLOT_CHECK(masks.empty() || masks.size() == images, "{} masks of {} images", masks.size(),
               images);
  AIRLOT_CHECK(panel_ == PanelWidth(), "made for panels of {}, not {}", panel_, PanelWidth());
  masks_.assign(masks.begin(), masks.end());
  batch_ = {images, RoundUp(images, panel_), masks_};
}

void Network::Load(std::span<const std::uint8_t* const> images, std::span<const SampleMask> masks) {
  Start(images.size(), masks);
  auto filled = Fill(images);
  Activations& input = *activations_[0];
  if (may_crop_) return LoadCropped({filled.data(), batch_.samples});
  const Matrix by_sample = InPanels(input.by_sample.data(), batch_.samples);
  LoadPixels({filled.data(), batch_.samples}, input.features, by_sample);
  Transpose({by_sample.data, by_sample.row, by_sample.panel}, batch_.samples, input.features,
            InPanels(input.by_feature, input.features));
}

void Network::LoadCropped(std::span<const std::uint8_t*> filled) {
  const std::size_t samples = batch_.samples;
  Activations& input = *activations_[0];
  input.panel_crops.clear();
  input.crop.assign(height_, {});
  for (std::size_t first = 0; first < samples; first += panel_) {
    input.panel_crops.push_back(FindCrop({filled.data() + first, panel_}, height_, width_));
    input.crop = Unite(input.crop, input.panel_crops.back());
  }
  const std::size_t pixels = SizeOf(input.crop);
  cropped_.resize(samples * pixels);
  for (std::size_t i = 0; i < samples; ++i) {
    std::uint8_t* cropped = cropped_.data() + i * pixels;
    CropImage(filled[i], width_, input.crop, cropped);
    filled[i] = cropped;
  }
  const Matrix by_sample = InPanels(input.by_sample.data(), samples);
  LoadPixels({filled.data(), samples}, pixels, by_sample);
  Transpose({by_sample.data, by_sample.row, by_sample.panel}, samples, pixels,
            InPanels(input.by_feature, pixels));
}

void Network::Load(std::span<const float* const> values, std::span<const SampleMask> masks) {
  Start(values.size(), masks);
  const auto filled = Fill(values);
  Activations& input = *activations_[0];
  for (std::size_t i = 0; i < batch_.samples; ++i) {
    for (std::size_t f = 0; f < RoundUp(input.features, panel_); ++f) {
      input.by_sample[(f / panel_ * batch_.samples + i) * panel_ + f % panel_] =
          f < input.features ? filled[i][f] : 0;
    }
  }
  Transpose(InPanels<const float>(input.by_sample.data(), batch_.samples), batch_.samples,
            input.features, InPanels(input.by_feature, input.features));
}

// --- Forward and back ----------------------------------------------------------------------------

const float* Network::Forward(std::span<const float> parameters) {
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    passes_[i]->Forward(parameters.data() + offsets_[i], batch_);
  }
  return activations_.back()->by_feature;
}

void Network::AddGradient(std::span<const float> parameters, const Goal& goal,
                          std::span<const float> weights, std::span<float> losses,
                          std::span<float> gradient) {
  ReplaceLogits(goal, weights, losses);
  Activations& output = *activations_.back();
  Transpose(InPanels<const float>(output.by_feature, output.features), output.features,
            batch_.samples, RowByRow(output.delta_by_sample.data(), output.features));
  for (std::size_t i = passes_.size(); i-- > 0;) {
    if (i + 1 < passes_.size()) CollectDelta(i);
    const float* own = parameters.data() + offsets_[i];
    passes_[i]->AddGradient(own, batch_, gradient.data() + offsets_[i]);
    passes_[i]->PassBack(own, batch_);
  }
}

// CollectDelta brings what the readers of a step's output have passed back to the step's form, and
// adds it up.
void Network::CollectDelta(std::size_t step) {
  Activations& output = *activations_[step + 1];
  const bool by_sample = passes_[step]->IsBySample();
  BringTo(by_sample, output.is_gated, output);
  const std::size_t size = by_sample ? batch_.samples * RoundUp(output.features, panel_)
                                     : batch_.samples * output.features;
  for (auto& reader : other_readers_[step + 1]) {
    BringTo(by_sample, output.is_gated, *reader);
    const Floats& from = by_sample ? reader->delta_by_sample : reader->delta_by_feature;
    Floats& to = by_sample ? output.delta_by_sample : output.delta_by_feature;
    Add({from.data(), size}, {to.data(), size});
  }
}

void Network::BringTo(bool by_sample, bool is_gated, Activations& reader) const {
  if (reader.reader_is_by_sample) {
    if (by_sample) return;
    Transpose(RowByRow<const float>(reader.delta_by_sample.data(), reader.features), batch_.samples,
              reader.features, InPanels(reader.delta_by_feature.data(), reader.features));
    return;
  }
  if (is_gated) {
    GateFeatures(reader.by_feature, reader.features * batch_.samples / panel_,
                 reader.delta_by_feature.data());
  }
  if (!by_sample) return;
  Transpose(InPanels<const float>(reader.delta_by_feature.data(), reader.features), reader.features,
            batch_.samples, RowByRow(reader.delta_by_sample.data(), reader.features));
}

void Network::Losses(const Goal& goal, std::span<float> losses) { ReplaceLogits(goal, {}, losses); }

// The logits become the gradient of the weighted losses; what has no weight gets 0.
void Network::ReplaceLogits(const Goal& goal, std::span<const float> weights,
                            std::span<float> losses) {
  alignas(64) std::array<std::uint8_t, kMicroBatch> all_labels{};
  alignas(64) std::array<float, kMicroBatch> all_weights{}, all_targets{}, all_losses;
  std::ranges::copy(goal.labels, all_labels.begin());
  std::ranges::copy(goal.targets, all_targets.begin());
  std::ranges::copy(weights, all_weights.begin());
  Activations& output = *activations_.back();
  for (std::size_t first = 0; first < batch_.samples; first += panel_) {
    float* logits = output.by_feature + first * output.features;
    if (is_regression_) {
      SquaredErrorGradient(panel_, all_targets.data() + first, all_weights.data() + first, logits,
                           all_losses.data() + first);
    } else {
      SoftmaxGradient(output.features, all_labels.data() + first, all_weights.data() + first,
                      logits, all_losses.data() + first);
    }
  }
  std::copy_n(all_losses.begin(), batch_.images, losses.begin());
}

}  // namespace airlot::learning
