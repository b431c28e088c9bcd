// A micro-batch on its way through a network, forward and back.
#ifndef AIRLOT_LEARNING_NETWORK_H_
#define AIRLOT_LEARNING_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "airlot/model.h"
#include "learning/crop.h"
#include "learning/micro_batch.h"
#include "learning/panels.h"

namespace airlot::learning {

// What is between two layers, for a micro-batch, as panels (panels.h). `delta` is the gradient of
// the loss.
// The input of the network holds only the pixels inside of `crop`, row by row.
struct Activations {
  explicit Activations(std::size_t feature_count, std::size_t image_width = 0);

  std::size_t features;
  std::size_t width;              // of the input images
  Crop crop;                      // empty unless this is the input
  std::vector<Crop> panel_crops;  // the same for each panel of samples
  Floats by_feature;              // in panels
  Floats by_sample;               // in panels
  Floats delta_by_sample;         // row by row
};

// One layer, between its input and its output. `samples` is a multiple of the panel width; what
// does not belong to a real sample is zero in delta_by_sample.
class LayerPass {
 public:
  virtual ~LayerPass() = default;
  // output.by_feature from input.by_feature.
  virtual void Forward(const float* parameters, std::size_t samples) = 0;
  // Adds to the gradient of the layer's parameters, from output.delta_by_sample and
  // input.by_sample.
  virtual void AddGradient(std::size_t samples, float* gradient) = 0;
  // input.delta_by_sample, zero where input.by_sample is (the ReLU of the layer below).
  virtual void PassBack(const float* parameters, std::size_t samples) = 0;
};

class Network {
 public:
  Network(const Model& model, const ImageShape& shape);

  // Puts images into the input; at most kMicroBatch.
  void Load(std::span<const std::uint8_t* const> images);
  // The output for each image: logits by feature.
  const float* Forward(std::span<const float> parameters);
  // Adds the gradient of sum weights[i] * loss[i]; puts the losses of the images into `losses`.
  // After Forward, once.
  void AddGradient(std::span<const float> parameters, std::span<const std::uint8_t> labels,
                   std::span<const float> weights, std::span<float> losses,
                   std::span<float> gradient);
  // The losses alone. After Forward, once.
  void Losses(std::span<const std::uint8_t> labels, std::span<float> losses);

 private:
  void ReplaceLogits(std::span<const std::uint8_t> labels, std::span<const float> weights,
                     std::span<float> losses);

  std::size_t panel_;
  std::size_t height_, width_;                             // of the images
  std::size_t images_ = 0;                                 // of the micro-batch
  std::size_t samples_ = 0;                                // the same, filled up to whole panels
  std::vector<std::uint8_t> cropped_;                      // the images
  std::vector<std::unique_ptr<Activations>> activations_;  // the input first
  std::vector<std::unique_ptr<LayerPass>> layers_;
  std::vector<std::size_t> offsets_;  // of each layer's parameters
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_NETWORK_H_
