// A Network takes a micro-batch forward through its layers and back.
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

// Activations are what is between two layers, for a micro-batch, as panels (panels.h). `delta` is
// the gradient of the loss. The input of the network holds only the pixels inside of `crop`, row by
// row.
struct Activations {
  explicit Activations(std::size_t feature_count, std::size_t image_width = 0);

  std::size_t features;
  std::size_t width;              // width of the input images
  Crop crop;                      // empty unless this is the input
  std::vector<Crop> panel_crops;  // the crop of each panel of samples
  Floats by_feature;              // in panels
  Floats by_sample;               // in panels
  Floats delta_by_sample;         // row by row
};

// A LayerPass is one layer, between its input and its output. `samples` is a multiple of the panel
// width; what does not belong to a real sample is zero in delta_by_sample.
class LayerPass {
 public:
  virtual ~LayerPass() = default;
  // Forward computes output.by_feature from input.by_feature.
  virtual void Forward(const float* parameters, std::size_t samples) = 0;
  // AddGradient adds to the gradient of the layer's parameters, from output.delta_by_sample and
  // input.by_sample.
  virtual void AddGradient(std::size_t samples, float* gradient) = 0;
  // PassBack computes input.delta_by_sample, which is zero where input.by_sample is (the ReLU of
  // the layer below).
  virtual void PassBack(const float* parameters, std::size_t samples) = 0;
};

class Network {
 public:
  Network(const Model& model, const ImageShape& shape);

  // Load puts at most kMicroBatch images into the input.
  void Load(std::span<const std::uint8_t* const> images);
  // Forward returns the output for each image, its logits by feature.
  const float* Forward(std::span<const float> parameters);
  // AddGradient adds the gradient of sum weights[i] * loss[i], and puts the losses of the images
  // into `losses`. It may be called once after Forward.
  void AddGradient(std::span<const float> parameters, std::span<const std::uint8_t> labels,
                   std::span<const float> weights, std::span<float> losses,
                   std::span<float> gradient);
  // Losses computes the losses alone. It may be called once after Forward.
  void Losses(std::span<const std::uint8_t> labels, std::span<float> losses);

 private:
  void ReplaceLogits(std::span<const std::uint8_t> labels, std::span<const float> weights,
                     std::span<float> losses);

  std::size_t panel_;
  std::size_t height_, width_;                             // size of the images
  std::size_t images_ = 0;                                 // images in the micro-batch
  std::size_t samples_ = 0;                                // images_, filled up to whole panels
  std::vector<std::uint8_t> cropped_;                      // the cropped images
  std::vector<std::unique_ptr<Activations>> activations_;  // the input first
  std::vector<std::unique_ptr<LayerPass>> layers_;
  std::vector<std::size_t> offsets_;  // where each layer's parameters begin
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_NETWORK_H_
