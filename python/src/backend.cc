#include "backend.h"

#include <airlot/compression.h>
#include <airlot/model.h>
#include <airlot/training.h>
#include <airlot/training_rule.h>
#include <airlot/update_sum.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace)

// A SettingView is a setting as Python sees it: it keeps the setting.
class SettingView : public Zeroed {
 public:
  explicit SettingView(std::shared_ptr<const Setting> setting) : setting_(std::move(setting)) {}
  const Setting& operator*() const {
    if (setting_ == nullptr) throw Failure("Setting: airlot hands it to a backend");
    return *setting_;
  }
  const Setting* operator->() const { return &**this; }
  std::size_t DeviceOf(const py::object& device) const {
    return WholeOf(device, "device", 0, (**this).fleet.devices - 1);
  }

 private:
  std::shared_ptr<const Setting> setting_;
};

py::array BatchOf(const SettingView& view, const py::object& given_device,
                  const py::object& given_round, const py::object& count,
                  const py::object& is_question) {
  const std::size_t device = view.DeviceOf(given_device);
  const auto use = FlagOf(is_question, "is_question") ? BatchUse::kQuestion : BatchUse::kTraining;
  return ArrayOf(DrawBatch(view->partition.SamplesOf(device), WholeOf(count, "count"), view->seed,
                           WholeOf(given_round, "round"), device, use));
}

// Returns the samples of each step of local training.
py::list StepBatchesOf(const SettingView& view, const py::object& given_device,
                       const py::object& round, const py::object& batch, const py::object& steps,
                       const py::object& epochs) {
  const std::size_t device = view.DeviceOf(given_device);
  const auto samples = view->partition.SamplesOf(device);
  const LocalTraining training{.batch = WholeOf(batch, "batch"),
                               .steps = WholeOf(steps, "steps", 0, 1'000'000),
                               .epochs = WholeOf(epochs, "epochs", 0, 1'000'000)};
  py::list all;
  if (samples.empty()) return all;
  LocalBatches batches(samples, training, view->seed, WholeOf(round, "round"), device);
  for (std::size_t i = 0; i < StepsOf(training, samples.size()); ++i) {
    const auto next = batches.Next();
    all.append(ArrayOf(std::vector<std::uint32_t>(next.begin(), next.end())));
  }
  return all;
}

std::string NameOf(Aggregation rule) {
  return std::string(std::ranges::find(Aggregations(), rule, &AggregationEntry::rule)->name);
}

std::string NameOf(Compression method) {
  return std::string(std::ranges::find(Compressions(), method, &CompressionEntry::method)->name);
}

py::dict RulesOf(const SettingView& view) {
  const LearningRules& rules = view->scenario.learning;
  return py::dict("rule"_a = rules.rule, "rate"_a = rules.rate, "batch"_a = rules.batch,
                  "local_steps"_a = rules.local_steps, "local_epochs"_a = rules.local_epochs,
                  "sends_models"_a = SendsModels(rules),
                  "aggregation"_a = NameOf(rules.aggregation), "server_rate"_a = rules.server_rate,
                  "momentum"_a = rules.momentum,
                  "compression"_a = NameOf(rules.compression.method));
}

// Requires that a method of a backend has returned an object with these members.
void RequireMember(const py::object& returned, const char* member, const std::string& method,
                   const std::string& type) {
  if (py::hasattr(returned, member)) return;
  throw Failure(method + ": must return an airlot." + type + ", not " + TypeName(returned));
}

// A PythonBackend lets an object train device by device, and brings the updates together. What it
// throws ends the run.
class PythonBackend : public Backend {
 public:
  PythonBackend(py::object self, const Setting& setting)
      : self_(std::move(self)),
        setting_(setting),
        sends_models_(SendsModels(setting.scenario.learning)),
        training_(LocalTrainingOf(setting.scenario.learning)) {
    RequireMember(self_, "_train", "backend", "Backend");
    gathers_ = self_.attr("_gathers")().cast<bool>();
    answers_norms_ = self_.attr("_answers_norms")().cast<bool>();
  }
  ~PythonBackend() override {
    const py::gil_scoped_acquire acquire;
    self_ = {};
    parameters_ = {};
  }
  PythonBackend(const PythonBackend&) = delete;
  PythonBackend& operator=(const PythonBackend&) = delete;

