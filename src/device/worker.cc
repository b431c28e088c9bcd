#include "device/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "airlot/version.h"
#include "base/npy.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "device/legacy_records.h"

namespace airlot::device {
namespace {

constexpr double kMostWhole = 9007199254740992;  // 2^53

// Settings are those of a request, each with its bounds.
class Settings {
 public:
  explicit Settings(const Records& request) {
    if (request.configs.size() == 1) values_ = &request.configs.begin()->second;
  }

  // Returns a number from `low` to `high`, or `otherwise` where there is none.
  double Number(const std::string& key, double otherwise, double low, double high) {
    if (values_ == nullptr) return otherwise;
    const auto found = values_->find(key);
    if (found == values_->end()) return otherwise;
    const auto number = NumberOf(found->second);
    if (number && *number >= low && *number <= high) return *number;
    Fail(fmt::format("{}: must be a number from {} to {}", key, low, high));
    return otherwise;
  }

  std::uint64_t Whole(const std::string& key, std::uint64_t otherwise, double high = kMostWhole) {
    const double number = Number(key, double(otherwise), 0, high);
    if (number != std::floor(number)) Fail(key + ": must be a whole number");
    return std::uint64_t(number);
  }

  std::string Text(const std::string& key) {
    if (values_ == nullptr) return {};
    const auto found = values_->find(key);
    if (found == values_->end()) return {};
    const auto* text = std::get_if<std::string>(&found->second);
    if (text == nullptr) Fail(key + ": must be a text");
    return text == nullptr ? std::string() : *text;
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  void Fail(std::string message) {
    if (!error_) error_ = Error{std::move(message)};
  }

  const Values* values_ = nullptr;
  std::optional<Error> error_;
};

// An Order is what a server wants of a training.
struct Order {
  std::uint64_t round = 1, device = 0, seed = 0;
  std::string token;
  RadioTerms terms;
  LocalTraining training;
  bool sends_model = false;  // after local steps; else an update is one gradient
};

Order OrderOf(Settings& settings, const DeviceFigures& figures) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kMostCount = 1e9;
  Order order{.round = settings.Whole("server-round", 1, 4294967295.0),
              .device = settings.Whole("airlot.device", 0, 4294967295.0),
              .seed = settings.Whole("airlot.seed", 1),
              .token = settings.Text("airlot.token")};
  order.terms.power_w =
      settings.Number("airlot.power_w", figures.max_power_w, 0, figures.max_power_w);
  order.terms.bandwidth_hz =
      settings.Number("airlot.bandwidth_hz", figures.bandwidth_hz, 0, kInfinity);
  order.terms.bits = settings.Number("airlot.update_bits", figures.update_bits, 0, kInfinity);
  order.training.rate = settings.Number("airlot.rate", 0.1, 0, 1e6);
  order.training.batch = settings.Whole("airlot.batch", 32, kMostCount);
  order.training.epochs = settings.Whole("airlot.local_epochs", 0, kMostCount);
  order.training.steps = settings.Whole("airlot.local_steps", 0, kMostCount);
  order.training.proximal = settings.Number("airlot.proximal", 0, 0, 1e6);
  order.sends_model = order.training.epochs > 0 || order.training.steps > 0;
  return order;
}

// Puts the model back into the arrays that it came in.
void Return(std::span<const float> parameters, std::vector<data::NamedArray>& arrays) {
  for (data::NamedArray& array : arrays) {
    const std::size_t count = *base::CountOf(array.shape);
    array.values.assign(parameters.begin(), parameters.begin() + std::ptrdiff_t(count));
    parameters = parameters.subspan(count);
  }
}

}  // namespace

Worker::Worker(WorkerOptions options, RadioControl& radio)
    : options_(std::move(options)),
      radio_(radio),
      trainer_(options_.model, options_.dataset->train) {}

Result<Answer> Worker::Do(const std::string& type, Records request) {
  // Flower may add the name of an action: "train.mine".
  const std::string kind = type.substr(0, type.find('.'));
  const bool is_legacy = IsLegacy(request) || kind == "get_properties";
  const bool trains = kind == "train", evaluates = kind == "evaluate";
  if (!trains && !evaluates && kind != "query" && kind != "get_properties") {
    return Error{"a message of type " + base::Quoted(type) + ": must be train, evaluate or query"};
  }
  auto answer = trains      ? Train(std::move(request))
                : evaluates ? Evaluate(std::move(request))
                            : Enrol();
  if (answer && is_legacy) {
    const char* name = trains ? "fitres" : evaluates ? "evaluateres" : "getpropertiesres";
    answer->records = ToLegacy(name, std::move(answer->records));
  }
  return answer;
}

// Returns all numbers in one vector, and leaves the arrays empty but for their shapes.
Result<std::vector<float>> Worker::TakeModel(std::vector<data::NamedArray>& arrays) const {
  std::vector<float> parameters;
  parameters.reserve(trainer_.ParameterCount());
  for (data::NamedArray& array : arrays) {
    parameters.insert(parameters.end(), array.values.begin(), array.values.end());
    array.values = {};
  }
  if (parameters.size() == trainer_.ParameterCount()) return parameters;
  return Error{fmt::format("the model has {} parameters, and the message {}: this device has {}",
                           trainer_.ParameterCount(), parameters.size(), options_.model.name)};
}

Result<Answer> Worker::Train(Records request) {
  if (request.arrays.size() != 1) return Error{"a message to train must have one record of arrays"};
  Settings settings(request);
  const Order order = OrderOf(settings, options_.figures);
  if (settings.error()) return *settings.error();
  auto& [name, arrays] = *request.arrays.begin();
  auto parameters = TakeModel(arrays);
  if (!parameters) return parameters.error();
  const auto cost = radio_.Prepare(order.terms);
  if (!cost) return cost.error();
  if (auto status = radio_.Refresh(options_.figures); !status) return status.error();

  base::LapTimer timer;
  PartLoss loss;
  if (order.sends_model) {
    trainer_.TrainLocally(*parameters, options_.samples, order.training, order.seed, order.round,
                          order.device, &loss);
  } else {
    const auto batch =
        DrawBatch(options_.samples, order.training.batch, order.seed, order.round, order.device);
    const WeightedSamples part{batch, 1.0, MaskDraw{order.seed, order.round, order.device, 0}};
    std::vector<float> gradient(parameters->size());
    trainer_.Gradient(*parameters, {&part, 1}, gradient, {&loss, 1});
    for (std::size_t k = 0; k < gradient.size(); ++k) (*parameters)[k] -= gradient[k];
  }
  const double computed_s = timer.Lap();

  Answer answer;
  Values& metrics = answer.records.metrics["metrics"];
  metrics["num-examples"] = std::int64_t(options_.samples.size());
  metrics["train-loss"] = loss.mean;
  metrics["airlot.compute_s"] = computed_s;
  if (cost->time_s) metrics["airlot.upload_s"] = *cost->time_s;
  if (cost->energy_j)
    metrics["airlot.energy_j"] = *cost->energy_j + options_.figures.compute_energy_j;
  metrics["noise_to_gain_w"] = options_.figures.noise_to_gain_w;
  if (options_.figures.battery_j) metrics["battery_j"] = *options_.figures.battery_j;
  answer.records.configs["airlot"] = {
      {"token", order.token}, {"round", std::int64_t(order.round)}, {"device", options_.name}};
  Return(*parameters, arrays);
  answer.records.arrays[name] = std::move(arrays);
  answer.upload = order.terms;
  answer.said = fmt::format("round {}: trained in {:.2f} s, loss {:.4g}, {:.3g} W", order.round,
                            computed_s, loss.mean, order.terms.power_w);
  return answer;
}

Result<Answer> Worker::Evaluate(Records request) {
  if (request.arrays.size() != 1) {
    return Error{"a message to evaluate must have one record of arrays"};
  }
  const auto parameters = TakeModel(request.arrays.begin()->second);
  if (!parameters) return parameters.error();
  const Images& images = options_.dataset->test;
  const Evaluation evaluation = trainer_.Evaluate(*parameters, images);
  Answer answer;
  answer.records.metrics["metrics"] = {{"num-examples", std::int64_t(images.size())},
                                       {"loss", evaluation.loss},
                                       {"accuracy", evaluation.accuracy}};
  answer.said = fmt::format("evaluated: accuracy {:.4g}", evaluation.accuracy);
  return answer;
}

Result<Answer> Worker::Enrol() {
  DeviceFigures& figures = options_.figures;
  if (auto status = radio_.Refresh(figures); !status) return status.error();
  Answer answer;
  Values& metrics = answer.records.metrics["metrics"];
  metrics = {{"num-examples", std::int64_t(options_.samples.size())},
             {"max_power_w", figures.max_power_w},
             {"noise_to_gain_w", figures.noise_to_gain_w},
             {"bandwidth_hz", figures.bandwidth_hz},
             {"update_bits", figures.update_bits},
             {"energy_budget_j", figures.energy_budget_j},
             {"compute_time_s", figures.compute_time_s},
             {"compute_energy_j", figures.compute_energy_j}};
  if (figures.battery_j) metrics["battery_j"] = *figures.battery_j;
  Values& words = answer.records.configs["airlot"];
  words = {{"device", options_.name},
           {"model", options_.model.name},
           {"parameters", std::int64_t(trainer_.ParameterCount())},
           {"version", std::string(kVersion)}};
  const Labels labels = LabelsOf(options_.dataset->train);
  if (labels.classes > 0) {
    std::vector<std::int64_t> counts(std::size_t(labels.classes));
    for (const std::uint32_t sample : options_.samples) ++counts[labels.values[sample]];
    words["labels"] = std::move(counts);
  }
  answer.said = "enrolled";
  return answer;
}

}  // namespace airlot::device
