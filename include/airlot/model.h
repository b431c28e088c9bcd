// A model is a network to train: a short list of layers, with all parameters in one array.
#ifndef AIRLOT_MODEL_H_
#define AIRLOT_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/result.h"

namespace airlot {

// The layers are those of PyTorch, with its formulas and defaults where nothing else is said
// (docs/learning.md, "Layers"). Images are [channel][row][column].

// A Convolution sums `kernel` x `kernel` pixels of the channels of its group for each output.
struct Convolution {
  static constexpr int kSame = -1;  // (kernel - 1) / 2 zeros, which an odd kernel needs
  int channels = 0;
  int kernel = 0;   // rows and columns
  int stride = 1;   // rows and columns from one sum to the next
  int padding = 0;  // zeros at each edge, or kSame
  int groups = 1;   // an output sees the inputs of its group only
  bool bias = true;
  bool operator==(const Convolution&) const = default;
};

// A Relu is max(0, x).
struct Relu {
  bool operator==(const Relu&) const = default;
};

// A MaxPool takes the largest of each window. What does not fill a window is left out.
struct MaxPool {
  int size = 2;    // rows and columns of a window
  int stride = 0;  // from one window to the next; 0: `size`
  bool operator==(const MaxPool&) const = default;
};

// An AveragePool takes the mean of each window.
struct AveragePool {
  int size = 0;    // 0: the whole image
  int stride = 0;  // 0: `size`
  bool operator==(const AveragePool&) const = default;
};

// Flatten makes one row of features of an image. A dense layer does so by itself.
struct Flatten {
  bool operator==(const Flatten&) const = default;
};

// In a Dense layer every unit sees every input.
struct Dense {
  int units = 0;
  bool operator==(const Dense&) const = default;
};

// In training, Dropout makes a share of the numbers 0, and divides the others by 1 - share.
struct Dropout {
  double share = 0.5;
  bool operator==(const Dropout&) const = default;
};

// A BatchNorm has the mean 0 and the variance 1 in each channel over the samples at hand, in
// training and in evaluation: a micro-batch of at most 64 samples of one device. A weight and a
// bias for each channel follow.
struct BatchNorm {
  bool operator==(const BatchNorm&) const = default;
};

// A GroupNorm does so in each sample, over each of `groups` groups of channels.
struct GroupNorm {
  int groups = 1;
  bool operator==(const GroupNorm&) const = default;
};

// An External layer is a whole model that a backend of the user trains (airlot/simulation.h):
// nothing is known of it here but how many parameters it has. It stands alone in a list, and no
// layer follows by itself.
struct External {
  int parameters = 0;
  bool operator==(const External&) const = default;
};

struct Layer;

// A Residual is the sum of what two lists of layers make of the same input. An empty shortcut is
// the input itself.
struct Residual {
  std::vector<Layer> layers;
  std::vector<Layer> shortcut;
  bool operator==(const Residual& other) const;
};

struct Layer {
  using Kind = std::variant<Convolution, Relu, MaxPool, AveragePool, Flatten, Dense, Dropout,
                            BatchNorm, GroupNorm, Residual, External>;

  // NOLINTNEXTLINE(google-explicit-constructor): a list of layers is written without their names.
  Layer(Kind layer_kind) : kind(std::move(layer_kind)) {}
  template <class T>
  requires(std::is_constructible_v<Kind, T> && !std::is_same_v<std::decay_t<T>, Layer> &&
           !std::is_same_v<std::decay_t<T>, Kind>)
      // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
      Layer(T&& one)
      : kind(std::forward<T>(one)) {}

  Kind kind;
  bool operator==(const Layer&) const = default;
};
inline bool Residual::operator==(const Residual& other) const {
  return layers == other.layers && shortcut == other.shortcut;
}

// Returns what scenarios call the kind of a layer, such as "max-pool".
std::string_view KindOf(const Layer& layer);

// A Model lists its layers; a dense layer from the last of them to the classes, or to the one
// number that is predicted, follows by itself.
struct Model {
  std::string name;
  std::vector<Layer> layers;
  std::string summary;
};

// An ImageShape is what goes into a model and what comes out.
struct ImageShape {
  int height = 28;
  int width = 28;
  int classes = 10;  // 0: one number
  int channels = 1;
  bool operator==(const ImageShape&) const = default;
};
inline ImageShape ShapeOf(const Images& images) {
  return {images.height, images.width, images.classes, images.channels};
}
inline ImageShape ShapeOf(const Labels& labels) {
  return {labels.height, labels.width, labels.classes, labels.channels};
}

// Returns "images of 28 x 28 in 10 classes", with what else there is to say.
std::string DescribeShape(const ImageShape& shape);

// Returns the built-in models.
std::span<const Model> Models();
const Model* FindModel(std::string_view name);

// A larger model is not valid, so that a slip in a list of layers does not take all memory.
inline constexpr std::size_t kMostParameters = std::size_t{1} << 26;
inline constexpr std::size_t kMostActivations = std::size_t{1} << 21;  // of one sample, in all
// A convolution lists, for each pixel that it makes, the pixels that its kernel covers, and where
// it passes gradients back, once more the other way round: 8 bytes each, for every thread.
inline constexpr std::size_t kMostTaps = std::size_t{1} << 24;  // of all convolutions

// Names what is wrong with a model for such images: the layer (they are counted from 1), its kind,
// its key, the value and the bound, "layers[3] (convolution): kernel = 9: ...".
Status Validate(const Model& model, const ImageShape& shape);

// Returns whether only a backend of the user can train a model.
bool IsExternal(const Model& model);

// Returns whether a model looks at several samples at once, so that those of different devices must
// not be mixed.
bool HasBatchNorm(const Model& model);

// Counts the parameters. Layer by layer, they are the weights, then the biases; in a residual layer
// those of `layers` come first. Weights are [output][input] of a dense layer and [channel][input
// channel of the group][row][column] of a convolution, whose output is [channel][row][column], as
// in PyTorch.
std::size_t ParameterCount(const Model& model, const ImageShape& shape = {});

// Draws each parameter uniformly in [-1/sqrt(n), 1/sqrt(n)] for a layer in which an output sees n
// inputs (48). The weights of a normalisation are 1 and its biases 0; those of an external model
// are 0 until its backend says how it starts.
std::vector<float> InitialParameters(const Model& model, const ImageShape& shape,
                                     std::uint64_t seed);

}  // namespace airlot

#endif  // AIRLOT_MODEL_H_
