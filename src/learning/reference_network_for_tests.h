// ReferenceNetwork is the network of airlot/model.h written down once more for tests, layer by
// layer from its definition, in double precision. It runs only forward: gradients are differences
// of its losses.
#ifndef AIRLOT_LEARNING_REFERENCE_NETWORK_FOR_TESTS_H_
#define AIRLOT_LEARNING_REFERENCE_NETWORK_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/model.h"

namespace airlot::learning {

class ReferenceNetwork {
 public:
  using Index = std::ptrdiff_t;
  using Numbers = std::vector<double>;
  // Returns what dropout multiplies a number by, from the sample of the batch, the count of the
  // dropout layer and the feature.
  using Factor = std::function<double(std::size_t sample, std::size_t layer, std::size_t feature)>;

  ReferenceNetwork(const Model& model, const ImageShape& shape, Factor factor = {})
      : model_(model), shape_(shape), factor_(std::move(factor)) {}

  // Returns the outputs of the samples of one batch. `pattern` gets of each ReLU whether it is
  // open, and of each window which number is the largest. As long as that stays the same, no kink
  // is passed.
  std::vector<Numbers> Outputs(std::span<const double> parameters,
                               const std::vector<Numbers>& samples,
                               std::vector<Index>* pattern = nullptr) const {
    std::vector<Index> unused;
    Walk walk{parameters, pattern == nullptr ? unused : *pattern, 0};
    Volumes all;
    for (const Numbers& sample : samples) {
      all.push_back({shape_.channels, shape_.height, shape_.width, sample});
    }
    all = Run(model_.layers, std::move(all), walk);
    std::vector<Numbers> outputs;
    for (const Volume& one : Connect(all, std::max(shape_.classes, 1), walk)) {
      outputs.push_back(one.values);
    }
    return outputs;
  }

  Numbers Logits(std::span<const double> parameters, std::span<const std::uint8_t> image,
                 std::vector<Index>* pattern = nullptr) const {
    return Outputs(parameters, {PixelsOf(image)}, pattern)[0];
  }

  static Numbers PixelsOf(std::span<const std::uint8_t> image) {
    Numbers numbers;
    for (const std::uint8_t pixel : image) numbers.push_back(pixel / 255.0);
    return numbers;
  }

