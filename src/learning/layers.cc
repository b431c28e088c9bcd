#include "learning/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace airlot::learning {
namespace {

// Larger numbers than these make no network that fits, and their products stay far from overflow.
constexpr int kMostChannels = 1 << 16;
constexpr int kMostUnits = 1 << 20;
constexpr int kMostKernel = 1 << 8;  // The sums of its gradient take up to 50 MB (AddTapGradient).
constexpr int kMostWindow = 1 << 10;
constexpr std::size_t kMostSteps = 10000;

Error WrongKey(std::string_view key, double value, const std::string& reason) {
  return {fmt::format("{} = {}: {}", key, base::FormatNumber(value), reason)};
}

Status CheckRange(std::string_view key, int value, int least, int most) {
  if (value >= least && value <= most) return {};
  return WrongKey(
      key, value,
      value < least ? fmt::format("must be >= {}", least) : fmt::format("must be <= {}", most));
}

// Returns "the 6 channels that come in".
std::string ChannelsText(std::size_t channels) {
  return channels == 1 ? "the 1 channel that comes in"
                       : fmt::format("the {} channels that come in", channels);
}

std::string SizeText(const Volume& volume) {
  return fmt::format("the {} x {} image that comes in", volume.height, volume.width);
}

std::size_t SumsAlong(std::size_t size, std::size_t window, std::size_t stride) {
  return (size - window) / stride + 1;
}

// A Walker goes from layer to layer, and keeps the steps so far and the activation it is at.
class Walker {
 public:
  explicit Walker(const ImageShape& shape)
      : volume_{std::size_t(shape.channels), std::size_t(shape.height), std::size_t(shape.width)} {}

  // `path` is what the list is called in messages.
  Status Walk(const std::vector<Layer>& layers, const std::string& path) {
    const std::size_t first_step = steps_.size();
    for (std::size_t i = 0; i < layers.size();) {
      const std::string name = fmt::format("{}[{}]", path, i + 1);
      const std::span<const Layer> rest = std::span(layers).subspan(i);
      Status status;
      if (const auto* residual = std::get_if<Residual>(&rest[0].kind)) {
        status = AddResidual(*residual, name);
        if (!status && status.error().message.starts_with(name)) return status;
      } else {
        status = std::visit([&](const auto& layer) { return Add(layer); }, rest[0].kind);
      }
      if (status) status = CheckSize();
      if (!status) {
        return Error{fmt::format("{} ({}): {}", name, KindOf(rest[0]), status.error().message)};
      }
      i += 1 + Fuse(rest.subspan(1), first_step);
    }
    return {};
  }

  // The last layer goes to the classes, or to one number.
  void AddLast(int classes) { AddDense(std::size_t(std::max(classes, 1))); }

  Status CheckTotal() const {
    if (parameters_ > kMostParameters) {
      return Error{fmt::format("{} parameters: must be at most {}", parameters_, kMostParameters)};
    }
    return {};
  }

  std::vector<Step> TakeSteps() { return std::move(steps_); }

 private:
  Status CheckSize() const {
    if (auto status = CheckTotal(); !status) {
      return Error{"the model comes to " + status.error().message};
    }
    if (activations_ > kMostActivations || steps_.size() > kMostSteps) {
      return Error{fmt::format(
          "the model comes to {} numbers between its layers for each image: must be at most {}",
          activations_, kMostActivations)};
    }
    if (taps_ > kMostTaps) {
      return Error{
          fmt::format("the convolutions of the model come to {} pairs of a pixel and a place of "
                      "the kernel that "
                      "covers it: must be at most {}",
                      taps_, kMostTaps)};
    }
    return {};
  }

  void Push(Step step) {
    step.from = at_;
    step.in = volume_;
    at_ = steps_.size() + 1;
    volume_ = step.out;
    parameters_ += step.weights + step.biases;
    activations_ += step.out.Size();
    steps_.push_back(step);
  }

  Status NeedsImage() const {
    if (!volume_.is_flat) return {};
    return Error{"needs an image, and none is left behind a dense layer or flatten"};
  }

