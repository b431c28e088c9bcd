// `airlot evaluate` tells how good a trained model is: on the test images, for each class, and on
// what each device holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "airlot/device_evaluation.h"
#include "airlot/kept_runs.h"
#include "airlot/model_file.h"
#include "airlot/scenario_fleet.h"
#include "airlot/training.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/processors.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output_files.h"
#include "cli/terminal.h"
#include "runs/files.h"

namespace airlot::cli {
namespace {

struct EvaluateOptions {
  std::string model;
  std::optional<std::string> scenario;  // These two are the run's where they are not set.
  std::optional<std::uint64_t> seed;
  std::vector<std::string> overrides;
  bool per_device = false;
  std::optional<std::string> file;
  OutputOptions output;
};

// A Task is what is to be evaluated, and where.
struct Task {
  KeptModel model;
  Scenario scenario;
  std::uint64_t seed = 1;
  bool is_of_run = false;  // The scenario is that of the run which made the model.
};

// Devices are those of the scenario, by their names.
struct Devices {
  DeviceIds ids;
  std::vector<DeviceEvaluation> evaluations;
  std::size_t with_samples = 0;
};

struct Evaluated {
  Score score = Score::kAccuracy;      // what `test.accuracy` is
  std::string_view things = "images";  // what the samples are
  Evaluation test;
  std::size_t test_images = 0;
  std::optional<Devices> devices;
};

// --- What is asked for ---------------------------------------------------------------------------

Result<Task> TaskOf(const EvaluateOptions& options) {
  auto model = FindKeptModel(options.model);
  if (!model) return model.error();
  const auto& origin = model->origin;
  const bool is_of_run = origin && !options.scenario;
  auto scenario = is_of_run
                      ? LoadScenarioText(origin->scenario, origin->manifest, options.overrides)
                      : LoadScenario(options.scenario.value_or(Scenario{}.name), options.overrides);
  if (!scenario) return scenario.error();
  const std::uint64_t seed = options.seed.value_or(origin ? origin->seed : ScenarioOptions{}.seed);
  return Task{std::move(*model), std::move(*scenario), seed, is_of_run};
}

// A data set by the name that it had in the run must be the same one.
Status CheckData(const Task& task, const Dataset& dataset) {
  const auto& origin = task.model.origin;
  if (!task.is_of_run || !origin->dataset_digest) return {};
  const auto then = LoadScenarioText(origin->scenario, origin->manifest, {});
  const DataChoice& data = task.scenario.data;
  if (!then || then->data.dataset != data.dataset || then->data.standardise != data.standardise) {
    return {};
  }
  const std::string digest = dataset.digest ? *dataset.digest : DigestOf(dataset);
  if (digest == *origin->dataset_digest) return {};
  return Error{fmt::format("{}: has changed since the run of {}",
                           task.scenario.data.dataset.value_or(""), task.model.file)};
}

Result<Devices> EvaluateEach(const Task& task, const Model& model, const Dataset& dataset,
                             std::span<const float> parameters, Progress& progress) {
  auto rows = RowsOf(task.scenario.fleet);
  if (!rows) return rows.error();
  const auto partition = PartitionOf(task.scenario.data, LabelsOf(dataset.train), *rows, task.seed);
  if (!partition) return partition.error();
  progress.Say("evaluating devices");
  Devices devices{.ids = std::move(rows->ids)};
  devices.evaluations =
      EvaluateDevices(model, parameters, dataset.train, *partition, base::UsableProcessors(),
                      [&](double share) { progress(share); });
  devices.with_samples = std::size_t(std::ranges::count_if(
      devices.evaluations, [](const DeviceEvaluation& device) { return device.samples > 0; }));
  return devices;
}

Result<Evaluated> Evaluate(const Task& task, const EvaluateOptions& options) {
  Progress progress("evaluating", options.output.quiet);
  const auto dataset = DatasetOf(task.scenario.data, base::UsableProcessors());
  if (!dataset) return dataset.error();
  if (auto status = CheckData(task, *dataset); !status) return status.error();
  const Model model = ModelOf(task.scenario.model);
  const ImageShape shape = ShapeOf(dataset->train);
  if (auto status = Validate(model, shape); !status) {
    return Error{fmt::format("{} {}: does not fit the images of {}: {}",
                             task.scenario.model.layers ? "model.layers of" : "model.name =",
                             model.name, dataset->name, status.error().message)};
  }
  if (IsExternal(model)) {
    return Error{
        fmt::format("{}: a backend of its own trains and evaluates this model; its file "
                    "has the parameters in one array",
                    task.model.file)};
  }
  const auto parameters = ReadModel(task.model.file, model, shape);
  if (!parameters) return parameters.error();
  const bool is_table = dataset->test.channels == 1 && dataset->test.height == 1;
  Evaluated evaluated{.score = ScoreOf(*dataset),
                      .things = is_table ? "rows" : "images",
                      .test = Trainer(model, dataset->train, base::UsableProcessors())
                                  .Evaluate(*parameters, dataset->test),
                      .test_images = dataset->test.size()};
  if (options.per_device) {
    auto devices = EvaluateEach(task, model, *dataset, *parameters, progress);
    if (!devices) return devices.error();
    evaluated.devices = std::move(*devices);
  }
  return evaluated;
}

// --- The file ------------------------------------------------------------------------------------

void AppendCell(std::string& row, double value) {
  row += ',';
  if (!std::isnan(value)) base::AppendNumber(row, value);
}

Status Write(const Devices& devices, const std::string& path) {
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append("id,samples,loss,accuracy\n");
  std::string row, buffer;
  for (std::size_t i = 0; i < devices.evaluations.size(); ++i) {
    const DeviceEvaluation& device = devices.evaluations[i];
    row.clear();
    base::AppendCsvField(row, devices.ids.Get(i, buffer));
    fmt::format_to(std::back_inserter(row), ",{}", device.samples);
    AppendCell(row, device.loss);
    AppendCell(row, device.accuracy);
    file->Append(row += '\n');
  }
  return file->Commit();
}

// --- What is printed -----------------------------------------------------------------------------

// Rows of the summary: what it is called, and where it is.
struct Quantity {
  std::string_view name;
  double DeviceEvaluation::*member;
};
constexpr Quantity kQuantities[] = {{"accuracy", &DeviceEvaluation::accuracy},
                                    {"loss", &DeviceEvaluation::loss}};

std::string DevicesText(const Devices& devices, Score score,
                        const std::optional<std::string>& path) {
  std::string text = fmt::format("\nOn the samples of each device ({}, {} without samples)\n",
                                 CountOf(devices.evaluations.size(), "device"),
                                 Count(devices.evaluations.size() - devices.with_samples));
  if (devices.with_samples > 0) {
    text += "              lowest     median    highest  mean by samples\n";
    for (const auto& [name, member] : kQuantities) {
      const DeviceSummary summary = SummarizeDevices(devices.evaluations, member);
      const bool is_score = member == &DeviceEvaluation::accuracy;
      text += fmt::format("  {:<8} {:>9.4g}  {:>9.4g}  {:>9.4g}  {:>15.4g}\n",
                          is_score ? ScoreName(score, IsUtf8()) : name, summary.lowest,
                          summary.median, summary.highest, summary.weighted_mean);
    }
  }
  return text + (path ? fmt::format("The rows of every device are {}.\n", PlaceOfFile(*path))
                      : "Add -o per-device.csv to keep a row of every device.\n");
}

std::string Text(const Task& task, const Evaluated& evaluated,
                 const std::optional<std::string>& path) {
  std::string text = fmt::format(
      "{} on {}: {} test {}, model {}\n", task.model.file, task.scenario.data.dataset.value_or(""),
      Count(evaluated.test_images), evaluated.things, task.scenario.model.name);
  if (const auto& origin = task.model.origin) {
    text += fmt::format("of a run of {}, seed {}\n", origin->strategy, origin->seed);
  }
  text += fmt::format(
      "  {:<8}   {}\n  loss       {}\n", ScoreName(evaluated.score, IsUtf8()),
      base::FormatNumber(evaluated.test.accuracy),
      std::isnan(evaluated.test.loss) ? "not a number" : base::FormatNumber(evaluated.test.loss));
  if (!evaluated.test.class_accuracy.empty()) text += "\nAccuracy of each class\n";
  for (std::size_t k = 0; k < evaluated.test.class_accuracy.size(); ++k) {
    const double accuracy = evaluated.test.class_accuracy[k];
    text += std::isnan(accuracy) ? fmt::format("  {:>8}   no test {}\n", k, evaluated.things)
                                 : fmt::format("  {:>8}   {} {:.4f}\n", k,
                                               Bar(accuracy, BarColumns(30, 20)), accuracy);
  }
  if (evaluated.devices) text += DevicesText(*evaluated.devices, evaluated.score, path);
  return text;
}

Json DevicesJson(const Devices& devices) {
  Json json{{"devices", devices.evaluations.size()}, {"with_samples", devices.with_samples}};
  for (const auto& [name, member] : kQuantities) {
    Json& quantity = json[std::string(name)];
    if (devices.with_samples == 0) continue;  // It stays null.
    const DeviceSummary summary = SummarizeDevices(devices.evaluations, member);
    quantity = {{"lowest", Finite(summary.lowest)},
                {"median", Finite(summary.median)},
                {"highest", Finite(summary.highest)},
                {"weighted_mean", Finite(summary.weighted_mean)}};
  }
  return json;
}

std::string JsonText(const Task& task, const Evaluated& evaluated,
                     const std::optional<std::string>& path) {
  const auto& origin = task.model.origin;
  Json classes = Json::array();
  for (const double accuracy : evaluated.test.class_accuracy) {
    classes.push_back(std::isnan(accuracy) ? Json() : Json(accuracy));
  }
  return TextOf({{"model", task.model.file},
                 {"scenario", task.scenario.name},
                 {"strategy", origin ? Json(origin->strategy) : Json()},
                 {"seed", task.seed},
                 {"dataset", OrNull(task.scenario.data.dataset)},
                 {"test_images", evaluated.test_images},
                 {"accuracy", evaluated.test.accuracy},
                 {"loss", Finite(evaluated.test.loss)},
                 {"class_accuracy", std::move(classes)},
                 {"per_device", evaluated.devices ? DevicesJson(*evaluated.devices) : Json()},
                 {"file", OrNull(path)}});
}

int Run(const EvaluateOptions& options) {
  const std::optional<std::string> path = options.file == "-" ? "/dev/stdout" : options.file;
  const auto task = TaskOf(options);
  if (!task) return Report(task.error());
  std::vector<NamedFile> inputs =
      InputsOf(options.scenario.value_or(Scenario{}.name), task->scenario);
  inputs.push_back({task->model.file, "the model"});
  if (auto status = CheckDistinct(inputs, {{path, "the rows of devices"}}); !status) {
    return Report(status.error());
  }
  if (path && runs::IsNamedLikeOurs(*path)) {
    return Report({*path + ": has the name of a file of a run; name another one"});
  }
  const auto evaluated = Evaluate(*task, options);
  if (!evaluated) return Report(evaluated.error());
  if (path) {
    if (auto status = Write(*evaluated->devices, *path); !status) return Report(status.error());
  }
  std::FILE* stream = path == "/dev/stdout" ? stderr : stdout;
  options.output.json ? WriteSafely(stream, JsonText(*task, *evaluated, path))
                      : WriteForPeople(stream, Text(*task, *evaluated, path));
  return kDone;
}

}  // namespace

void AddEvaluate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App& command = *app.add_subcommand("evaluate", "Test a trained model, also for each device");
  command.add_option("MODEL", options->model, "A model.npz, or the folder of a complete run")
      ->required()
      ->check(kNotEmpty);
  command.add_option("SCENARIO", options->scenario, "A TOML file or a name; by default the run's")
      ->check(kNotEmpty)
      ->check(Offers(ScenarioNames()));
  AddOverrides(command, options->overrides);
  command.add_option("--seed", options->seed, "Who holds which samples; by default the run's")
      ->check(kSeed);
  auto* per_device = command.add_flag("--per-device", options->per_device,
                                      "Also on the samples that each device holds");
  command
      .add_option("-o,--output", options->file, "Write a row of every device (CSV); - for stdout")
      ->check(kNotEmpty)
      ->needs(per_device)
      ->type_name("FILE");
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot evaluate runs/float32-cell --per-device -o per-device.csv");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace airlot::cli