  static double LossOf(const Numbers& logits, std::size_t label) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit - largest);
    return std::log(sum) + largest - logits[label];
  }

  double Loss(std::span<const double> parameters, std::span<const std::uint8_t> image,
              std::size_t label) const {
    return LossOf(Logits(parameters, image), label);
  }

 private:
  struct Volume {
    Index channels, height, width;
    Numbers values;  // [channel][row][column]
    double At(Index channel, Index y, Index x) const {
      if (y < 0 || x < 0 || y >= height || x >= width) return 0;
      return values.data()[(channel * height + y) * width + x];
    }
  };
  using Volumes = std::vector<Volume>;  // of the samples of a batch

  // A Walk has the parameters that are left, and where it notes kinks.
  struct Walk {
    std::span<const double> parameters;
    std::vector<Index>& pattern;
    std::size_t dropouts;

    std::span<const double> Take(Index count) {
      const auto own = parameters.first(std::size_t(count));
      parameters = parameters.subspan(own.size());
      return own;
    }
  };

  Volumes Run(const std::vector<Layer>& layers, Volumes in, Walk& walk) const {
    for (const Layer& layer : layers) {
      in = std::visit([&](const auto& kind) { return Apply(kind, std::move(in), walk); },
                      layer.kind);
    }
    return in;
  }

  Volumes Apply(const Convolution& layer, const Volumes& in, Walk& walk) const {
    const Index kernel = layer.kernel, inputs = in[0].channels / layer.groups;
    const Index per_channel = inputs * kernel * kernel, outputs = layer.channels / layer.groups;
    const Index padding =
        layer.padding == Convolution::kSame ? (kernel - 1) / 2 : Index(layer.padding);
    const auto weights = walk.Take(layer.channels * per_channel);
    const auto biases = walk.Take(layer.bias ? layer.channels : 0);
    Volumes out;
    for (const Volume& image : in) {
      out.push_back({layer.channels,
                     (image.height + 2 * padding - kernel) / layer.stride + 1,
                     (image.width + 2 * padding - kernel) / layer.stride + 1,
                     {}});
      for (Index c = 0; c < layer.channels; ++c) {
        ForEachPixel(out.back(), [&](Index y, Index x) {
          double sum = layer.bias ? biases[std::size_t(c)] : 0;
          const double* weight = weights.data() + c * per_channel;
          for (Index i = 0; i < inputs; ++i) {
            for (Index v = 0; v < kernel; ++v) {
              for (Index u = 0; u < kernel; ++u) {
                sum +=
                    *weight++ * image.At(c / outputs * inputs + i, y * layer.stride + v - padding,
                                         x * layer.stride + u - padding);
              }
            }
          }
          out.back().values.push_back(sum);
        });
      }
    }
    return out;
  }

  Volumes Apply(const Relu&, Volumes in, Walk& walk) const {
    for (Volume& image : in) {
      for (double& value : image.values) {
        walk.pattern.push_back(value > 0 ? 0 : -1);
        value = std::max(value, 0.0);
      }
    }
    return in;
  }

  template <class Use>
  static void ForEachPixel(const Volume& image, const Use& use) {
    for (Index y = 0; y < image.height; ++y) {
      for (Index x = 0; x < image.width; ++x) use(y, x);
    }
  }

  // Calls use(the numbers of a window, where its result goes) for each window.
  template <class Use>
  static Volumes ForEachWindow(const Volumes& in, Index rows, Index columns, Index stride,
                               const Use& use) {
    Volumes out;
    for (const Volume& image : in) {
      out.push_back({image.channels,
                     (image.height - rows) / stride + 1,
                     (image.width - columns) / stride + 1,
                     {}});
      for (Index c = 0; c < image.channels; ++c) {
        ForEachPixel(out.back(), [&](Index y, Index x) {
          Numbers window;
          for (Index place = 0; place < rows * columns; ++place) {
            window.push_back(
                image.At(c, y * stride + place / columns, x * stride + place % columns));
          }
          out.back().values.push_back(use(window));
        });
      }
    }
    return out;
  }

  Volumes Apply(const MaxPool& layer, const Volumes& in, Walk& walk) const {
    const Index stride = layer.stride == 0 ? layer.size : layer.stride;
    return ForEachWindow(in, layer.size, layer.size, stride, [&](const Numbers& window) {
      const auto largest = std::max_element(window.begin(), window.end());
      walk.pattern.push_back(largest - window.begin());
      return *largest;
    });
  }

  Volumes Apply(const AveragePool& layer, const Volumes& in, Walk&) const {
    const Index rows = layer.size == 0 ? in[0].height : layer.size;
    const Index columns = layer.size == 0 ? in[0].width : layer.size;
    const Index stride = layer.stride == 0 ? rows : layer.stride;
    return ForEachWindow(in, rows, columns, stride, [](const Numbers& window) {
      double sum = 0;
      for (const double value : window) sum += value;
      return sum / double(window.size());
    });
  }

  Volumes Apply(const Flatten&, Volumes in, Walk&) const {
    for (Volume& image : in) image = {Index(image.values.size()), 1, 1, std::move(image.values)};
    return in;
  }

  Volumes Apply(const Dense& layer, const Volumes& in, Walk& walk) const {
    return Connect(in, layer.units, walk);
  }

  static Volumes Connect(const Volumes& in, Index units, Walk& walk) {
    const Index inputs = Index(in[0].values.size());
    const auto weights = walk.Take(inputs * units), biases = walk.Take(units);
    Volumes out;
    for (const Volume& image : in) {
      out.push_back({units, 1, 1, {}});
      for (Index unit = 0; unit < units; ++unit) {
        double sum = biases[std::size_t(unit)];
        for (Index i = 0; i < inputs; ++i) {
          sum += weights[std::size_t(unit * inputs + i)] * image.values[std::size_t(i)];
        }
        out.back().values.push_back(sum);
      }
    }
    return out;
  }

  Volumes Apply(const Dropout&, Volumes in, Walk& walk) const {
    for (std::size_t n = 0; n < in.size() && factor_; ++n) {
      for (std::size_t f = 0; f < in[n].values.size(); ++f) {
        in[n].values[f] *= factor_(n, walk.dropouts, f);
      }
    }
    ++walk.dropouts;
    return in;
  }

  // Normalises the channels [first, last) of these samples together.
  static void Normalize(std::span<Volume> in, Index first, Index last, std::span<const double> gain,
                        std::span<const double> bias) {
    double sum = 0, squares = 0, count = 0;
    const auto for_each = [&](const auto& use) {
      for (Volume& image : in) {
        const Index pixels = image.height * image.width;
        for (Index i = first * pixels; i < last * pixels; ++i) {
          use(image.values[std::size_t(i)], std::size_t(i / pixels));
        }
      }
    };
    for_each([&](double value, std::size_t) { sum += value, ++count; });
    const double mean = sum / count;
    for_each([&](double value, std::size_t) { squares += (value - mean) * (value - mean); });
    const double sd = std::sqrt(squares / count + 1e-5);
    for_each(
        [&](double& value, std::size_t c) { value = (value - mean) / sd * gain[c] + bias[c]; });
  }

  Volumes Apply(const BatchNorm&, Volumes in, Walk& walk) const {
    const Index channels = in[0].channels;
    const auto gain = walk.Take(channels), bias = walk.Take(channels);
    for (Index c = 0; c < channels; ++c) Normalize(in, c, c + 1, gain, bias);
    return in;
  }

  Volumes Apply(const GroupNorm& layer, Volumes in, Walk& walk) const {
    const Index channels = in[0].channels, size = channels / layer.groups;
    const auto gain = walk.Take(channels), bias = walk.Take(channels);
    for (Volume& image : in) {
      for (Index c = 0; c < channels; c += size) Normalize({&image, 1}, c, c + size, gain, bias);
    }
    return in;
  }

  // Nobody here knows what is in it.
  Volumes Apply(const External&, Volumes in, Walk&) const { return in; }

  Volumes Apply(const Residual& layer, const Volumes& in, Walk& walk) const {
    Volumes sum = Run(layer.layers, in, walk);
    const Volumes shortcut = Run(layer.shortcut, in, walk);
    for (std::size_t n = 0; n < sum.size(); ++n) {
      for (std::size_t i = 0; i < sum[n].values.size(); ++i) {
        sum[n].values[i] += shortcut[n].values[i];
      }
    }
    return sum;
  }

  Model model_;
  ImageShape shape_;
  Factor factor_;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_REFERENCE_NETWORK_FOR_TESTS_H_
