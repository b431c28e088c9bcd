// A SampleBatch is the samples of a micro-batch, as the network is given them.
#ifndef AIRLOT_LEARNING_SAMPLE_BATCH_H_
#define AIRLOT_LEARNING_SAMPLE_BATCH_H_

#include <array>
#include <cstdint>
#include <span>

#include "airlot/dataset.h"
#include "learning/network.h"

namespace airlot::learning {

struct SampleBatch {
  explicit SampleBatch(const Images& all) : images(all) {}

  // All samples of a batch have masks, or none.
  void Add(std::size_t sample, float weight, const MaskDraw* mask = nullptr) {
    if (images.values.empty()) {
      pixels[size] = images.Image(sample).data();
    } else {
      values[size] = images.values.data() + sample * images.PixelsPerImage();
    }
    if (images.classes > 0) {
      labels[size] = images.labels[sample];
    } else {
      targets[size] = images.targets[sample];
    }
    if (mask != nullptr) masks[masked++] = {*mask, std::uint32_t(sample)};
    weights[size++] = weight;
  }
  void LoadInto(Network& network) const {
    const std::span<const SampleMask> own{masks.data(), masked};
    if (images.values.empty()) {
      network.Load(std::span(pixels.data(), size), own);
    } else {
      network.Load(std::span(values.data(), size), own);
    }
  }
  Network::Goal Goal() const {
    if (images.classes > 0) return {.labels = {labels.data(), size}};
    return {.targets = {targets.data(), size}};
  }
  std::span<const float> Weights() const { return {weights.data(), size}; }

  const Images& images;
  std::array<const std::uint8_t*, kMicroBatch> pixels;
  std::array<const float*, kMicroBatch> values;
  std::array<std::uint8_t, kMicroBatch> labels;
  std::array<float, kMicroBatch> targets, weights;
  std::array<SampleMask, kMicroBatch> masks;
  std::size_t size = 0, masked = 0;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_SAMPLE_BATCH_H_
