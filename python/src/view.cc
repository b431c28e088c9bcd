// The view of a strategy.
#include "view.h"

#include <airlot/strategy_parts.h>

#include <string>
#include <utility>

#include "bindings.h"
#include "random.h"

namespace airlot::python {
namespace {

void RequireDevices(const View& view, const std::vector<std::uint32_t>& devices) {
  for (const std::uint32_t device : devices) {
    if (device < view.devices()) continue;
    throw Failure("device " + std::to_string(device) + ": the fleet has " +
                  std::to_string(view.devices()) + ", from 0 on");
  }
}

py::array Ask(const View& view, const Question& question,
              const std::vector<std::uint32_t>& devices) {
  RequireDevices(view, devices);
  if (view->probe == nullptr) throw Failure("there is nobody to ask in this view");
  std::vector<double> answers(devices.size());
  {
    const py::gil_scoped_release release;  // The run that asks is counted as a whole.
    view->probe->Ask(question, devices, answers);
  }
  return ArrayOf(std::move(answers));
}

py::array AskNorms(const View& view, const py::object& devices, const py::object& bits) {
  const auto asked = IndicesOf(devices, "devices");
  if (bits.is_none()) return Ask(view, AskUpdateNorm{}, asked);
  const auto cut = NumbersOf<double>(bits, "bits");
  if (std::size_t(cut.size()) != asked.size()) {
    throw Failure("bits: has " + std::to_string(cut.size()) + " values, and devices has " +
                  std::to_string(asked.size()));
  }
  return Ask(view, AskUpdateNorm{{cut.data(), asked.size()}}, asked);
}

py::tuple CostOn(const View& view, const py::object& given_device, const py::object& given_power_w,
                 const py::object& given_bandwidth_hz, const py::object& given_cpu_share) {
  const auto device = std::uint32_t(WholeOf(given_device, "device", 0, view.devices() - 1));
  const double power_w = NumberOf(given_power_w, "power_w"),
               bandwidth_hz = NumberOf(given_bandwidth_hz, "bandwidth_hz"),
               cpu_share = NumberOf(given_cpu_share, "cpu_share");
  if (!(power_w > 0) || !(bandwidth_hz > 0) || !(cpu_share > 0 && cpu_share <= 1)) {
    throw Failure("power_w and bandwidth_hz must be > 0, and cpu_share in (0, 1]");
  }
  const ParticipationCost cost =
      CostOf(view.cell(), device,
             {.power_w = power_w, .bandwidth_hz = bandwidth_hz, .cpu_share = cpu_share});
  return py::make_tuple(cost.upload_s, cost.compute_s, cost.energy_j);
}

py::array Largest(const View& view, const py::object& score, const py::object& given_count) {
  const std::size_t count = WholeOf(given_count, "count");
  const auto scores = NumbersOf<double>(score, "score");
  if (std::size_t(scores.size()) != view.devices()) {
    throw Failure("score: has " + std::to_string(scores.size()) + " values, and the fleet has " +
                  std::to_string(view.devices()) + " devices");
  }
  return ArrayOf(DevicesOfLargestScore(*view, {scores.data(), std::size_t(scores.size())}, count));
}

py::array Able(const View& view) {
  std::vector<std::uint32_t> able;
  for (std::size_t i = 0; i < view.devices(); ++i) {
    if (view->probability[i] > 0) able.push_back(std::uint32_t(i));
  }
  return ArrayOf(std::move(able));
}

void BindNumbers(py::class_<View>& bound) {
  bound
      .def_property_readonly(
          "seed", [](const View& view) { return view->seed; },
          R"(The seed of the run.

>>> view.seed
1)")
      .def_property_readonly(
          "round", [](const View& view) { return view->round; },
          R"(The round, from 1 on.

>>> view.round
1)")
      .def_property_readonly(
          "rounds", [](const View& view) { return view->rounds; },
          R"(How many rounds the whole run has.

>>> view.rounds
2)")
      .def_property_readonly(
          "attempt", [](const View& view) { return view->attempt; },
          R"(Counts the draws of a round that is drawn again, from 0 on.

>>> view.attempt
0)")
      .def_property_readonly(
          "plan_version", [](const View& view) { return view->plan_version; },
          R"(Another number when the plan has changed.

>>> isinstance(view.plan_version, int)
True)")
      .def_property_readonly(
          "devices", [](const View& view) { return view.devices(); },
          R"(How many devices the fleet has.

>>> view.devices
100)")
      .def_property_readonly(
          "total_bandwidth_hz", [](const View& view) { return view.cell().total_bandwidth_hz; },
          R"(The band of the cell, Hz.

>>> view.total_bandwidth_hz
10000000.0)");
}

void BindColumns(py::class_<View>& bound) {
  const auto column = [](auto member) {
    return [member](View& view) { return view.Column(member(*view)); };
  };
  bound
      .def_property_readonly(
          "probability", column([](const SelectionView& v) { return ColumnView(v.probability); }),
          R"(The planned probability of each device to take part; 0: it cannot.

>>> bool(np.all((view.probability >= 0) & (view.probability <= 1)))
True)")
      .def_property_readonly("power_w",
                             column([](const SelectionView& v) { return ColumnView(v.power_w); }),
                             R"(The planned transmit power of each device, W.

>>> bool(np.all(view.power_w <= view.max_power_w))
True)")
      .def_property_readonly(
          "data_share", column([](const SelectionView& v) { return ColumnView(v.data_share); }),
          R"(The share of each device in all samples.

>>> round(float(view.data_share.sum()), 6)
1.0)")
      .def_property_readonly(
          "energy_left_j",
          column([](const SelectionView& v) { return ColumnView(v.energy_left_j); }),
          R"(What each device can spend in this round, J, for a strategy that keeps budgets; else empty.

>>> view.energy_left_j.size in (0, view.devices)
True)")
      .def_property_readonly(
          "noise_to_gain_w",
          column([](const SelectionView& v) { return v.cell->problem.noise_to_gain_w; }),
          R"(The noise power over the channel gain of each device in its own band, W.

>>> bool(np.all(view.noise_to_gain_w > 0))
True)")
      .def_property_readonly(
          "max_power_w", column([](const SelectionView& v) { return v.cell->problem.max_power_w; }),
          R"(The largest transmit power of each device, W.

>>> view.max_power_w[:2]
array([0.2, 0.2]))")
      .def_property_readonly("energy_budget_j", column([](const SelectionView& v) {
                               return v.cell->problem.energy_budget_j;
                             }),
                             R"(What each device may spend in a round on average, J.

>>> view.energy_budget_j.shape
(100,))")
      .def_property_readonly("time_limit_s", column([](const SelectionView& v) {
                               return v.cell->problem.time_limit_s;
                             }),
                             R"(The time limit of a round, s.

>>> view.time_limit_s[:2]
array([0.08, 0.08]))")
      .def_property_readonly("compute_energy_j", column([](const SelectionView& v) {
                               return v.cell->problem.compute_energy_j;
                             }),
                             R"(What taking part costs each device beside the upload, J.

>>> bool(np.all(view.compute_energy_j >= 0))
True)")
      .def_property_readonly("compute_time_s",
                             column([](const SelectionView& v) { return v.cell->compute_time_s; }),
                             R"(How long each device computes, s, where the books count it; else 0.

>>> bool(np.all(view.compute_time_s >= 0))
True)")
      .def_property_readonly("samples",
                             column([](const SelectionView& v) { return v.cell->problem.samples; }),
                             R"(How many samples each device holds.

>>> int(view.samples.sum()) > 0
True)")
      .def_property_readonly("bandwidth_hz",
                             column([](const SelectionView& v) { return v.cell->bandwidth_hz; }),
                             R"(The width of each device's own band, Hz.

>>> bool(view.bandwidth_hz.sum() <= 1.001 * view.total_bandwidth_hz)
True)")
      .def_property_readonly("update_bits",
                             column([](const SelectionView& v) { return v.cell->update_bits; }),
                             R"(The size of each device's update, bits.

>>> bool(np.all(view.update_bits > 0))
True)");
}

void BindHelp(py::class_<View>& bound) {
  bound
      .def("able", &Able, R"(Returns the devices that can take part, in rising order.

>>> able = view.able()
>>> bool(np.all(view.probability[able] > 0))
True)")
      .def(
          "expected_devices", [](const View& view) { return ExpectedDevices(*view); },
          R"(Returns how many devices the plan expects in a round, rounded.

>>> abs(view.expected_devices() - float(view.probability.sum())) <= 1
True)")
      .def("largest", &Largest, py::arg("score"), py::arg("count"),
           R"(Returns the devices of largest score that can take part, in rising order.

>>> view.largest(view.data_share, 3).size
3)")
      .def(
          "stream",
          [](const View& view, const py::object& index) {
            return HeldStream(StreamOf(*view, WholeOf(index, "index")));
          },
          py::arg("index") = 0,
          R"(Returns random numbers of this draw; the index tells streams apart.

>>> 0 <= view.stream().uniform() < 1
True)")
      .def(
          "round_of_draw", [](const View& view) { return RoundOfDraw(*view); },
          R"(Returns the round of a random stream: another one for each draw of a round that is drawn again.

>>> view.round_of_draw()
1)")
      .def("cost", &CostOn, py::arg("device"), py::arg("power_w"), py::arg("bandwidth_hz"),
           py::arg("cpu_share") = 1.0,
           R"(Returns upload_s, compute_s and energy_j of taking part once on these terms (W, Hz).

>>> upload_s, compute_s, energy_j = view.cost(0, power_w=0.01, bandwidth_hz=1e6)
>>> upload_s > 0 and energy_j >= 0.01 * upload_s
True)");
}

void BindQuestions(py::class_<View>& bound) {
  bound
      .def(
          "ask_loss",
          [](const View& view, const py::object& devices, const py::object& batch) {
            return Ask(view, AskLoss{WholeOf(batch, "batch")}, IndicesOf(devices, "devices"));
          },
          py::arg("devices"), py::arg("batch") = 0,
          R"(Asks devices for the mean loss of some samples (0: all). Each answer is charged; NaN: a device cannot pay.

>>> view.ask_loss(view.able()[:2], batch=5).shape
(2,))")
      .def(
          "ask_update_norm", &AskNorms, py::arg("devices"), py::arg("bits") = py::none(),
          R"(Asks devices for the norm of their update, cut to so many bits each where they are given.

>>> view.ask_update_norm(view.able()[:2]).shape
(2,))")
      .def(
          "ask_accuracy",
          [](const View& view, const py::object& devices) {
            return Ask(view, AskAccuracy{}, IndicesOf(devices, "devices"));
          },
          py::arg("devices"),
          R"(Asks devices for the accuracy of the model in their mix of labels.

>>> view.ask_accuracy(view.able()[:2]).shape
(2,))")
      .def(
          "ask_compute_time",
          [](const View& view, const py::object& devices) {
            return Ask(view, AskComputeTime{}, IndicesOf(devices, "devices"));
          },
          py::arg("devices"), R"(Asks devices how long they compute, s.

>>> view.ask_compute_time(view.able()[:2]).shape
(2,))");
}

}  // namespace

void BindView(py::module_& module) {
  py::class_<View> bound(
      module, "View",
      R"(What the server knows when it selects. It is of one call of `Strategy.select`.

Columns are arrays with a number for each device, without copies; nobody can write to them.

>>> view.devices, view.round
(100, 1))");
  RefuseNew(bound);
  BindNumbers(bound);
  BindColumns(bound);
  BindHelp(bound);
  BindQuestions(bound);
}

}  // namespace airlot::python
