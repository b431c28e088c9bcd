// Strategies that are written in Python.
#include <airlot/random.h>
#include <airlot/selection.h>
#include <airlot/strategy_parts.h>
#include <pybind11/stl.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace)

// --- The view ------------------------------------------------------------------------------------

// A View is what `select` sees. It is of no use after that, but its arrays stay what they are.
class View {
 public:
  const SelectionView& operator*() const {
    if (view_ == nullptr)
      throw Failure("a view is of one call of select: take what you need there");
    return *view_;
  }
  const SelectionView* operator->() const { return &**this; }
  std::size_t devices() const { return (**this).probability.size(); }
  const Cell& cell() const { return *(**this).cell; }

  // Returns an array over what the view looks at, which lives as long as the array. Where nobody
  // keeps it alive, it is a copy.
  py::array Array(std::span<const double> values) {
    if (!(**this).owner) return ArrayOf(std::vector<double>(values.begin(), values.end()));
    if (!keeper_) {
      auto* owner = new std::shared_ptr<const void>((**this).owner);
      keeper_ = py::capsule(
          owner, [](void* memory) { delete static_cast<std::shared_ptr<const void>*>(memory); });
    }
    return ArrayOver(values, keeper_);
  }
  py::array Column(const ColumnView& column) {
    return column.is_constant() ? RepeatedArray(column.constant(), devices())
                                : Array(column.values());
  }

  void Show(const SelectionView* view) { view_ = view; }

 private:
  const SelectionView* view_ = nullptr;
  py::object keeper_;  // what the arrays of this run share
};

// Lets a view show something for as long as this lives.
class Shown {
 public:
  Shown(View& view, const SelectionView& what) : view_(view) { view_.Show(&what); }
  ~Shown() { view_.Show(nullptr); }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  View& view_;
};

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

py::tuple CostOn(const View& view, std::uint32_t device, double power_w, double bandwidth_hz,
                 double cpu_share) {
  RequireDevices(view, {device});
  if (!(power_w > 0) || !(bandwidth_hz > 0) || !(cpu_share > 0 && cpu_share <= 1)) {
    throw Failure("power_w and bandwidth_hz must be > 0, and cpu_share in (0, 1]");
  }
  const ParticipationCost cost =
      CostOf(view.cell(), device,
             {.power_w = power_w, .bandwidth_hz = bandwidth_hz, .cpu_share = cpu_share});
  return py::make_tuple(cost.upload_s, cost.compute_s, cost.energy_j);
}

