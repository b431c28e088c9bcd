// A model is a network to train: a short list of layers, with all parameters in one array.
#ifndef AIRLOT_MODEL_H_
#define AIRLOT_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/result.h"

namespace airlot {

// A Convolution keeps the size of the image ("same"); ReLU and max-pooling follow.
struct Convolution {
  int channels = 0;
  int kernel = 0;  // rows and columns: 1, 3, 5 or 7
  int pool = 1;    // rows and columns of a pooling window: 1 to 15
};

// In a Dense layer every unit sees every input; ReLU follows.
struct Dense {
  int units = 0;
};

using Layer = std::variant<Convolution, Dense>;

// A Model lists its hidden layers; a dense layer from the last of them to the classes follows. No
// convolution stands behind a dense layer.
struct Model {
  std::string_view name;
  std::vector<Layer> hidden;
  std::string_view summary;
};

// An ImageShape is what goes into a model and what comes out.
struct ImageShape {
  int height = 28;
  int width = 28;
  int classes = 10;  // 0: one number
  int channels = 1;
};
inline ImageShape ShapeOf(const Images& images) {
  return {images.height, images.width, images.classes, images.channels};
}
inline ImageShape ShapeOf(const Labels& labels) {
  return {labels.height, labels.width, labels.classes, labels.channels};
}

// Returns the built-in models.
std::span<const Model> Models();
const Model* FindModel(std::string_view name);

// Names what is wrong with a model for such images.
Status Validate(const Model& model, const ImageShape& shape);

// Counts the parameters. Layer by layer, they are the weights, then the biases. Weights are
// [output][input] of a dense layer and [channel][input channel][row][column] of a convolution,
// whose output is [channel][row][column], as in PyTorch.
std::size_t ParameterCount(const Model& model, const ImageShape& shape = {});

// Draws each parameter uniformly in [-1/sqrt(n), 1/sqrt(n)] for a layer in which an output sees n
// inputs. (48)
std::vector<float> InitialParameters(const Model& model, const ImageShape& shape,
                                     std::uint64_t seed);

}  // namespace airlot

#endif  // AIRLOT_MODEL_H_
