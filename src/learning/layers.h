// StepsOf is the one walk over a model. It returns what the network computes one after the other
// for images of some shape: layers that go together, such as a convolution and its ReLU, are one
// step.
#ifndef AIRLOT_LEARNING_LAYERS_H_
#define AIRLOT_LEARNING_LAYERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "airlot/model.h"
#include "airlot/result.h"
#include "learning/convolution_kernels.h"
#include "learning/general_convolution_kernels.h"

namespace airlot::learning {

// A Volume is the image as it is between two steps.
struct Volume {
  std::size_t channels = 0, height = 0, width = 0;
  bool is_flat = false;
  std::size_t Pixels() const { return height * width; }
  std::size_t Size() const { return channels * Pixels(); }
};

enum class StepKind {
  kPooledConvolution,  // "same" convolution, ReLU and max-pooling by the fused kernels
  kConvolution,
  kDense,
  kNormalization,
  kMaxPool,
  kAveragePool,
  kRelu,
  kDropout,
  kSum,       // of two activations
  kExternal,  // a whole model that is trained elsewhere
};

// A Step takes activation `from` (0 is the image, i + 1 what step i makes) to the next one.
struct Step {
  StepKind kind = StepKind::kDense;
  std::size_t from = 0;
  std::size_t other = 0;  // kSum: the second activation
  Volume in = {}, out = {};
  bool relu = false;                             // a ReLU follows
  std::size_t kernel = 1, stride = 1;            // of a convolution or of windows
  std::size_t padding = 0, pool = 1;             // of a convolution
  std::size_t groups = 1;                        // of a convolution or a normalisation
  bool across_samples = false;                   // a batch normalisation
  double share = 0;                              // of a dropout
  std::size_t fan_in = 0;                        // inputs that one output sees
  std::size_t weights = 0, biases = 0;           // numbers of parameters
  std::vector<std::size_t> WeightShape() const;  // as in PyTorch
  ConvolutionShape Pooled() const;               // of a kPooledConvolution
  GeneralShape General() const;                  // of a kConvolution
};

// Walks over a model, or says what is wrong with it (airlot/model.h, Validate).
Result<std::vector<Step>> WalkModel(const Model& model, const ImageShape& shape);

// Returns the steps of a model that is valid for the shape.
std::vector<Step> StepsOf(const Model& model, const ImageShape& shape);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_LAYERS_H_
