#include "random.h"

#include <airlot/strategy_parts.h>

#include <string>
#include <utility>

#include "arrays.h"
#include "bindings.h"

namespace airlot::python {
namespace {

RandomPurpose PurposeOf(const py::object& purpose) {
  if (py::isinstance<py::str>(purpose)) return PurposeNamed(TextOf(purpose, "purpose"));
  return RandomPurpose{WholeOf(purpose, "purpose (a name, or a number of the library)")};
}

HeldStream MakeStream(const py::object& seed, const py::object& purpose, const py::object& round,
                      const py::object& device) {
  return HeldStream(RandomStream(WholeOf(seed, "seed"), PurposeOf(purpose), WholeOf(round, "round"),
                                 WholeOf(device, "device")));
}

py::tuple DrawUniformly(const py::object& devices, const py::object& count,
                        const py::object& stream) {
  if (!py::isinstance<HeldStream>(stream)) {
    throw Failure("stream: must be an airlot.RandomStream, not " + TypeName(stream));
  }
  Selection selection;
  SelectUniformly(IndicesOf(devices, "devices"), WholeOf(count, "count"),
                  *stream.cast<HeldStream&>(), selection);
  return py::make_tuple(ArrayOf(std::move(selection.devices)),
                        ArrayOf(std::move(selection.probability)));
}

}  // namespace

void BindRandom(py::module_& module) {
  py::class_<HeldStream>(
      module, "RandomStream",
      R"(Random numbers that are addressed by (seed, purpose, round, device): the same for the same four.

The purpose is a name of your own, such as "my-lab/churn", which tells your draws from all others.

>>> stream = airlot.RandomStream(1, "my-lab/churn", round=3, device=7)
>>> stream.uniform() == airlot.RandomStream(1, "my-lab/churn", round=3, device=7).uniform()
True)")
      .def(py::init(&MakeStream), py::arg("seed"), py::arg("purpose"), py::arg("round"),
           py::arg("device"))
      .def(
          "bits", [](HeldStream& stream) { return stream->NextBits(); },
          R"(Returns 64 random bits.

>>> 0 <= stream.bits() < 2**64
True)")
      .def(
          "uniform", [](HeldStream& stream) { return stream->Uniform(); },
          R"(Draws from [0, 1).

>>> 0 <= stream.uniform() < 1
True)")
      .def(
          "below",
          [](HeldStream& stream, const py::object& bound) {
            return stream->Below(WholeOf(bound, "bound", 1));
          },
          py::arg("bound"), R"(Draws from 0, ..., bound - 1.

>>> stream.below(6) in range(6)
True)")
      .def(
          "normal", [](HeldStream& stream) { return stream->Normal(); },
          R"(Draws from the standard normal distribution.

>>> abs(stream.normal()) < 10
True)")
      .def(
          "exponential", [](HeldStream& stream) { return stream->Exponential(); },
          R"(Draws from the exponential distribution of mean 1.

>>> stream.exponential() >= 0
True)");
  module.def("draw_uniformly", &DrawUniformly, py::arg("devices"), py::arg("count"),
             py::arg("stream"),
             "Returns `count` of the devices, drawn without replacement, and their probabilities.");
}

}  // namespace airlot::python