  Status Add(const Convolution& layer) {
    if (auto status = NeedsImage(); !status) return status;
    const int inputs = int(volume_.channels);
    if (auto s = CheckRange("channels", layer.channels, 1, kMostChannels); !s) return s;
    if (auto s = CheckRange("kernel", layer.kernel, 1, kMostKernel); !s) return s;
    if (auto s = CheckRange("stride", layer.stride, 1, kMostWindow); !s) return s;
    if (auto s = CheckRange("groups", layer.groups, 1, kMostChannels); !s) return s;
    const bool is_same = layer.padding == Convolution::kSame;
    if (is_same && layer.kernel % 2 == 0) {
      return Error{fmt::format("padding = \"same\": needs an odd kernel, not {}", layer.kernel)};
    }
    const int padding = is_same ? (layer.kernel - 1) / 2 : layer.padding;
    if (auto s = CheckRange("padding", padding, 0, layer.kernel - 1); !s) return s;
    if (inputs % layer.groups != 0 || layer.channels % layer.groups != 0) {
      return WrongKey(
          "groups", layer.groups,
          fmt::format("must divide {} and the {} that {} out", ChannelsText(volume_.channels),
                      layer.channels, layer.channels == 1 ? "goes" : "go"));
    }
    const std::size_t kernel = std::size_t(layer.kernel), padded = 2 * std::size_t(padding);
    if (kernel > std::min(volume_.height, volume_.width) + padded) {
      return WrongKey(
          "kernel", layer.kernel,
          fmt::format("larger than {}{}", SizeText(volume_),
                      padding == 0 ? "" : fmt::format(" with a padding of {}", padding)));
    }
    Step step{.kind = StepKind::kConvolution,
              .kernel = kernel,
              .stride = std::size_t(layer.stride),
              .padding = std::size_t(padding),
              .groups = std::size_t(layer.groups)};
    step.out = {std::size_t(layer.channels),
                SumsAlong(volume_.height + padded, kernel, step.stride),
                SumsAlong(volume_.width + padded, kernel, step.stride)};
    step.fan_in = volume_.channels / step.groups * kernel * kernel;
    step.weights = step.out.channels * step.fan_in;
    step.biases = layer.bias ? step.out.channels : 0;
    Push(step);
    taps_ += CountTaps(steps_.back().General());
    return {};
  }

  Status Add(const Relu&) {
    Push({.kind = StepKind::kRelu, .out = volume_, .relu = true});
    return {};
  }

  Status AddPool(StepKind kind, int size, int stride) {
    if (auto status = NeedsImage(); !status) return status;
    if (auto s = CheckRange("stride", stride, 0, kMostWindow); !s) return s;
    Step step{.kind = kind, .kernel = std::size_t(size)};
    if (std::min(volume_.height, volume_.width) < step.kernel) {
      return WrongKey("size", size, "larger than " + SizeText(volume_));
    }
    step.stride = stride == 0 ? step.kernel : std::size_t(stride);
    step.out = {volume_.channels, SumsAlong(volume_.height, step.kernel, step.stride),
                SumsAlong(volume_.width, step.kernel, step.stride)};
    Push(step);
    return {};
  }

  Status Add(const MaxPool& layer) {
    if (auto s = CheckRange("size", layer.size, 1, kMostWindow); !s) return s;
    return AddPool(StepKind::kMaxPool, layer.size, layer.stride);
  }

  Status Add(const AveragePool& layer) {
    if (auto s = CheckRange("size", layer.size, 0, kMostWindow); !s) return s;
    if (layer.size > 0) return AddPool(StepKind::kAveragePool, layer.size, layer.stride);
    if (auto status = NeedsImage(); !status) return status;
    if (layer.stride != 0) {
      return WrongKey("stride", layer.stride, "the whole image is one window: give a size, too");
    }
    Push({.kind = StepKind::kAveragePool, .out = {volume_.channels, 1, 1}, .kernel = 0});
    return {};
  }

