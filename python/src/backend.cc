#include "backend.h"

#include <airlot/model.h>
#include <airlot/training.h>
#include <airlot/training_rule.h>
#include <airlot/update_sum.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace)

// A SettingView is a setting as Python sees it: it keeps the setting.
struct SettingView {
  std::shared_ptr<const Setting> setting;
};

void RequireDevice(const Setting& setting, std::size_t device) {
  if (device < setting.fleet.devices) return;
  throw Failure("device " + std::to_string(device) + ": the fleet has " +
                std::to_string(setting.fleet.devices) + ", from 0 on");
}

py::array BatchOf(const SettingView& view, std::size_t device, std::uint64_t round,
                  std::size_t count, bool is_question) {
  RequireDevice(*view.setting, device);
  return ArrayOf(DrawBatch(view.setting->partition.SamplesOf(device), count, view.setting->seed,
                           round, device, is_question ? BatchUse::kQuestion : BatchUse::kTraining));
}

// Returns the samples of each step of local training.
py::list StepBatchesOf(const SettingView& view, std::size_t device, std::uint64_t round,
                       std::size_t batch, std::size_t steps, std::size_t epochs) {
  RequireDevice(*view.setting, device);
  const auto samples = view.setting->partition.SamplesOf(device);
  py::list all;
  if (samples.empty()) return all;
  const LocalTraining training{.batch = batch, .steps = steps, .epochs = epochs};
  LocalBatches batches(samples, training, view.setting->seed, round, device);
  for (std::size_t i = 0; i < StepsOf(training, samples.size()); ++i) {
    const auto next = batches.Next();
    all.append(ArrayOf(std::vector<std::uint32_t>(next.begin(), next.end())));
  }
  return all;
}

py::dict RulesOf(const SettingView& view) {
  const LearningRules& rules = view.setting->scenario.learning;
  return py::dict("rate"_a = rules.rate, "batch"_a = rules.batch,
                  "local_steps"_a = rules.local_steps, "local_epochs"_a = rules.local_epochs,
                  "sends_models"_a = SendsModels(rules));
}

// A PythonBackend lets an object train device by device, and brings the updates together. What it
// throws ends the run.
class PythonBackend : public Backend {
 public:
  PythonBackend(py::object self, const Setting& setting)
      : self_(std::move(self)),
        setting_(setting),
        sends_models_(SendsModels(setting.scenario.learning)),
        training_(LocalTrainingOf(setting.scenario.learning)),
        gathers_(self_.attr("_gathers")().cast<bool>()) {}
  ~PythonBackend() override {
    const py::gil_scoped_acquire acquire;
    self_ = {};
    parameters_ = {};
  }
  PythonBackend(const PythonBackend&) = delete;
  PythonBackend& operator=(const PythonBackend&) = delete;

  std::optional<std::vector<float>> Start() override {
    const py::gil_scoped_acquire acquire;
    const py::object start = self_.attr("start")();
    if (start.is_none()) return std::nullopt;
    const auto numbers = NumbersOf<float>(start, "start");
    return std::vector<float>(numbers.data(), numbers.data() + numbers.size());
  }

