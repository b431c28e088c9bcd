#include "learning/layers.h"

namespace airlot::learning {
namespace {

// A Volume is the image as it leaves a layer.
struct Volume {
  std::size_t channels, height, width;
  std::size_t Size() const { return channels * height * width; }
};

LayerShape DenseLayer(Volume& volume, int units, bool relu) {
  const std::size_t inputs = volume.Size(), outputs = std::size_t(units);
  volume = {outputs, 1, 1};
  return {.relu = relu,
          .inputs = inputs,
          .outputs = outputs,
          .fan_in = inputs,
          .weights = inputs * outputs,
          .biases = outputs};
}

LayerShape ConvolutionLayer(Volume& volume, const Convolution& layer) {
  const ConvolutionShape shape{.inputs = volume.channels,
                               .height = volume.height,
                               .width = volume.width,
                               .channels = std::size_t(layer.channels),
                               .kernel = std::size_t(layer.kernel),
                               .pool = std::size_t(layer.pool)};
  volume = {shape.channels, shape.OutputHeight(), shape.OutputWidth()};
  return {.convolution = shape,
          .inputs = shape.InputFeatures(),
          .outputs = shape.OutputFeatures(),
          .fan_in = shape.WeightsPerChannel(),
          .weights = shape.channels * shape.WeightsPerChannel(),
          .biases = shape.channels};
}

}  // namespace

std::vector<LayerShape> LayersOf(const Model& model, const ImageShape& shape) {
  Volume volume{1, std::size_t(shape.height), std::size_t(shape.width)};
  std::vector<LayerShape> layers;
  for (const Layer& layer : model.hidden) {
    const auto* convolution = std::get_if<Convolution>(&layer);
    layers.push_back(convolution != nullptr
                         ? ConvolutionLayer(volume, *convolution)
                         : DenseLayer(volume, std::get<Dense>(layer).units, true));
  }
  layers.push_back(DenseLayer(volume, shape.classes, false));
  return layers;
}

}  // namespace airlot::learning
