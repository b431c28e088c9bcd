#include "airlot/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learning/convolution_kernels.h"
#include "learning/layers.h"
#include "learning/purposes.h"

namespace airlot {
namespace {

using learning::LayerShape;
using learning::LayersOf;

const std::vector<Model>& BuiltIn() {
  static const std::vector<Model> models{
      {"cnn",
       {Convolution{.channels = 20, .kernel = 7, .pool = 4}, Dense{200}},
       "Convolution 7x7 to 20 channels, max-pooling 4x4, dense 200, dense 10."},
      {"mlp", {Dense{200}, Dense{200}}, "Dense 784-200-200-10, the 2NN of McMahan et al."}};
  return models;
}

Status ValidateConvolution(const Convolution& layer, int height, int width) {
  const auto odd = [&](int kernel) { return kernel % 2 == 1 && kernel >= 1; };
  if (layer.channels < 1) return Error{fmt::format("{} channels: must be >= 1", layer.channels)};
  if (!odd(layer.kernel) || layer.kernel > int(learning::kLargestKernel)) {
    return Error{fmt::format("a kernel of {}: must be 1, 3, 5 or 7", layer.kernel)};
  }
  const int most = std::min({height, width, int(learning::kLargestPool)});
  if (layer.pool < 1 || layer.pool > most) {
    return Error{fmt::format("pooling by {}: must be from 1 to {}", layer.pool, most)};
  }
  return {};
}

}  // namespace

std::span<const Model> Models() { return BuiltIn(); }

const Model* FindModel(std::string_view name) {
  for (const Model& model : Models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

Status Validate(const Model& model, const ImageShape& shape) {
  int height = shape.height, width = shape.width;
  bool is_flat = false;
  if (height < 1 || width < 1) {
    return Error{fmt::format("images of {} x {}: must be at least 1 x 1", height, width)};
  }
  if (shape.classes < 2) return Error{fmt::format("{} classes: must be >= 2", shape.classes)};
  for (std::size_t i = 0; i < model.hidden.size(); ++i) {
    Status status;
    if (const auto* convolution = std::get_if<Convolution>(&model.hidden[i])) {
      status = ValidateConvolution(*convolution, height, width);
      if (is_flat) status = Error{"a convolution cannot follow a dense layer"};
      if (status) height /= convolution->pool, width /= convolution->pool;
    } else {
      const int units = std::get<Dense>(model.hidden[i]).units;
      if (units < 1) status = Error{fmt::format("{} units: must be >= 1", units)};
      is_flat = true;
    }
    if (!status)
      return Error{fmt::format("{}: layer {}: {}", model.name, i + 1, status.error().message)};
  }
  return {};
}

std::size_t ParameterCount(const Model& model, const ImageShape& shape) {
  std::size_t count = 0;
  for (const LayerShape& layer : LayersOf(model, shape)) count += layer.weights + layer.biases;
  return count;
}

std::vector<float> InitialParameters(const Model& model, const ImageShape& shape,
                                     std::uint64_t seed) {
  std::vector<float> parameters;
  parameters.reserve(ParameterCount(model, shape));
  std::uint64_t index = 0;
  for (const LayerShape& layer : LayersOf(model, shape)) {
    base::RandomStream stream(seed, learning::kInitialParameters, index++, 0);
    const double bound = 1 / std::sqrt(double(layer.fan_in));  // (48)
    for (std::size_t i = 0; i < layer.weights + layer.biases; ++i) {
      parameters.push_back(float(stream.Uniform(-bound, bound)));
    }
  }
  return parameters;
}

}  // namespace airlot
