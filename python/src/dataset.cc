#include "dataset.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

constexpr int kMostClasses = 256;

// Reads the samples: [sample][row][column], [sample][channel][row][column], or [sample][feature].
void SetSamples(const py::object& given, const std::string& name, std::size_t samples,
                Images& images) {
  if (given.is_none()) {  // A backend has the samples, and nobody here looks at them.
    images.height = images.width = 1;
    images.pixels.resize(samples);
    return;
  }
  const auto array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw Failure(name + ": must be an array");
  }
  const auto size = [&](int axis) {
    if (array.shape(axis) < 1 || array.shape(axis) > (1 << 21)) {
      throw Failure(name + ": has the shape " + std::string(py::str(array.attr("shape"))));
    }
    return int(array.shape(axis));
  };
  const auto dimensions = int(array.ndim());
  if (dimensions < 2 || dimensions > 4) {
    throw Failure(name + ": has " + std::to_string(dimensions) +
                  " dimensions: must be [sample][feature], [sample][row][column] or "
                  "[sample][channel][row][column]");
  }
  if (std::size_t(array.shape(0)) != samples) {
    throw Failure(name + ": has " + std::to_string(array.shape(0)) + " samples, and there are " +
                  std::to_string(samples) + " answers");
  }
  images.height = dimensions == 2 ? 1 : size(dimensions - 2);
  images.width = size(dimensions - 1);
  images.channels = dimensions == 4 ? size(1) : 1;
  const char kind = array.dtype().kind();
  if (kind == 'u' && BytesOfEach(array) == 1) {
    const auto pixels = py::array_t<std::uint8_t, py::array::c_style>::ensure(array);
    if (!pixels) throw Failure(name + ": cannot be copied: is there enough memory?");
    images.pixels.assign(pixels.data(), pixels.data() + pixels.size());
  } else if (kind == 'f' || kind == 'i' || kind == 'u') {
    const auto values =
        py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(array);
    if (!values) throw Failure(name + ": cannot be copied: is there enough memory?");
    images.values.assign(values.data(), values.data() + values.size());
    for (const float value : images.values) {
      if (!std::isfinite(value)) throw Failure(name + ": has a number that is not finite");
    }
  } else {
    throw Failure(name + ": must be numbers, not " + std::string(py::str(array.dtype())));
  }
}

void SetAnswers(const py::object& given, const std::string& name, int classes, Images& images) {
  images.classes = classes;
  if (classes == 0) {
    const auto targets = NumbersOf<float>(given, name);
    images.targets.assign(targets.data(), targets.data() + targets.size());
    for (const float target : images.targets) {
      if (!std::isfinite(target)) throw Failure(name + ": has a number that is not finite");
    }
    return;
  }
  for (const std::uint32_t label : IndicesOf(given, name, "a label")) {
    if (label >= std::uint32_t(classes)) {
      throw Failure(name + ": label " + std::to_string(label) +
                    " is not below classes = " + std::to_string(classes));
    }
    images.labels.push_back(std::uint8_t(label));
  }
}

Images ImagesOf(const py::object& samples, const py::object& answers, const std::string& part,
                int classes) {
  Images images;
  SetAnswers(answers, part + "_y", classes, images);
  if (images.size() == 0) throw Failure(part + "_y: is empty");
  SetSamples(samples, part + "_x", images.size(), images);
  return images;
}

