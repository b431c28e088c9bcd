#include "airlot/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/input_file.h"
#include "base/npy.h"
#include "base/text.h"
#include "data/byte_reader.h"
#include "data/npz.h"
#include "learning/layers.h"

namespace airlot {
namespace {

using data::NamedArray;

// An ArrayPlace says which of the parameters an array holds.
struct ArrayPlace {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t count() const {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  }
};

// Returns the arrays in the order of the parameters.
std::vector<ArrayPlace> PlacesOf(const Model& model, const ImageShape& shape) {
  std::vector<ArrayPlace> places;
  int convolutions = 0, dense = 0, norms = 0;
  for (const learning::Step& step : learning::StepsOf(model, shape)) {
    if (step.weights == 0) continue;
    if (step.kind == learning::StepKind::kExternal) {
      places.push_back({"parameters", step.WeightShape()});
      continue;
    }
    const std::string name = step.kind == learning::StepKind::kDense ? fmt::format("fc{}", ++dense)
                             : step.kind == learning::StepKind::kNormalization
                                 ? fmt::format("norm{}", ++norms)
                                 : fmt::format("conv{}", ++convolutions);
    places.push_back({name + ".weight", step.WeightShape()});
    AIRLOT_CHECK(places.back().count() == step.weights, "{} weights of {}", step.weights, name);
    if (step.biases > 0) places.push_back({name + ".bias", {step.biases}});
  }
  return places;
}

std::string Described(const Model& model, const ImageShape& shape) {
  return fmt::format("model {} for {}", model.name, DescribeShape(shape));
}

Status CheckArray(const NamedArray& array, const ArrayPlace& place, const std::string& model) {
  if (array.shape != place.shape) {
    return Error{fmt::format("{}: has the shape {}: {} needs {}", place.name,
                             base::ShapeText(array.shape), model, base::ShapeText(place.shape))};
  }
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    if (std::isfinite(array.values[i])) continue;
    return Error{fmt::format("{}: its number {} is {}: must be finite", place.name, i + 1,
                             base::FormatNumber(double(array.values[i])))};
  }
  return {};
}

// Returns the parameters, or what is wrong with the arrays.
Result<std::vector<float>> ParametersOf(const std::vector<NamedArray>& arrays,
                                        const std::vector<ArrayPlace>& places,
                                        const std::string& model) {
  for (const NamedArray& array : arrays) {
    if (std::ranges::find(places, array.name, &ArrayPlace::name) != places.end()) continue;
    std::string names;
    for (const ArrayPlace& place : places) names += (names.empty() ? "" : ", ") + place.name;
    return Error{fmt::format("holds {}: {} has {}", base::Quoted(array.name), model, names)};
  }
  std::vector<float> parameters;
  for (const ArrayPlace& place : places) {
    const auto array = std::ranges::find(arrays, place.name, &NamedArray::name);
    if (array == arrays.end()) return Error{fmt::format("lacks {} of {}", place.name, model)};
    if (auto status = CheckArray(*array, place, model); !status) return status.error();
    parameters.insert(parameters.end(), array->values.begin(), array->values.end());
  }
  return parameters;
}

}  // namespace

Status WriteModel(const std::string& path, const Model& model, const ImageShape& shape,
                  std::span<const float> parameters) {
  AIRLOT_CHECK(parameters.size() == ParameterCount(model, shape), "{} parameters, not {}",
               parameters.size(), ParameterCount(model, shape));
  std::vector<NamedArray> arrays;
  for (ArrayPlace& place : PlacesOf(model, shape)) {
    const auto own = parameters.first(place.count());
    parameters = parameters.subspan(own.size());
    arrays.push_back({std::move(place.name), std::move(place.shape), {own.begin(), own.end()}});
  }
  const auto bytes = data::EncodeNpz(arrays);
  if (!bytes) return Error{fmt::format("{}: {}", path, bytes.error().message)};
  return base::WriteWhole(path, *bytes);
}

Result<std::vector<float>> ReadModel(const std::string& path, const Model& model,
                                     const ImageShape& shape) {
  const auto bytes = base::ReadWhole(path, data::kMostBytes);
  if (!bytes) return bytes.error();
  const auto wrong = [&](const Error& error) {
    return Error{fmt::format("{}: {}", path, error.message)};
  };
  const auto arrays = data::DecodeNpz(*bytes);
  if (!arrays) return wrong(arrays.error());
  auto parameters = ParametersOf(*arrays, PlacesOf(model, shape), Described(model, shape));
  if (!parameters) return wrong(parameters.error());
  return parameters;
}

}  // namespace airlot
