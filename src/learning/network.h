// A Network takes a micro-batch forward through its steps and back.
#ifndef AIRLOT_LEARNING_NETWORK_H_
#define AIRLOT_LEARNING_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "airlot/model.h"
#include "airlot/training.h"
#include "learning/crop.h"
#include "learning/layers.h"
#include "learning/micro_batch.h"
#include "learning/panels.h"

namespace airlot::learning {

// Activations are what is between two steps, for a micro-batch, as panels (panels.h), as one step
// reads them. `delta` is the gradient of the loss. The input of the network may hold only the
// pixels inside of `crop`, row by row.
struct Activations {
  explicit Activations(std::size_t feature_count);
  // Makes another reader of what `shared` points to.
  Activations(std::size_t feature_count, float* shared);

  std::size_t Size() const;  // numbers of a whole micro-batch

  std::size_t features;
  std::size_t width = 0;            // width of the input images, where this is the input
  Crop crop;                        // empty: all pixels
  std::vector<Crop> panel_crops;    // the crop of each panel of samples
  Floats own;                       // what by_feature points to, unless another has it
  float* by_feature;                // in panels
  Floats by_sample;                 // in panels
  Floats delta_by_feature;          // in panels
  Floats delta_by_sample;           // row by row
  bool reader_is_by_sample = true;  // in which form the reader passes deltas back
  bool needs_delta = true;          // nothing is passed back to the images
  bool is_gated = false;            // who passes deltas back makes them 0 where this is not above 0
};

// A SampleMask decides what dropout leaves out of a sample.
struct SampleMask : MaskDraw {
  std::uint32_t sample = 0;
};

// A Batch is the samples of a pass.
struct Batch {
  std::size_t images = 0;                  // real ones
  std::size_t samples = 0;                 // images, filled up to whole panels
  std::span<const SampleMask> masks = {};  // for dropout; empty: none
};

// A LayerPass is one step, between its input and its output. What does not belong to a real sample
// is zero in deltas. A pass works by sample (from input.by_sample and delta_by_sample) or by
// feature.
class LayerPass {
 public:
  virtual ~LayerPass() = default;
  virtual bool IsBySample() const { return false; }
  // Forward computes output.by_feature from input.by_feature.
  virtual void Forward(const float* parameters, const Batch& batch) = 0;
  // AddGradient adds to the gradient of the step's parameters, from the delta of the output and the
  // input.
  virtual void AddGradient(const float* parameters, const Batch& batch, float* gradient) = 0;
  // PassBack computes the delta of the input, after AddGradient. Where the input is gated, that is
  // zero where the input is not above 0 (by the ReLU of the step below); a pass by feature leaves
  // this to the network.
  virtual void PassBack(const float* parameters, const Batch& batch) = 0;
};

class Network {
 public:
  Network(const Model& model, const ImageShape& shape);

  // Load puts at most kMicroBatch samples into the input, pixels or values. There is a mask for
  // each of them in training.
  void Load(std::span<const std::uint8_t* const> images, std::span<const SampleMask> masks = {});
  void Load(std::span<const float* const> values, std::span<const SampleMask> masks = {});
  // Forward returns the output for each image, its logits by feature.
  const float* Forward(std::span<const float> parameters);
  // A Goal says what the samples should come to: labels, or targets where there are no classes.
  struct Goal {
    std::span<const std::uint8_t> labels = {};
    std::span<const float> targets = {};
  };
  // AddGradient adds the gradient of sum weights[i] * loss[i], and puts the losses of the images
  // into `losses`. It may be called once after Forward.
  void AddGradient(std::span<const float> parameters, const Goal& goal,
                   std::span<const float> weights, std::span<float> losses,
                   std::span<float> gradient);
  // Losses computes the losses alone. It may be called once after Forward.
  void Losses(const Goal& goal, std::span<float> losses);

 private:
  Activations& ReaderOf(std::size_t activation, bool is_by_sample);
  std::unique_ptr<LayerPass> PassOf(const Step& step, std::size_t dropouts);
  void MakeDeltas();
  void Start(std::size_t images, std::span<const SampleMask> masks);
  void LoadCropped(std::span<const std::uint8_t*> filled);
  void CollectDelta(std::size_t step);
  void BringTo(bool by_sample, bool is_gated, Activations& reader) const;
  void ReplaceLogits(const Goal& goal, std::span<const float> weights, std::span<float> losses);

  std::size_t panel_;
  std::size_t height_, width_;  // size of the images
  bool is_regression_, may_crop_ = false;
  Batch batch_;
  std::vector<SampleMask> masks_;
  std::vector<std::uint8_t> cropped_;  // the cropped images
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<Activations>> activations_;  // the input first, then one per step
  // Where several steps read the same activations, these are the readers but the first.
  std::vector<std::vector<std::unique_ptr<Activations>>> other_readers_;
  std::vector<bool> is_read_;
  std::vector<std::unique_ptr<LayerPass>> passes_;
  std::vector<std::size_t> offsets_;  // where each step's parameters begin
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_NETWORK_H_