  std::optional<std::vector<float>> Start() override {
    const Visit visit;
    const py::object start = self_.attr("start")();
    if (start.is_none()) return std::nullopt;
    const auto numbers = NumbersOf<float>(start, "start");
    return std::vector<float>(numbers.data(), numbers.data() + numbers.size());
  }

  std::optional<Gathering> Gather(std::span<const ParticipationRecord> invited,
                                  const TrainingRound& round) override {
    if (!gathers_) return std::nullopt;
    const Visit visit;
    const InPython in_python;
    SetParameters(round);
    py::list seats;
    for (const ParticipationRecord& one : invited) {
      seats.append(py::make_tuple(one.device, one.power_w, one.bandwidth_hz, one.cpu_share,
                                  one.update_bits, one.upload_s, one.compute_s, one.energy_j));
    }
    const py::object found = self_.attr("_gather")(
        seats, parameters_, round.round, training_.rate, training_.batch, training_.steps,
        training_.epochs, training_.proximal, py::none(), sends_models_);
    if (found.is_none()) return std::nullopt;
    RequireMember(found, "arrivals", "gather", "Gathering");
    Gathering gathering{.arrivals = {}, .waited_s = MeasuredOf(found, "waited_s").value_or(0)};
    const py::object arrivals = found.attr("arrivals");
    for (const py::handle arrival : ItemsOf(arrivals, "gather: arrivals", "a list of arrivals")) {
      RequireMember(py::reinterpret_borrow<py::object>(arrival), "has_arrived", "gather: arrivals",
                    "Arrival");
      gathering.arrivals.push_back(
          {.has_arrived = FlagOf(arrival.attr("has_arrived"), "has_arrived"),
           .upload_s = MeasuredOf(arrival, "upload_s"),
           .compute_s = MeasuredOf(arrival, "compute_s"),
           .energy_j = MeasuredOf(arrival, "energy_j")});
    }
    if (gathering.arrivals.size() == invited.size()) return gathering;
    throw Failure("gather: returned " + std::to_string(gathering.arrivals.size()) +
                  " arrivals, and " + std::to_string(invited.size()) + " devices were invited");
  }

  double Train(std::span<const Assignment> participants, const TrainingRound& round,
               std::span<float> gradient, std::span<PartLoss> losses) override {
    const Visit visit;
    const InPython in_python;
    SetParameters(round);
    steps_.clear();
    for (UpdateStep* step : round.steps) {
      if (step->IsNeeded(participants)) steps_.push_back(step);
    }
    UpdateSum sum(setting_, participants, round, gradient);
    for (std::size_t i = 0; i < participants.size(); ++i) {
      const PartLoss loss = Update(participants[i].device, round);
      sum.Add(i, loss, trained_, end_, update_);
      if (!losses.empty()) losses[i] = loss;
    }
    return sum.Finish();
  }

  Evaluation Evaluate(std::span<const float> parameters) override {
    const Visit visit;
    const InPython in_python;
    const py::object found =
        self_.attr("evaluate")(ArrayOf(std::vector<float>(parameters.begin(), parameters.end())));
    if (found.is_none()) return EvaluateHere(parameters);
    RequireMember(found, "class_accuracy", "evaluate", "Evaluation");
    Evaluation evaluation{.loss = NumberOf(found.attr("loss"), "evaluate: loss"),
                          .accuracy = NumberOf(found.attr("accuracy"), "evaluate: accuracy")};
    if (!(evaluation.accuracy <= 1)) {
      throw Failure("evaluate: accuracy = " + Shown(evaluation.accuracy) + ": must be at most 1");
    }
    if (const py::object classes = found.attr("class_accuracy"); !classes.is_none()) {
      const auto numbers = NumbersOf<double>(classes, "class_accuracy");
      if (int(numbers.size()) != setting_.dataset->test.classes) {
        throw Failure("evaluate: class_accuracy has " + std::to_string(numbers.size()) +
                      " values, and there are " + std::to_string(setting_.dataset->test.classes) +
                      " classes");
      }
      evaluation.class_accuracy.assign(numbers.data(), numbers.data() + numbers.size());
    }
    return evaluation;
  }