py::array Largest(const View& view, const py::object& score, std::size_t count) {
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

// --- Random numbers ------------------------------------------------------------------------------

RandomPurpose PurposeOf(const std::variant<std::uint64_t, std::string>& purpose) {
  if (const auto* name = std::get_if<std::string>(&purpose)) return PurposeNamed(*name);
  return RandomPurpose{std::get<std::uint64_t>(purpose)};
}

py::tuple DrawUniformly(const py::object& devices, std::size_t count, const RandomStream& stream) {
  Selection selection;
  SelectUniformly(IndicesOf(devices, "devices"), count, stream, selection);
  return py::make_tuple(ArrayOf(std::move(selection.devices)),
                        ArrayOf(std::move(selection.probability)));
}

// --- The strategy --------------------------------------------------------------------------------

// Reads numbers that all selected devices share, or that each has.
std::vector<double> EachOf(const py::object& value, std::size_t count, const char* name) {
  const InputColumn column(value, name);
  if (!column.is_constant() && column.size() != count) {
    throw Failure(std::string(name) + ": has " + std::to_string(column.size()) + " values, and " +
                  std::to_string(count) + " devices are selected");
  }
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = column.view()[i];
  return values;
}

// A PythonStrategy calls an object of airlot.Strategy. What it throws ends the run.
class PythonStrategy : public Strategy {
 public:
  PythonStrategy(py::object self, bool takes_planned_terms, bool keeps_budgets, bool learns,
                 bool knows_probabilities)
      : self_(std::move(self)),
        takes_planned_terms_(takes_planned_terms),
        keeps_budgets_(keeps_budgets),
        learns_(learns),
        knows_probabilities_(knows_probabilities),
        shown_(py::cast(View())) {}
  ~PythonStrategy() override {
    const py::gil_scoped_acquire acquire;
    self_ = {};
    shown_ = {};
  }
  PythonStrategy(const PythonStrategy&) = delete;
  PythonStrategy& operator=(const PythonStrategy&) = delete;

  bool TakesPlannedTerms() const override { return takes_planned_terms_; }
  bool KeepsBudgets() const override { return keeps_budgets_; }
  bool Learns() const override { return learns_; }

  void Select(const SelectionView& view, Selection& selection) override {
    const py::gil_scoped_acquire acquire;
    SetMemory(*view.memory);
    py::object result;
    {
      const Shown shown(shown_.cast<View&>(), view);
      result = self_.attr("select")(shown_);
    }
    Read(result, view, selection);
    TakeMemory(*view.memory);
    if (knows_probabilities_ && selection.probability.size() != selection.devices.size()) {
      throw Failure("strategy " + NameOf() +
                    ": knows_probabilities is true, and select gave no probability");
    }
    if (const Status status = CheckSelection(view, selection); !status) {
      throw Failure("strategy " + NameOf() + ": " + status.error().message);
    }
  }

  void Learn(const RoundOutcome& outcome, std::vector<double>& memory) override {
    const py::gil_scoped_acquire acquire;
    SetMemory(memory);
    const auto array = [](auto values) {
      return ArrayOf(std::vector(values.begin(), values.end()));
    };
    self_.attr("_learn")(outcome.round, array(outcome.devices), array(outcome.mean_loss),
                         array(outcome.mean_square_loss), array(outcome.duration_s));
    TakeMemory(memory);
  }

 private:
  std::string NameOf() const { return py::str(self_.attr("name")); }

  void SetMemory(const std::vector<double>& memory) {
    self_.attr("memory") = ArrayOf(std::vector<double>(memory));
  }
  void TakeMemory(std::vector<double>& memory) {
    const auto numbers = NumbersOf<double>(self_.attr("memory"), "memory");
    memory.assign(numbers.data(), numbers.data() + numbers.size());
  }

  void Read(const py::object& result, const SelectionView& view, Selection& selection) {
    if (result.is_none()) return;
    if (!py::hasattr(result, "devices")) {
      selection.devices = IndicesOf(result, "the devices that select returns");
      return;
    }
    selection.devices = IndicesOf(result.attr("devices"), "devices");
    const std::size_t count = selection.devices.size();
    selection.takes_turns = result.attr("takes_turns").cast<bool>();
    selection.before_s = result.attr("before_s").cast<double>();
    selection.nobody_able = result.attr("nobody_able").cast<bool>();
    if (const py::object probability = result.attr("probability"); !probability.is_none()) {
      selection.probability = EachOf(probability, count, "probability");
      for (const double value : selection.probability) {
        if (!(value > 0 && value <= 1)) {
          throw Failure("probability: " + std::string(py::str(py::float_(value))) +
                        " is not above 0 and at most 1");
        }
      }
    }
    if (!std::isfinite(selection.before_s)) throw Failure("before_s: must be finite");
    ReadTerms(result, view, selection);
  }

  // Whatever of the terms is left out is as planned.
  void ReadTerms(const py::object& result, const SelectionView& view, Selection& selection) {
    const std::size_t count = selection.devices.size();
    const auto read = [&](const char* name) {
      const py::object value = result.attr(name);
      return value.is_none() ? std::vector<double>() : EachOf(value, count, name);
    };
    const auto power_w = read("power_w"), bandwidth_hz = read("bandwidth_hz"),
               cpu_share = read("cpu_share"), update_bits = read("update_bits");
    if (power_w.empty() && bandwidth_hz.empty() && cpu_share.empty() && update_bits.empty()) return;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t device = selection.devices[i];
      if (device >= view.probability.size()) return;  // CheckSelection says so.
      Terms terms{
          .power_w = power_w.empty() ? view.power_w[device] : power_w[i],
          .bandwidth_hz = bandwidth_hz.empty() ? view.cell->bandwidth_hz[device] : bandwidth_hz[i]};
      if (std::fpclassify(terms.power_w) != FP_NORMAL ||
          std::fpclassify(terms.bandwidth_hz) != FP_NORMAL ||
          (!update_bits.empty() && !std::isfinite(update_bits[i]))) {
        throw Failure("power_w, bandwidth_hz, update_bits: device " + std::to_string(device) +
                      " sends at " + std::string(py::str(py::float_(terms.power_w))) + " W in " +
                      std::string(py::str(py::float_(terms.bandwidth_hz))) + " Hz");
      }
      if (!cpu_share.empty()) terms.cpu_share = cpu_share[i];
      if (!update_bits.empty()) terms.update_bits = update_bits[i];
      selection.terms.push_back(terms);
    }
  }

  py::object self_;
  const bool takes_planned_terms_, keeps_budgets_, learns_, knows_probabilities_;
  py::object shown_;  // a View
};

