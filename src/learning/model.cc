#include "airlot/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learning/layers.h"
#include "learning/purposes.h"

namespace airlot {
namespace {

using learning::Step;
using learning::StepsOf;

constexpr int kSame = Convolution::kSame;

Convolution Kernel3(int channels, int stride = 1) {
  return {.channels = channels, .kernel = 3, .stride = stride, .padding = 1, .bias = false};
}

constexpr int kNormGroups = 2;

// A BasicBlock is two convolutions beside a shortcut, as in He et al. 2016, with group
// normalisation. A block that changes the size has a convolution 1 x 1 in its shortcut.
void AddBasicBlock(int channels, int stride, std::vector<Layer>& layers) {
  Residual block{.layers = {Kernel3(channels, stride), GroupNorm{kNormGroups}, Relu{},
                            Kernel3(channels), GroupNorm{kNormGroups}}};
  if (stride != 1) {
    block.shortcut = {
        Convolution{.channels = channels, .kernel = 1, .stride = stride, .bias = false},
        GroupNorm{kNormGroups}};
  }
  layers.emplace_back(std::move(block));
  layers.emplace_back(Relu{});
}

std::vector<Layer> ResNet8() {
  std::vector<Layer> layers{Kernel3(16), GroupNorm{kNormGroups}, Relu{}};
  AddBasicBlock(16, 1, layers);
  AddBasicBlock(32, 2, layers);
  AddBasicBlock(64, 2, layers);
  layers.emplace_back(AveragePool{});
  return layers;
}

const std::vector<Model>& BuiltIn() {
  static const std::vector<Model> models{
      {"cnn",
       {Convolution{.channels = 20, .kernel = 7, .padding = kSame}, Relu{}, MaxPool{4}, Dense{200},
        Relu{}},
       "Convolution 7x7 to 20 channels, max-pooling 4x4, dense 200, dense 10."},
      {"mlp",
       {Dense{200}, Relu{}, Dense{200}, Relu{}},
       "Dense 784-200-200-10, the 2NN of McMahan et al."},
      {"logistic", {}, "Logistic regression: no hidden layer."},
      {"lenet5",
       {Convolution{.channels = 6, .kernel = 5, .padding = kSame}, Relu{}, MaxPool{2},
        Convolution{.channels = 16, .kernel = 5}, Relu{}, MaxPool{2}, Dense{120}, Relu{}, Dense{84},
        Relu{}},
       "LeNet-5 with ReLU and max-pooling: convolutions 5x5 to 6 and 16 channels, dense 120, 84."},
      {"cnn-mcmahan",
       {Convolution{.channels = 32, .kernel = 5, .padding = kSame}, Relu{}, MaxPool{2},
        Convolution{.channels = 64, .kernel = 5, .padding = kSame}, Relu{}, MaxPool{2}, Dense{512},
        Relu{}},
       "The CNN of McMahan et al.: convolutions 5x5 to 32 and 64 channels, dense 512."},
      {"resnet8", ResNet8(),
       "ResNet-8 with group normalisation, for CIFAR-10: 16, 32 and 64 channels."}};
  return models;
}

bool HasBatchNorm(const std::vector<Layer>& layers) {
  return std::ranges::any_of(layers, [](const Layer& layer) {
    const auto* residual = std::get_if<Residual>(&layer.kind);
    if (residual == nullptr) return std::holds_alternative<BatchNorm>(layer.kind);
    return HasBatchNorm(residual->layers) || HasBatchNorm(residual->shortcut);
  });
}

struct KindName {
  std::string_view operator()(const Convolution&) const { return "convolution"; }
  std::string_view operator()(const Relu&) const { return "relu"; }
  std::string_view operator()(const MaxPool&) const { return "max-pool"; }
  std::string_view operator()(const AveragePool&) const { return "average-pool"; }
  std::string_view operator()(const Flatten&) const { return "flatten"; }
  std::string_view operator()(const Dense&) const { return "dense"; }
  std::string_view operator()(const Dropout&) const { return "dropout"; }
  std::string_view operator()(const BatchNorm&) const { return "batch-norm"; }
  std::string_view operator()(const GroupNorm&) const { return "group-norm"; }
  std::string_view operator()(const Residual&) const { return "residual"; }
  std::string_view operator()(const External&) const { return "external"; }
};

}  // namespace

std::string_view KindOf(const Layer& layer) { return std::visit(KindName{}, layer.kind); }

std::string DescribeShape(const ImageShape& shape) {
  return fmt::format(
      "images of {} x {}{}{}", shape.height, shape.width,
      shape.channels == 1 ? "" : fmt::format(" in {} channels", shape.channels),
      shape.classes == 0
          ? " with a number to predict"
          : fmt::format(" {} {} classes", shape.channels == 1 ? "in" : "and", shape.classes));
}

bool IsExternal(const Model& model) {
  return model.layers.size() == 1 && std::holds_alternative<External>(model.layers[0].kind);
}

bool HasBatchNorm(const Model& model) { return HasBatchNorm(model.layers); }

std::span<const Model> Models() { return BuiltIn(); }

const Model* FindModel(std::string_view name) {
  for (const Model& model : Models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

Status Validate(const Model& model, const ImageShape& shape) {
  const auto steps = learning::WalkModel(model, shape);
  return steps.ok() ? Status() : Status(steps.error());
}

std::size_t ParameterCount(const Model& model, const ImageShape& shape) {
  std::size_t count = 0;
  for (const Step& layer : StepsOf(model, shape)) count += layer.weights + layer.biases;
  return count;
}

std::vector<float> InitialParameters(const Model& model, const ImageShape& shape,
                                     std::uint64_t seed) {
  std::vector<float> parameters;
  parameters.reserve(ParameterCount(model, shape));
  std::uint64_t index = 0;
  for (const Step& layer : StepsOf(model, shape)) {
    if (layer.weights == 0) continue;
    if (layer.kind == learning::StepKind::kExternal) return std::vector<float>(layer.weights);
    if (layer.kind == learning::StepKind::kNormalization) {
      parameters.insert(parameters.end(), layer.weights, 1.0F);
      parameters.insert(parameters.end(), layer.biases, 0.0F);
      continue;
    }
    base::RandomStream stream(seed, learning::kInitialParameters, index++, 0);
    const double bound = 1 / std::sqrt(double(layer.fan_in));  // (48)
    for (std::size_t i = 0; i < layer.weights + layer.biases; ++i) {
      parameters.push_back(float(stream.Uniform(-bound, bound)));
    }
  }
  return parameters;
}

}  // namespace airlot