  void Losses(std::span<const std::uint32_t> devices, std::size_t batch, const TrainingRound& round,
              std::span<double> losses) override {
    const Visit visit;
    const InPython in_python;
    SetParameters(round);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      losses[i] = NumberOf(self_.attr("loss")(devices[i], parameters_, batch, round.round), "loss");
    }
  }

  void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                   const TrainingRound& round, std::span<double> norms) override {
    const Visit visit;
    const InPython in_python;
    SetParameters(round);
    steps_.assign(round.steps.begin(), round.steps.end());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const double kept = bits.empty() ? std::numeric_limits<double>::infinity() : bits[i];
      if (answers_norms_) {
        const auto told = TrainingOf(devices[i], round);
        norms[i] = NumberOf(self_.attr("_update_norm")(kept, *told), "update_norm");
      } else {
        Update(devices[i], round);
        norms[i] = UpdateNorm(update_, kept);
      }
    }
  }

 private:
  // Evaluates the scenario's own model on the test data.
  Evaluation EvaluateHere(std::span<const float> parameters) {
    if (IsExternal(ModelOf(setting_.scenario.model))) {
      throw Failure("evaluate: returned None, and only a model of the library is evaluated here");
    }
    if (setting_.dataset->test.height * setting_.dataset->test.width <= 1) {
      throw Failure("evaluate: returned None, and there are no test samples here to evaluate with");
    }
    const WithoutGil without;
    if (!simulated_) simulated_ = MakeSimulatedBackend(setting_);
    return simulated_->Evaluate(parameters);
  }

  // Returns a number that was measured, if it was.
  static std::optional<double> MeasuredOf(const py::handle& object, const char* name) {
    const py::object given = object.attr(name);
    if (given.is_none()) return std::nullopt;
    return NumberOf(given, std::string("gather: ") + name, 0, std::numeric_limits<double>::max());
  }

  // The object gets a copy, which it may keep.
  void SetParameters(const TrainingRound& round) {
    py::array parameters =
        ArrayOf(std::vector<float>(round.parameters.begin(), round.parameters.end()));
    parameters.attr("setflags")("write"_a = false);
    parameters_ = std::move(parameters);
  }

  // Returns what a device is told to do: the arguments of Backend._train.
  py::tuple TrainingOf(std::uint32_t device, const TrainingRound& round) {
    trained_ = training_;
    for (UpdateStep* step : steps_) step->BeforeTraining(device, trained_);
    py::object correction = py::none();
    if (!trained_.correction.empty()) {
      correction =
          ArrayOf(std::vector<float>(trained_.correction.begin(), trained_.correction.end()));
    }
    const std::size_t samples = setting_.partition.SamplesOf(device).size();
    return py::make_tuple(device, parameters_, round.round, trained_.rate, trained_.batch,
                          sends_models_ ? StepsOf(trained_, samples) : 1, trained_.epochs,
                          trained_.proximal, correction, sends_models_);
  }

  // Lets a device train; its update is then in update_, and its model in end_.
  PartLoss Update(std::uint32_t device, const TrainingRound& round) {
    const py::object result = self_.attr("_train")(*TrainingOf(device, round));
    RequireMember(result, "update", "train", "Update");
    const auto update = NumbersOf<float>(result.attr("update"), "update");
    if (std::size_t(update.size()) != round.parameters.size()) {
      throw Failure("train: device " + std::to_string(device) + " returned an update of " +
                    std::to_string(update.size()) + " numbers, and the model has " +
                    std::to_string(round.parameters.size()));
    }
    update_.assign(update.data(), update.data() + update.size());
    end_.clear();
    for (std::size_t k = 0; sends_models_ && k < update_.size(); ++k) {
      end_.push_back(round.parameters[k] - update_[k]);
    }
    PartLoss loss{.mean = NumberOf(result.attr("loss"), "train: loss")};
    const py::object square = result.attr("mean_square_loss");
    loss.mean_square =
        square.is_none() ? loss.mean * loss.mean : NumberOf(square, "train: mean_square_loss");
    return loss;
  }

  py::object self_;
  const Setting& setting_;
  const bool sends_models_;
  bool answers_norms_ = false;  // without training for them
  const LocalTraining training_;
  bool gathers_ = false;  // whether its devices are invited
  LocalTraining trained_;
  std::unique_ptr<Backend> simulated_;  // what evaluates where the object does not
  std::vector<UpdateStep*> steps_;
  py::object parameters_;
  std::vector<float> update_, end_;
};

}  // namespace