HeldDataset OfArrays(const py::object& name, const py::object& train_x, const py::object& train_y,
                     const py::object& test_x, const py::object& test_y,
                     const py::object& given_classes) {
  const int classes = int(WholeOf(given_classes, "classes", 0, kMostClasses));
  if (classes == 1) throw Failure("classes = 1: must be 2 to 256, or 0 to predict a number");
  const bool has_samples = !train_x.is_none() && !test_x.is_none();
  if (!has_samples && !(train_x.is_none() && test_x.is_none())) {
    throw Failure("train_x, test_x: give both, or none where a backend has the samples");
  }
  Dataset dataset{.name = TextOf(name, "name"),
                  .train = ImagesOf(train_x, train_y, "train", classes),
                  .test = ImagesOf(test_x, test_y, "test", classes)};
  if (dataset.train.height != dataset.test.height || dataset.train.width != dataset.test.width ||
      dataset.train.channels != dataset.test.channels ||
      dataset.train.values.empty() != dataset.test.values.empty()) {
    throw Failure("train_x and test_x: must have samples of one shape and kind");
  }
  return {std::make_shared<const Dataset>(std::move(dataset)), has_samples};
}

// Returns the samples of a part, as they are given, without a copy.
py::array SamplesOf(const Images& images, const py::object& owner) {
  const py::array flat = images.values.empty() ? ArrayOver<std::uint8_t>(images.pixels, owner)
                                               : ArrayOver<float>(images.values, owner);
  std::vector<std::size_t> shape{images.size()};
  if (images.channels > 1) shape.push_back(std::size_t(images.channels));
  if (images.height > 1) shape.push_back(std::size_t(images.height));
  shape.push_back(std::size_t(images.width));
  return flat.attr("reshape")(shape);
}

py::array AnswersOf(const Images& images, const py::object& owner) {
  if (images.classes == 0) return ArrayOver<float>(images.targets, owner);
  return ArrayOver<std::uint8_t>(images.labels, owner);
}

py::tuple ArraysOf(const py::object& self) {
  const Dataset& dataset = *self.cast<const HeldDataset&>().dataset;
  return py::make_tuple(SamplesOf(dataset.train, self), AnswersOf(dataset.train, self),
                        SamplesOf(dataset.test, self), AnswersOf(dataset.test, self),
                        dataset.train.classes);
}

HeldDataset Read(const std::string& name_or_path, std::optional<std::size_t> most) {
  const WithoutGil without;
  if (most && name_or_path == "digits") {  // They are drawn, no more than are asked for.
    const DigitsOptions all;
    return {std::make_shared<const Dataset>(
        DrawDigits({.train_samples = std::min(*most, all.train_samples),
                    .test_samples = std::min(*most, all.test_samples)}))};
  }
  return {std::make_shared<const Dataset>(ValueOf(ReadDataset(name_or_path)))};
}

}  // namespace

Partition PartitionOf(const py::object& samples_of_devices, std::size_t samples) {
  Partition partition;
  const std::string what = "the samples of each device, a list of arrays";
  for (const py::handle held : ItemsOf(samples_of_devices, "partition", what)) {
    const std::string name = "partition[" + std::to_string(partition.devices()) + "]";
    for (const std::uint32_t sample : IndicesOf(held, name, "the number of a sample")) {
      if (sample >= samples) {
        throw Failure(name + ": sample " + std::to_string(sample) + " of " +
                      std::to_string(samples));
      }
      partition.samples.push_back(sample);
    }
    partition.begin.push_back(partition.samples.size());
  }
  if (partition.samples.empty()) throw Failure("partition: nobody holds a sample");
  return partition;
}

void BindDataset(py::module_& module) {
  py::class_<HeldDataset> bound(module, "Dataset", "Samples to train on, and others to test with.");
  RefuseNew(bound);
  bound
      .def_static("of_arrays", &OfArrays, py::arg("name"), py::arg("train_x"), py::arg("train_y"),
                  py::arg("test_x"), py::arg("test_y"), py::arg("classes"))
      .def_static("read", &Read, py::arg("name_or_path"), py::arg("most") = py::none())
      .def("arrays", &ArraysOf)
      .def_property_readonly("name", [](const HeldDataset& held) { return held.dataset->name; })
      .def_property_readonly("samples",
                             [](const HeldDataset& held) { return held.dataset->train.size(); });
}

}  // namespace airlot::python