StrategyOption OptionOf(const py::handle& given) {
  StrategyOption option{.name = given.attr("name").cast<std::string>(),
                        .value = given.attr("value").cast<double>(),
                        .low = given.attr("low").cast<double>(),
                        .high = given.attr("high").cast<double>(),
                        .is_whole = given.attr("is_whole").cast<bool>(),
                        .summary = given.attr("summary").cast<std::string>()};
  for (const auto& [word, value] : given.attr("words").cast<py::dict>()) {
    option.words.push_back({word.cast<std::string>(), value.cast<double>()});
  }
  return option;
}

// What a class says of itself is asked once, here. `make` gets a dictionary of the options.
void Register(const std::string& name, const std::string& summary, const py::list& options,
              const py::function& make, bool takes_planned_terms, bool keeps_budgets, bool learns,
              bool knows_probabilities, bool cuts_updates) {
  if (CallsUnderWay() > 0) {
    throw Failure("strategy " + name + ": is registered before runs begin, and some are under way");
  }
  StrategyEntry entry{.name = name, .summary = summary};
  for (const py::handle option : options) entry.options.push_back(OptionOf(option));
  std::vector<std::string> names;
  for (const StrategyOption& option : entry.options) names.push_back(option.name);
  // The registry may outlive the interpreter, so that the function is never let go.
  const py::handle made_by = py::object(make).release();
  entry.make = [=](const OptionValues& values) -> std::unique_ptr<Strategy> {
    const py::gil_scoped_acquire acquire;
    py::dict chosen;
    for (const std::string& option : names) chosen[py::str(option)] = values[option];
    return std::make_unique<PythonStrategy>(made_by(chosen), takes_planned_terms, keeps_budgets,
                                            learns, knows_probabilities);
  };
  entry.knows_probabilities = knows_probabilities;
  entry.cuts_updates = cuts_updates;
  // Who looks entries up may wait for the GIL meanwhile.
  const WithoutGil without;
  const std::lock_guard alone(RegistryMutex());
  Require(ReplaceStrategy(std::move(entry)));
}

py::list AllStrategies() {
  py::list all;
  for (const StrategyEntry& entry : Strategies()) {
    all.append(py::make_tuple(entry.name, entry.summary));
  }
  return all;
}

}  // namespace

