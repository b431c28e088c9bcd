#include "learning/normalization_pass.h"

#include <algorithm>
#include <cmath>

namespace airlot::learning {
namespace {

constexpr double kEpsilon = 1e-5;  // PyTorch's; what is added to a variance

}  // namespace

NormalizationPass::NormalizationPass(const Step& step, Activations& input, Activations& output)
    : channels_(step.in.channels),
      pixels_(step.in.Pixels()),
      groups_(step.groups),
      across_samples_(step.across_samples),
      relu_(step.relu),
      input_(input),
      output_(output),
      statistics_(kMicroBatch / PanelWidth() * groups_),
      scale_(kMicroBatch / PanelWidth() * channels_),
      shift_(scale_.size()) {}

std::size_t NormalizationPass::PlaceOf(std::size_t panel, std::size_t channel) const {
  return (panel * input_.features + channel * pixels_) * PanelWidth();
}

double NormalizationPass::CountOf(const Batch& batch) const {
  const std::size_t numbers = channels_ / groups_ * pixels_;
  return double(across_samples_ ? numbers * batch.images : numbers);
}

void NormalizationPass::Unite(const Batch& batch, std::size_t group, Lanes Statistic::*sums) {
  if (!across_samples_) return;
  const std::size_t width = PanelWidth();
  double all = 0;
  for (std::size_t i = 0; i < batch.images; ++i) {
    all += double((StatisticOf(i / width, group).*sums).of[i % width]);
  }
  for (std::size_t i = 0; i < batch.samples; ++i) {
    (StatisticOf(i / width, group).*sums).of[i % width] = float(all);
  }
}

void NormalizationPass::FindMeans(const Batch& batch, std::size_t group) {
  const std::size_t width = PanelWidth(), of_group = channels_ / groups_;
  for (std::size_t panel = 0; panel < batch.samples / width; ++panel) {
    Lanes& mean = StatisticOf(panel, group).mean;
    std::fill_n(mean.of, width, 0.0F);
    AddSums(input_.by_feature + PlaceOf(panel, group * of_group), of_group * pixels_, mean);
  }
  Unite(batch, group, &Statistic::mean);
  for (std::size_t i = 0; i < batch.samples; ++i) {
    float& mean = StatisticOf(i / width, group).mean.of[i % width];
    mean = float(double(mean) / CountOf(batch));
  }
}

void NormalizationPass::FindDeviations(const Batch& batch, std::size_t group) {
  const std::size_t width = PanelWidth(), of_group = channels_ / groups_;
  for (std::size_t panel = 0; panel < batch.samples / width; ++panel) {
    Statistic& statistic = StatisticOf(panel, group);
    std::fill_n(statistic.inverse_sd.of, width, 0.0F);
    AddSquares(input_.by_feature + PlaceOf(panel, group * of_group), of_group * pixels_,
               statistic.mean, statistic.inverse_sd);
  }
  Unite(batch, group, &Statistic::inverse_sd);
  for (std::size_t i = 0; i < batch.samples; ++i) {
    float& squares = StatisticOf(i / width, group).inverse_sd.of[i % width];
    squares = float(1 / std::sqrt(double(squares) / CountOf(batch) + kEpsilon));
  }
}

void NormalizationPass::Forward(const float* parameters, const Batch& batch) {
  const std::size_t width = PanelWidth();
  for (std::size_t group = 0; group < groups_; ++group) {
    FindMeans(batch, group);
    FindDeviations(batch, group);
  }
  for (std::size_t panel = 0; panel < batch.samples / width; ++panel) {
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      const Statistic& statistic = StatisticOf(panel, channel / (channels_ / groups_));
      Lanes& scale = scale_[panel * channels_ + channel];
      Lanes& shift = shift_[panel * channels_ + channel];
      for (std::size_t i = 0; i < width; ++i) {
        scale.of[i] = parameters[channel] * statistic.inverse_sd.of[i];
        shift.of[i] = parameters[channels_ + channel] - statistic.mean.of[i] * scale.of[i];
      }
      Scale(input_.by_feature + PlaceOf(panel, channel), pixels_, scale, shift, relu_,
            output_.by_feature + PlaceOf(panel, channel));
    }
  }
}

ScaledDelta NormalizationPass::DeltaOf(std::size_t panel, std::size_t channel) const {
  return {.in = input_.by_feature + PlaceOf(panel, channel),
          .delta = output_.delta_by_feature.data() + PlaceOf(panel, channel),
          .features = pixels_,
          .scale = scale_[panel * channels_ + channel],
          .shift = shift_[panel * channels_ + channel],
          .relu = relu_};
}

// Beside the gradient of weights and biases, the group's sums of weight * delta and of weight *
// delta * (input - mean) are kept for PassBack.
void NormalizationPass::AddGradient(const float* parameters, const Batch& batch, float* gradient) {
  const std::size_t width = PanelWidth();
  for (std::size_t panel = 0; panel < batch.samples / width; ++panel) {
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      const std::size_t of_group = channels_ / groups_;
      Statistic& statistic = StatisticOf(panel, channel / of_group);
      if (channel % of_group == 0) {
        std::fill_n(statistic.delta_sum.of, width, 0.0F);
        std::fill_n(statistic.delta_product.of, width, 0.0F);
      }
      Lanes sums, products;
      AddDeltaSums(DeltaOf(panel, channel), statistic.mean, sums, products);
      double weight_gradient = 0, bias_gradient = 0;
      for (std::size_t i = 0; i < width; ++i) {
        weight_gradient += double(products.of[i]) * double(statistic.inverse_sd.of[i]);
        bias_gradient += double(sums.of[i]);
        statistic.delta_sum.of[i] += parameters[channel] * sums.of[i];
        statistic.delta_product.of[i] += parameters[channel] * products.of[i];
      }
      gradient[channel] += float(weight_gradient);
      gradient[channels_ + channel] += float(bias_gradient);
    }
  }
}

void NormalizationPass::PassBack(const float*, const Batch& batch) {
  if (!input_.needs_delta) return;
  const std::size_t width = PanelWidth();
  const double count = CountOf(batch);
  for (std::size_t group = 0; group < groups_; ++group) {
    Unite(batch, group, &Statistic::delta_sum);
    Unite(batch, group, &Statistic::delta_product);
  }
  for (std::size_t panel = 0; panel < batch.samples / width; ++panel) {
    for (std::size_t group = 0; group < groups_; ++group) {
      const Statistic& statistic = StatisticOf(panel, group);
      Lanes by_in, constant;  // 0 for what is no real sample
      for (std::size_t i = 0; i < std::min(width, batch.images - panel * width); ++i) {
        const double inverse_sd = double(statistic.inverse_sd.of[i]);
        constant.of[i] = float(-inverse_sd * double(statistic.delta_sum.of[i]) / count);
        by_in.of[i] = float(-inverse_sd * inverse_sd * inverse_sd *
                            double(statistic.delta_product.of[i]) / count);
      }
      for (std::size_t c = 0; c < channels_ / groups_; ++c) {
        const std::size_t channel = group * (channels_ / groups_) + c;
        PassScaleBack(DeltaOf(panel, channel), statistic.mean, scale_[panel * channels_ + channel],
                      by_in, constant, input_.delta_by_feature.data() + PlaceOf(panel, channel));
      }
    }
  }
}

}  // namespace airlot::learning
