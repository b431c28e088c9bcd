// ReferenceNetwork is the network of airlot/model.h written down once more for tests, from its
// definition, one image at a time in double precision. It runs only forward: gradients are
// differences of its losses.
#ifndef AIRLOT_LEARNING_REFERENCE_NETWORK_FOR_TESTS_H_
#define AIRLOT_LEARNING_REFERENCE_NETWORK_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "airlot/model.h"

namespace airlot::learning {

class ReferenceNetwork {
 public:
  ReferenceNetwork(const Model& model, const ImageShape& shape) : model_(model), shape_(shape) {}

  // `pattern` gets, of each hidden output, which sum of its window it is, or -1 where it is 0. As
  // long as that stays the same, the logits are linear in each parameter.
  std::vector<double> Logits(std::span<const double> parameters,
                             std::span<const std::uint8_t> image,
                             std::vector<std::ptrdiff_t>* pattern = nullptr) const {
    std::vector<std::ptrdiff_t> unused;
    std::vector<std::ptrdiff_t>& places = pattern == nullptr ? unused : *pattern;
    Volume volume{1, shape_.height, shape_.width, {}};
    for (const std::uint8_t pixel : image) volume.values.push_back(pixel / 255.0);
    for (const Layer& layer : model_.hidden) {
      if (const auto* convolution = std::get_if<Convolution>(&layer)) {
        volume = Convolve(volume, *convolution, parameters, places);
      } else {
        volume = Connect(volume, std::get<Dense>(layer).units, parameters);
        for (double& value : volume.values) {
          places.push_back(value > 0 ? 0 : -1);
          value = std::max(value, 0.0);
        }
      }
    }
    return Connect(volume, shape_.classes, parameters).values;
  }

  static double LossOf(const std::vector<double>& logits, std::size_t label) {
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
  using Index = std::ptrdiff_t;
  struct Volume {
    Index channels, height, width;
    std::vector<double> values;  // [channel][row][column]
    double At(Index channel, Index y, Index x) const {
      if (y < 0 || x < 0 || y >= height || x >= width) return 0;
      return values.data()[(channel * height + y) * width + x];
    }
  };

  // Convolve and Connect take their weights and biases from the front of `parameters`.
  static Volume Convolve(const Volume& in, const Convolution& layer,
                         std::span<const double>& parameters, std::vector<Index>& places) {
    const Index kernel = layer.kernel, per_channel = in.channels * kernel * kernel;
    const auto weights = parameters.first(std::size_t(layer.channels * per_channel));
    const auto biases = parameters.subspan(weights.size(), std::size_t(layer.channels));
    parameters = parameters.subspan(weights.size() + biases.size());
    const auto sum_at = [&](Index channel, Index y, Index x) {
      double sum = biases[std::size_t(channel)];
      const double* weight = weights.data() + channel * per_channel;
      for (Index i = 0; i < in.channels; ++i) {
        for (Index v = 0; v < kernel; ++v) {
          for (Index u = 0; u < kernel; ++u) {
            sum += *weight++ * in.At(i, y + v - kernel / 2, x + u - kernel / 2);
          }
        }
      }
      return sum;
    };
    const Index pool = layer.pool;
    Volume out{layer.channels, in.height / pool, in.width / pool, {}};
    for (Index channel = 0; channel < out.channels; ++channel) {
      for (Index y = 0; y < out.height; ++y) {
        for (Index x = 0; x < out.width; ++x) {
          double largest = 0;  // ReLU
          Index largest_place = -1;
          for (Index place = 0; place < pool * pool; ++place) {
            const double sum = sum_at(channel, y * pool + place / pool, x * pool + place % pool);
            if (!(sum > largest)) continue;
            largest = sum;
            largest_place = place;
          }
          places.push_back(largest_place);
          out.values.push_back(largest);
        }
      }
    }
    return out;
  }

  static Volume Connect(const Volume& in, int units, std::span<const double>& parameters) {
    const std::size_t inputs = in.values.size(), outputs = std::size_t(units);
    Volume out{units, 1, 1, {}};
    for (std::size_t unit = 0; unit < outputs; ++unit) {
      double sum = parameters[inputs * outputs + unit];
      for (std::size_t i = 0; i < inputs; ++i) sum += parameters[unit * inputs + i] * in.values[i];
      out.values.push_back(sum);
    }
    parameters = parameters.subspan((inputs + 1) * outputs);
    return out;
  }

  Model model_;
  ImageShape shape_;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_REFERENCE_NETWORK_FOR_TESTS_H_
