// Strategies that are written in Python.
#include <airlot/selection.h>
#include <pybind11/stl.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"
#include "view.h"

namespace airlot::python {
namespace {

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
    const Visit visit;
    SetMemory(*view.memory);
    py::object result;
    {
      const ViewInUse shown(shown_.cast<View&>(), view);
      const InPython in_python;
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
    const Visit visit;
    SetMemory(memory);
    const auto array = [](auto values) {
      return ArrayOf(std::vector(values.begin(), values.end()));
    };
    const InPython in_python;
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
    if (IsPlainArray(result) || !py::hasattr(result, "devices")) {
      selection.devices = IndicesOf(result, "the devices that select returns");
      return;
    }
    selection.devices = IndicesOf(result.attr("devices"), "devices");
    const std::size_t count = selection.devices.size();
    selection.takes_turns = FlagOf(result.attr("takes_turns"), "takes_turns");
    selection.before_s = NumberOf(result.attr("before_s"), "before_s");
    selection.nobody_able = FlagOf(result.attr("nobody_able"), "nobody_able");
    if (const py::object probability = result.attr("probability"); !probability.is_none()) {
      selection.probability = EachOf(probability, count, "probability");
      for (const double value : selection.probability) {
        if (!(value > 0 && value <= 1)) {
          throw Failure("probability: " + Shown(value) + " is not above 0 and at most 1");
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
                      " sends at " + Shown(terms.power_w) + " W in " + Shown(terms.bandwidth_hz) +
                      " Hz");
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

// Reads an option, which the object `options` of a class has under a name.
StrategyOption OptionOf(const py::handle& given) {
  const std::string name = TextOf(given.attr("name"), "the name of an option");
  const auto number = [&](const char* what) {
    return NumberOf(given.attr(what), "options[\"" + name + "\"]." + what);
  };
  StrategyOption option{.name = name,
                        .value = number("value"),
                        .low = number("low"),
                        .high = number("high"),
                        .is_whole = FlagOf(given.attr("is_whole"), "is_whole"),
                        .summary = TextOf(given.attr("summary"), "summary")};
  for (const auto& [word, value] : given.attr("words").cast<py::dict>()) {
    option.words.push_back({TextOf(word, "words"), NumberOf(value, "words")});
  }
  return option;
}

// What a class says of itself is asked once, here. `make` gets a dictionary of the options.
void Register(const std::string& name, const std::string& summary, const py::list& options,
              const py::object& make, bool takes_planned_terms, bool keeps_budgets, bool learns,
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
  module.def("register_strategy", &Register, py::kw_only(), py::arg("name"), py::arg("summary"),
             py::arg("options"), py::arg("make"), py::arg("takes_planned_terms"),
             py::arg("keeps_budgets"), py::arg("learns"), py::arg("knows_probabilities"),
             py::arg("cuts_updates"));
  module.def("strategies", &AllStrategies, "Returns name and summary of every strategy.");
}

}  // namespace airlot::python