  Status Add(const Flatten&) {
    volume_ = {volume_.Size(), 1, 1, true};
    return {};
  }

  void AddDense(std::size_t units) {
    const std::size_t inputs = volume_.Size();
    Push({.kind = StepKind::kDense,
          .out = {units, 1, 1, true},
          .fan_in = inputs,
          .weights = inputs * units,
          .biases = units});
  }

  Status Add(const Dense& layer) {
    if (auto s = CheckRange("units", layer.units, 1, kMostUnits); !s) return s;
    AddDense(std::size_t(layer.units));
    return {};
  }

  Status Add(const Dropout& layer) {
    if (!(layer.share >= 0 && layer.share < 1)) {
      return WrongKey("share", layer.share, "must be >= 0 and < 1");
    }
    Push({.kind = StepKind::kDropout, .out = volume_, .share = layer.share});
    return {};
  }

  void AddNorm(std::size_t groups, bool across_samples) {
    Push({.kind = StepKind::kNormalization,
          .out = volume_,
          .groups = groups,
          .across_samples = across_samples,
          .weights = volume_.channels,
          .biases = volume_.channels});
  }

  Status Add(const BatchNorm&) {
    AddNorm(volume_.channels, true);
    return {};
  }

  Status Add(const GroupNorm& layer) {
    if (auto s = CheckRange("groups", layer.groups, 1, kMostChannels); !s) return s;
    if (volume_.channels % std::size_t(layer.groups) != 0) {
      return WrongKey("groups", layer.groups, "must divide " + ChannelsText(volume_.channels));
    }
    AddNorm(std::size_t(layer.groups), false);
    return {};
  }

  // It is the only layer of its model (ExternalStep), so that here it has neighbours.
  static Status Add(const External&) {
    return Error{"stands alone: a backend of your own trains the whole model"};
  }

  Status Add(const Residual&) { return {}; }  // AddResidual does it.

  Status AddResidual(const Residual& layer, const std::string& name) {
    const Volume start = volume_;
    const std::size_t start_at = at_;
    if (layer.layers.empty()) return Error{"layers = []: must have a layer"};
    if (auto status = Walk(layer.layers, name + ".layers"); !status) return status;
    const Volume main = std::exchange(volume_, start);
    const std::size_t main_at = std::exchange(at_, start_at);
    if (auto status = Walk(layer.shortcut, name + ".shortcut"); !status) return status;
    if (main.channels != volume_.channels || main.height != volume_.height ||
        main.width != volume_.width) {
      return Error{fmt::format(
          "layers make {} x {} x {} (channels, rows, columns) and {} {} x {} x {}: both must be "
          "the same",
          main.channels, main.height, main.width,
          layer.shortcut.empty() ? "what comes in is" : "shortcut makes", volume_.channels,
          volume_.height, volume_.width)};
    }
    const std::size_t other = std::exchange(at_, main_at);
    Push({.kind = StepKind::kSum, .other = other, .out = main});
    return {};
  }

  // Fuse lets the last step do what follows it, as far as it can, and returns how many layers that
  // were. The step must be one of the same list, from `first_step` on: the steps before a residual
  // are those of its shortcut, too.
  std::size_t Fuse(std::span<const Layer> rest, std::size_t first_step) {
    if (steps_.size() == first_step || at_ != steps_.size()) return 0;
    Step& step = steps_.back();
    const bool can = step.kind == StepKind::kConvolution || step.kind == StepKind::kDense ||
                     step.kind == StepKind::kNormalization || step.kind == StepKind::kSum;
    if (!can || step.relu || rest.empty() || !std::holds_alternative<Relu>(rest[0].kind)) return 0;
    step.relu = true;
    if (step.kind != StepKind::kConvolution || volume_.is_flat || !FitsPooled(step)) return 1;
    const auto* pool = rest.size() > 1 ? std::get_if<MaxPool>(&rest[1].kind) : nullptr;
    const int side = int(std::min(step.out.height, step.out.width));
    if (pool == nullptr || pool->size < 2 || pool->size > std::min(side, int(kLargestPool)) ||
        (pool->stride != 0 && pool->stride != pool->size)) {
      return 1;
    }
    step.kind = StepKind::kPooledConvolution;
    taps_ -= CountTaps(step.General());  // The fused kernels have no list.
    step.pool = std::size_t(pool->size);
    activations_ -= step.out.Size();
    step.out.height /= step.pool;
    step.out.width /= step.pool;
    activations_ += step.out.Size();
    volume_ = step.out;
    return 2;
  }

