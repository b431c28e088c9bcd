// The tests share this header: it writes down layers that the fused kernels take as one.
#ifndef AIRLOT_LEARNING_MODELS_FOR_TESTS_H_
#define AIRLOT_LEARNING_MODELS_FOR_TESTS_H_

#include <initializer_list>
#include <variant>
#include <vector>

#include "airlot/model.h"

namespace airlot::learning {

// A Pooled is a "same" convolution, ReLU and max-pooling; Units are a dense layer and ReLU.
struct Pooled {
  int channels, kernel, pool;
};
struct Units {
  int units;
};

inline std::vector<Layer> Hidden(std::initializer_list<std::variant<Pooled, Units>> layers) {
  std::vector<Layer> all;
  for (const auto& layer : layers) {
    if (const auto* pooled = std::get_if<Pooled>(&layer)) {
      all.emplace_back(Convolution{
          .channels = pooled->channels, .kernel = pooled->kernel, .padding = Convolution::kSame});
      all.emplace_back(Relu{});
      if (pooled->pool > 1) all.emplace_back(MaxPool{pooled->pool});
    } else {
      all.emplace_back(Dense{std::get<Units>(layer).units});
      all.emplace_back(Relu{});
    }
  }
  return all;
}

// Returns such layers again from a list of them.
inline std::vector<std::variant<Pooled, Units>> FusedOf(const Model& model) {
  std::vector<std::variant<Pooled, Units>> fused;
  for (const Layer& layer : model.layers) {
    if (const auto* convolution = std::get_if<Convolution>(&layer.kind)) {
      fused.emplace_back(Pooled{convolution->channels, convolution->kernel, 1});
    } else if (const auto* dense = std::get_if<Dense>(&layer.kind)) {
      fused.emplace_back(Units{dense->units});
    } else if (const auto* pool = std::get_if<MaxPool>(&layer.kind)) {
      std::get<Pooled>(fused.back()).pool = pool->size;
    }
  }
  return fused;
}

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_MODELS_FOR_TESTS_H_