  std::optional<Gathering> Gather(std::span<const ParticipationRecord> invited,
                                  const TrainingRound& round) override {
    if (!gathers_) return std::nullopt;
    const py::gil_scoped_acquire acquire;
    SetParameters(round);
    py::list seats;
    for (const ParticipationRecord& one : invited) {
      seats.append(py::make_tuple(one.device, one.power_w, one.bandwidth_hz, one.cpu_share,
                                  one.update_bits, one.upload_s, one.compute_s, one.energy_j));
    }
    const py::object found =
        self_.attr("_gather")(seats, parameters_, round.round, training_.rate, training_.batch,
                              training_.steps, training_.epochs, training_.proximal, sends_models_);
    if (found.is_none()) return std::nullopt;
    Gathering gathering{.arrivals = {}, .waited_s = *MeasuredOf(found, "waited_s")};
    for (const py::handle arrival : found.attr("arrivals")) {
      gathering.arrivals.push_back({.has_arrived = arrival.attr("has_arrived").cast<bool>(),
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
    const py::gil_scoped_acquire acquire;
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
    const py::gil_scoped_acquire acquire;
    const py::object found =
        self_.attr("evaluate")(ArrayOf(std::vector<float>(parameters.begin(), parameters.end())));
    if (found.is_none()) return EvaluateHere(parameters);
    Evaluation evaluation{.loss = found.attr("loss").cast<double>(),
                          .accuracy = found.attr("accuracy").cast<double>()};
    if (!(evaluation.accuracy <= 1)) {
      throw Failure("evaluate: accuracy = " +
                    std::string(py::str(py::float_(evaluation.accuracy))) + ": must be at most 1");
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
    const py::gil_scoped_acquire acquire;
    SetParameters(round);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      losses[i] = self_.attr("loss")(devices[i], parameters_, batch, round.round).cast<double>();
    }
  }

  void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                   const TrainingRound& round, std::span<double> norms) override {
    const py::gil_scoped_acquire acquire;
    SetParameters(round);
    steps_.assign(round.steps.begin(), round.steps.end());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      Update(devices[i], round);
      norms[i] =
          UpdateNorm(update_, bits.empty() ? std::numeric_limits<double>::infinity() : bits[i]);
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
    const auto number = given.cast<double>();
    if (std::isfinite(number) && number >= 0) return number;
    throw Failure(std::string("gather: ") + name + " = " + std::string(py::str(given)) +
                  ": must be finite and >= 0");
  }

  // The object gets a copy, which it may keep.
  void SetParameters(const TrainingRound& round) {
    py::array parameters =
        ArrayOf(std::vector<float>(round.parameters.begin(), round.parameters.end()));
    parameters.attr("setflags")("write"_a = false);
    parameters_ = std::move(parameters);
  }

  // Lets a device train; its update is then in update_, and its model in end_.
  PartLoss Update(std::uint32_t device, const TrainingRound& round) {
    trained_ = training_;
    for (UpdateStep* step : steps_) step->BeforeTraining(device, trained_);
    py::object correction = py::none();
    if (!trained_.correction.empty()) {
      correction =
          ArrayOf(std::vector<float>(trained_.correction.begin(), trained_.correction.end()));
    }
    const std::size_t samples = setting_.partition.SamplesOf(device).size();
    const py::object result =
        self_.attr("_train")(device, parameters_, round.round, trained_.rate, trained_.batch,
                             sends_models_ ? StepsOf(trained_, samples) : 1, trained_.epochs,
                             trained_.proximal, correction, sends_models_);
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
    PartLoss loss{.mean = result.attr("loss").cast<double>()};
    const py::object square = result.attr("mean_square_loss");
    loss.mean_square = square.is_none() ? loss.mean * loss.mean : square.cast<double>();
    return loss;
  }

  py::object self_;
  const Setting& setting_;
  const bool sends_models_;
  const LocalTraining training_;
  const bool gathers_;  // whether its devices are invited
  LocalTraining trained_;
  std::unique_ptr<Backend> simulated_;  // what evaluates where the object does not
  std::vector<UpdateStep*> steps_;
  py::object parameters_;
  std::vector<float> update_, end_;
};

}  // namespace

std::unique_ptr<Backend> MakePythonBackend(const py::object& make, const Setting& setting) {
  const py::gil_scoped_acquire acquire;
  const auto shared = setting.self.lock();
  if (!shared) throw Failure("a backend needs a setting that is shared");
  return std::make_unique<PythonBackend>(make(SettingView{shared}), setting);
}

void BindBackend(py::module_& module) {
  py::class_<SettingView>(module, "Setting",
                          "The fleet, the data and the plan that the runs of a seed share.")
      .def_property_readonly(
          "seed", [](const SettingView& view) { return view.setting->seed; },
          "The seed of the runs.")
      .def_property_readonly(
          "devices", [](const SettingView& view) { return view.setting->fleet.devices; },
          "How many devices the fleet has.")
      .def_property_readonly(
          "data_share",
          [](const py::object& self) {
            const auto& view = self.cast<const SettingView&>();
            return ArrayOver<double>(view.setting->data_share, self);
          },
          "Each device's share of all samples.")
      .def_property_readonly(
          "rules", &RulesOf,
          "What devices compute: rate, batch, local_steps, local_epochs, sends_models.")
      .def(
          "samples_of",
          [](const py::object& self, std::size_t device) {
            const auto& view = self.cast<const SettingView&>();
            RequireDevice(*view.setting, device);
            return ArrayOver(view.setting->partition.SamplesOf(device), self);
          },
          py::arg("device"), "Returns the samples that a device holds.")
      .def("batch", &BatchOf, py::arg("device"), py::arg("round"), py::arg("count"),
           py::arg("is_question") = false,
           "Returns the samples of a device's gradient in a round, or of an answer to a question.")
      .def("step_batches", &StepBatchesOf, py::arg("device"), py::arg("round"), py::arg("batch"),
           py::arg("steps"), py::arg("epochs"),
           "Returns the samples of each step of a device's local training.")
      .def(
          "initial_parameters",
          [](const SettingView& view) {
            const Setting& setting = *view.setting;
            return ArrayOf(InitialParameters(ModelOf(setting.scenario.model),
                                             ShapeOf(setting.dataset->train), setting.seed));
          },
          "Returns the parameters that the scenario's own model starts with.");
}

}  // namespace airlot::python
