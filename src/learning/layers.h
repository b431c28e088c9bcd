// The layers of a model for images of some shape: the one walk over a model.
#ifndef AIRLOT_LEARNING_LAYERS_H_
#define AIRLOT_LEARNING_LAYERS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "airlot/model.h"
#include "learning/convolution_kernels.h"

namespace airlot::learning {

struct LayerShape {
  std::optional<ConvolutionShape> convolution;  // else it is dense
  bool relu = true;                             // not behind the last layer
  std::size_t inputs = 0;                       // features that come in
  std::size_t outputs = 0;                      // features that go out
  std::size_t fan_in = 0;                       // inputs that one output sees
  std::size_t weights = 0;
  std::size_t biases = 0;
};

// The hidden layers and the last one. The model must be valid for the shape.
std::vector<LayerShape> LayersOf(const Model& model, const ImageShape& shape);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_LAYERS_H_