std::unique_ptr<Backend> MakePythonBackend(py::handle make, const Setting& setting) {
  const Visit visit;
  const auto shared = setting.self.lock();
  if (!shared) throw Failure("a backend needs a setting that is shared");
  return std::make_unique<PythonBackend>(make(SettingView{shared}), setting);
}

void BindBackend(py::module_& module) {
  py::class_<SettingView> bound(
      module, "Setting",
      R"(The fleet, the data and the plan that the runs of a seed share; airlot hands it to a backend.

>>> setting.devices, setting.seed
(100, 1))");
  RefuseNew(bound);
  bound
      .def_property_readonly(
          "seed", [](const SettingView& view) { return view->seed; },
          R"(The seed of the runs.

>>> setting.seed
1)")
      .def_property_readonly(
          "devices", [](const SettingView& view) { return view->fleet.devices; },
          R"(How many devices the fleet has.

>>> setting.devices
100)")
      .def_property_readonly(
          "data_share",
          [](const py::object& self) {
            return ArrayOver<double>(self.cast<const SettingView&>()->data_share, self);
          },
          R"(The share of each device in all samples.

>>> round(float(setting.data_share.sum()), 6)
1.0)")
      .def_property_readonly(
          "rules", &RulesOf,
          R"(What devices compute (rate, batch, local_steps, local_epochs, sends_models), and what the server does with it
(rule, aggregation, server_rate, momentum, compression).

>>> setting.rules["sends_models"]
False)")
      .def(
          "samples_of",
          [](const py::object& self, const py::object& device) {
            const auto& view = self.cast<const SettingView&>();
            return ArrayOver(view->partition.SamplesOf(view.DeviceOf(device)), self);
          },
          py::arg("device"), R"(Returns the numbers of the samples that a device holds.

>>> setting.samples_of(0).dtype
dtype('uint32'))")
      .def(
          "batch", &BatchOf, py::arg("device"), py::arg("round"), py::arg("count"),
          py::arg("is_question") = false,
          R"(Returns the samples of a device's gradient in a round (0: all), or of an answer to a question.

>>> setting.batch(0, round=1, count=1).size
1)")
      .def("step_batches", &StepBatchesOf, py::arg("device"), py::arg("round"), py::arg("batch"),
           py::arg("steps"), py::arg("epochs"),
           R"(Returns the samples of each step of a device's local training.

>>> len(setting.step_batches(0, round=1, batch=1, steps=3, epochs=0))
3)")
      .def(
          "initial_parameters",
          [](const SettingView& view) {
            return ArrayOf(InitialParameters(ModelOf(view->scenario.model),
                                             ShapeOf(view->dataset->train), view->seed));
          },
          R"(Returns the parameters that the scenario's own model starts with.

>>> setting.initial_parameters().dtype
dtype('float32'))");
}

}  // namespace airlot::python
