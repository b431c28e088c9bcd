// LayersOf is the one walk over a model, and returns its layers for images of some shape.
#ifndef AIRLOT_LEARNING_LAYERS_H_
#define AIRLOT_LEARNING_LAYERS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "airlot/model.h"
#include "learning/convolution_kernels.h"

namespace airlot::learning {

struct LayerShape {
  std::optional<ConvolutionShape> convolution;  // nothing for a dense layer
  bool relu = true;                             // false for the last layer
  std::size_t inputs = 0;                       // features that come in
  std::size_t outputs = 0;                      // features that go out
  std::size_t fan_in = 0;                       // inputs that one output sees
  std::size_t weights = 0;
  std::size_t biases = 0;
};

// Returns the hidden layers and the last one. The model must be valid for the shape.
std::vector<LayerShape> LayersOf(const Model& model, const ImageShape& shape);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_LAYERS_H_