void BindStrategy(py::module_& module) {
  const auto column = [](auto member) {
    return [member](View& view) { return view.Column(member(*view)); };
  };
  py::class_<RandomStream>(module, "RandomStream",
                           "Random numbers that are addressed by (seed, purpose, round, device).")
      .def(py::init([](std::uint64_t seed, const std::variant<std::uint64_t, std::string>& purpose,
                       std::uint64_t round, std::uint64_t device) {
             return RandomStream(seed, PurposeOf(purpose), round, device);
           }),
           py::arg("seed"), py::arg("purpose"), py::arg("round"), py::arg("device"))
      .def("bits", &RandomStream::NextBits, "Returns 64 random bits.")
      .def("uniform", py::overload_cast<>(&RandomStream::Uniform), "Draws from [0, 1).")
      .def(
          "below",
          [](RandomStream& stream, std::uint64_t bound) {
            if (bound == 0) throw Failure("bound = 0: must be >= 1");
            return stream.Below(bound);
          },
          py::arg("bound"), "Draws from 0, ..., bound - 1.")
      .def("normal", &RandomStream::Normal, "Draws from the standard normal distribution.")
      .def("exponential", &RandomStream::Exponential,
           "Draws from the exponential distribution of mean 1.");
  py::class_<View>(module, "View", "What the server knows when it selects.")
      .def_property_readonly(
          "seed", [](const View& view) { return view->seed; }, "The seed of the run.")
      .def_property_readonly(
          "round", [](const View& view) { return view->round; }, "The round, from 1 on.")
      .def_property_readonly(
          "rounds", [](const View& view) { return view->rounds; },
          "How many rounds the whole run has.")
      .def_property_readonly(
          "attempt", [](const View& view) { return view->attempt; },
          "Counts the draws of a round that is drawn again.")
      .def_property_readonly(
          "plan_version", [](const View& view) { return view->plan_version; },
          "Another number when the plan has changed.")
      .def_property_readonly("devices", &View::devices, "How many devices the fleet has.")
      .def_property_readonly(
          "total_bandwidth_hz", [](const View& view) { return view.cell().total_bandwidth_hz; },
          "The band of the cell, Hz.")
      .def_property_readonly(
          "probability", column([](const SelectionView& v) { return ColumnView(v.probability); }),
          "Each device's planned probability; 0: it cannot take part.")
      .def_property_readonly("power_w",
                             column([](const SelectionView& v) { return ColumnView(v.power_w); }),
                             "Each device's planned power, W.")
      .def_property_readonly(
          "data_share", column([](const SelectionView& v) { return ColumnView(v.data_share); }),
          "Each device's share of all samples.")
      .def_property_readonly("energy_left_j", column([](const SelectionView& v) {
                               return ColumnView(v.energy_left_j);
                             }),
                             "What each device can spend in this round, J, for a strategy that "
                             "keeps budgets; else empty.")
      .def_property_readonly("noise_to_gain_w", column([](const SelectionView& v) {
                               return v.cell->problem.noise_to_gain_w;
                             }),
                             "Noise power over channel gain in the own band, W.")
      .def_property_readonly(
          "max_power_w", column([](const SelectionView& v) { return v.cell->problem.max_power_w; }),
          "The largest transmit power, W.")
      .def_property_readonly("energy_budget_j", column([](const SelectionView& v) {
                               return v.cell->problem.energy_budget_j;
                             }),
                             "The energy budget of a round, J.")
      .def_property_readonly("time_limit_s", column([](const SelectionView& v) {
                               return v.cell->problem.time_limit_s;
                             }),
                             "The time limit of a round, s.")
      .def_property_readonly("compute_energy_j", column([](const SelectionView& v) {
                               return v.cell->problem.compute_energy_j;
                             }),
                             "The energy of taking part beside the upload, J.")
      .def_property_readonly("compute_time_s",
                             column([](const SelectionView& v) { return v.cell->compute_time_s; }),
                             "The time of computing, s, where the books count it; else 0.")
      .def_property_readonly("samples",
                             column([](const SelectionView& v) { return v.cell->problem.samples; }),
                             "How many samples each device holds.")
      .def_property_readonly("bandwidth_hz",
                             column([](const SelectionView& v) { return v.cell->bandwidth_hz; }),
                             "The width of the own band, Hz.")
      .def_property_readonly("update_bits",
                             column([](const SelectionView& v) { return v.cell->update_bits; }),
                             "The size of an update.")
      .def("able", &Able, "Returns the devices that can take part.")
      .def(
          "expected_devices", [](const View& view) { return ExpectedDevices(*view); },
          "Returns how many devices the plan expects, rounded.")
      .def("largest", &Largest, py::arg("score"), py::arg("count"),
           "Returns the devices of largest score that can take part, in rising order.")
      .def(
          "stream", [](const View& view, std::uint64_t index) { return StreamOf(*view, index); },
          py::arg("index") = 0,
          "Returns random numbers of this draw; the index tells streams apart.")
      .def(
          "round_of_draw", [](const View& view) { return RoundOfDraw(*view); },
          "Returns the round of a random stream, another one for each draw of a round that is "
          "drawn again.")
      .def("cost", &CostOn, py::arg("device"), py::arg("power_w"), py::arg("bandwidth_hz"),
           py::arg("cpu_share") = 1.0,
           "Returns upload_s, compute_s and energy_j of taking part once on these terms.")
      .def(
          "ask_loss",
          [](const View& view, const py::object& devices, std::size_t batch) {
            return Ask(view, AskLoss{batch}, IndicesOf(devices, "devices"));
          },
          py::arg("devices"), py::arg("batch") = 0,
          "Asks devices for the mean loss of some samples (0: all); each answer is charged, NaN: "
          "it cannot pay.")
      .def("ask_update_norm", &AskNorms, py::arg("devices"), py::arg("bits") = py::none(),
           "Asks devices for the norm of their update, cut to so many bits each where they are "
           "given.")
      .def(
          "ask_accuracy",
          [](const View& view, const py::object& devices) {
            return Ask(view, AskAccuracy{}, IndicesOf(devices, "devices"));
          },
          py::arg("devices"), "Asks devices for the accuracy of the model in their mix of labels.")
      .def(
          "ask_compute_time",
          [](const View& view, const py::object& devices) {
            return Ask(view, AskComputeTime{}, IndicesOf(devices, "devices"));
          },
          py::arg("devices"), "Asks devices how long they compute, s.");
  module.def("draw_uniformly", &DrawUniformly, py::arg("devices"), py::arg("count"),
             py::arg("stream"),
             "Returns `count` of the devices, drawn without replacement, and their probabilities.");
  module.def("register_strategy", &Register, py::kw_only(), py::arg("name"), py::arg("summary"),
             py::arg("options"), py::arg("make"), py::arg("takes_planned_terms"),
             py::arg("keeps_budgets"), py::arg("learns"), py::arg("knows_probabilities"),
             py::arg("cuts_updates"));
  module.def("strategies", &AllStrategies, "Returns name and summary of every strategy.");
}

}  // namespace airlot::python