  static bool FitsPooled(const Step& step) {
    return step.kernel % 2 == 1 && step.kernel <= kLargestKernel && step.stride == 1 &&
           step.padding == (step.kernel - 1) / 2 && step.groups == 1 && step.biases > 0 &&
           step.in.channels == 1;
  }

  Volume volume_;
  std::size_t at_ = 0;  // the activation that the next step takes
  std::size_t parameters_ = 0, activations_ = 0, taps_ = 0;
  std::vector<Step> steps_;
};

Status CheckShape(const ImageShape& shape) {
  if (shape.height < 1 || shape.width < 1 || shape.channels < 1) {
    return Error{fmt::format("images of {} x {} in {} channel{}: must be at least 1 x 1 in 1",
                             shape.height, shape.width, shape.channels,
                             shape.channels == 1 ? "" : "s")};
  }
  if (shape.classes < 0 || shape.classes == 1 || shape.classes > 256) {
    return Error{
        fmt::format("{} classes: must be 2 to 256, or 0 to predict a number", shape.classes)};
  }
  const double pixels = double(shape.height) * double(shape.width) * double(shape.channels);
  if (pixels > double(kMostActivations)) {
    return Error{fmt::format("images of {} x {} in {} channels: must have at most {} numbers",
                             shape.height, shape.width, shape.channels, kMostActivations)};
  }
  return {};
}

Result<std::vector<Step>> ExternalStep(const External& layer) {
  if (auto status = CheckRange("parameters", layer.parameters, 1, int(kMostParameters)); !status) {
    return Error{"layers[1] (external): " + status.error().message};
  }
  return std::vector<Step>{{.kind = StepKind::kExternal, .weights = std::size_t(layer.parameters)}};
}

}  // namespace

std::vector<std::size_t> Step::WeightShape() const {
  if (kind == StepKind::kDense) return {out.channels, in.Size()};
  if (kind == StepKind::kNormalization) return {out.channels};
  if (kind == StepKind::kExternal) return {weights};
  return {out.channels, in.channels / groups, kernel, kernel};
}

ConvolutionShape Step::Pooled() const {
  return {.inputs = in.channels,
          .height = in.height,
          .width = in.width,
          .channels = out.channels,
          .kernel = kernel,
          .pool = pool};
}

GeneralShape Step::General() const {
  return {.inputs = in.channels,
          .height = in.height,
          .width = in.width,
          .outputs = out.channels,
          .out_height = out.height,
          .out_width = out.width,
          .kernel = kernel,
          .stride = stride,
          .padding = padding,
          .groups = groups};
}

Result<std::vector<Step>> WalkModel(const Model& model, const ImageShape& shape) {
  if (auto status = CheckShape(shape); !status) return status.error();
  if (IsExternal(model)) return ExternalStep(std::get<External>(model.layers[0].kind));
  Walker walker(shape);
  if (auto status = walker.Walk(model.layers, "layers"); !status) return status.error();
  walker.AddLast(shape.classes);
  if (auto status = walker.CheckTotal(); !status) {
    return Error{"with its last layer, the model comes to " + status.error().message};
  }
  return walker.TakeSteps();
}

std::vector<Step> StepsOf(const Model& model, const ImageShape& shape) {
  auto steps = WalkModel(model, shape);
  AIRLOT_CHECK(steps.ok(), "{}", steps.error().message);
  return std::move(*steps);
}

}  // namespace airlot::learning
