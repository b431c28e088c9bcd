// `airlot device` is a node of a live federation.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "airlot/scenario_fleet.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "device/node.h"

namespace airlot::cli {
namespace {

using device::DeviceFigures;

struct DeviceOptions {
  std::string superlink;
  std::optional<std::string> root_certificates, key;
  bool is_insecure = false;
  std::string data = "digits", model = "mlp";
  DeviceFigures figures;
  std::optional<std::string> scenario;  // A device of it is emulated.
  std::vector<std::string> overrides;
  std::size_t index = 0;
  std::uint64_t seed = 1;
  double pace = 1;
  device::RadioCommands commands;
  double poll_s = 1, patience_s = device::NodeOptions{}.patience_s;
  bool quiet = false;
};

// A Made is a device before it joins: what it trains on, and its radio.
struct Made {
  device::WorkerOptions worker;
  std::unique_ptr<device::RadioControl> radio;
};

// Copies these images, so that the others need no memory.
Images Some(const Images& images, std::span<const std::uint32_t> samples) {
  Images some{.height = images.height,
              .width = images.width,
              .classes = images.classes,
              .channels = images.channels};
  const auto take = [&](const auto& all, auto& taken, std::size_t each) {
    if (all.empty()) return;
    for (const std::uint32_t sample : samples) {
      const auto begin = all.begin() + std::ptrdiff_t(sample * each);
      taken.insert(taken.end(), begin, begin + std::ptrdiff_t(each));
    }
  };
  take(images.pixels, some.pixels, images.PixelsPerImage());
  take(images.values, some.values, images.PixelsPerImage());
  take(images.labels, some.labels, 1);
  take(images.targets, some.targets, 1);
  return some;
}

// Takes the data and the model; the device holds these samples, or all where none are given.
Status SetWork(const DataChoice& data, const ModelChoice& choice,
               const std::optional<std::vector<std::uint32_t>>& samples,
               device::WorkerOptions& worker) {
  auto dataset = DatasetOf(data);
  if (!dataset) return dataset.error();
  if (samples) dataset->train = Some(dataset->train, *samples);
  if (dataset->train.size() == 0) return Error{"this device holds no samples"};
  if (auto status = CheckModel(choice, ShapeOf(dataset->train)); !status) return status.error();
  worker.model = ModelOf(choice);
  if (IsExternal(worker.model)) return Error{"model.name = external: there is nothing to train"};
  worker.samples.resize(dataset->train.size());
  std::iota(worker.samples.begin(), worker.samples.end(), 0);
  worker.dataset = std::make_shared<const Dataset>(std::move(*dataset));
  return {};
}

Result<Made> MakeOwn(const DeviceOptions& options) {
  Made made;
  made.worker.figures = options.figures;
  DataChoice data;
  data.dataset = options.data;
  ModelChoice model;
  model.name = options.model;
  if (auto status = SetWork(data, model, std::nullopt, made.worker); !status) {
    return status.error();
  }
  if (made.worker.figures.update_bits == 0) {
    const auto bits = ModelBits(model, ShapeOf(made.worker.dataset->train));
    if (!bits) return bits.error();
    made.worker.figures.update_bits = *bits;
  }
  made.radio = device::MakeCommandRadio(options.commands);
  return made;
}

// Emulates one device of a scenario: its samples, its figures and its radio.
Result<Made> MakeEmulated(const DeviceOptions& options) {
  const auto scenario = LoadScenario(*options.scenario, options.overrides);
  if (!scenario) return scenario.error();
  const auto labels = TrainingLabelsOf(scenario->data);
  if (!labels) return labels.error();
  auto made_fleet = MakeFleet(*scenario, *labels, options.seed);
  if (!made_fleet) return made_fleet.error();
  Fleet& fleet = made_fleet->fleet;
  if (options.index >= fleet.devices) {
    return Error{fmt::format("--index {}: the scenario has {} devices, from 0 on", options.index,
                             fleet.devices)};
  }
  if (const auto split = SplitBand(*scenario, fleet); !split) return split.error();
  const auto at = [&](const Column& column) { return ColumnView(column)[options.index]; };
  Made made;
  DeviceFigures& figures = made.worker.figures;
  figures = {.max_power_w = at(fleet.max_power_w),
             .noise_to_gain_w = at(fleet.noise_to_gain_w),
             .bandwidth_hz = at(fleet.bandwidth_hz),
             .update_bits = at(fleet.update_bits),
             .energy_budget_j = at(fleet.energy_budget_j),
             .compute_time_s = fleet.compute_time_s ? at(*fleet.compute_time_s) : 0,
             .compute_energy_j = at(fleet.compute_energy_j)};
  const auto held = made_fleet->partition.SamplesOf(options.index);
  if (auto status = SetWork(scenario->data, scenario->model,
                            std::vector<std::uint32_t>(held.begin(), held.end()), made.worker);
      !status) {
    return Error{fmt::format("--index {}: {}", options.index, status.error().message)};
  }
  const Radio& radio = scenario->radio;
  made.radio =
      device::MakeEmulatedRadio({.noise_to_gain_w = figures.noise_to_gain_w,
                                 .own_band_hz = figures.bandwidth_hz,
                                 .noise_grows_with_band = GrowsWithBand(radio.noise),
                                 .spectral_efficiency_cap = radio.coding.spectral_efficiency_cap,
                                 .amplifier_efficiency = radio.consumption.amplifier_efficiency,
                                 .circuit_power_w = radio.consumption.circuit_power_w},
                                options.pace);
  return made;
}

int Run(const DeviceOptions& options) {
  auto link = device::ParseSuperLink(options.superlink);
  if (!link) return Report(link.error());
  link->root_certificates = options.root_certificates;
  link->is_insecure = options.is_insecure;
  const auto key = options.key ? device::NodeKey::Read(*options.key) : device::NodeKey::Make();
  if (!key) return Report(key.error());
  auto made = options.scenario ? MakeEmulated(options) : MakeOwn(options);
  if (!made) return Report(made.error());
  made->worker.name = key->Name();
  device::Worker worker(std::move(made->worker), *made->radio);

  std::signal(SIGPIPE, SIG_IGN);  // A SuperLink that goes away while it is written to is an error.
  const base::InterruptsNoted noted;
  const device::NodeHooks hooks{
      .stops = [] { return base::InterruptThatCame() != 0; },
      .say =
          [&](const std::string& text) {
            if (options.quiet) return;
            const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
            WriteSafely(stderr, fmt::format("{:%H:%M:%S} {}\n", fmt::localtime(now), text));
          }};
  const device::NodeOptions node{.link = *link,
                                 .registers_itself = !options.key,
                                 .poll_s = options.poll_s,
                                 .patience_s = options.patience_s};
  const auto status = device::RunNode(node, *key, worker, *made->radio, hooks);
  return status ? kDone : (Report(status.error()), kFailed);
}

// These options are for a device that is not emulated.
using OwnOptions = std::vector<CLI::Option*>;

void AddFigures(CLI::App& command, DeviceFigures& figures, OwnOptions& own) {
  const auto add = [&](const char* name, double& value, const char* text) {
    own.push_back(command.add_option(name, value, text)
                      ->check(NumberIn(0, std::numeric_limits<double>::max()))
                      ->capture_default_str());
  };
  add("--max-power-w", figures.max_power_w, "The radio's largest transmit power");
  add("--noise-to-gain-w", figures.noise_to_gain_w, "Noise power over channel gain in its band");
  add("--bandwidth-hz", figures.bandwidth_hz, "Its own band");
  add("--energy-budget-j", figures.energy_budget_j, "What it may spend in a round");
  add("--compute-time-s", figures.compute_time_s, "Time of its training in a round");
  add("--compute-energy-j", figures.compute_energy_j, "Energy of that");
}

void AddCommands(CLI::App& command, device::RadioCommands& commands, OwnOptions& own) {
  const auto add = [&](const char* name, std::optional<std::string>& value, const char* text) {
    own.push_back(command.add_option(name, value, text)->check(kNotEmpty)->type_name("COMMAND"));
  };
  add("--set-power", commands.set_power, "Sets the power: {power_w}, {dbm} or {mbm}");
  add("--read-channel", commands.read_channel, "Prints noise power over channel gain, W");
  add("--read-battery", commands.read_battery, "Prints the charge that is left");
  command.add_option("--battery-unit-j", commands.battery_unit_j, "Joules of what it prints")
      ->check(NumberIn(0, std::numeric_limits<double>::max()))
      ->capture_default_str();
}

}  // namespace

void AddDevice(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DeviceOptions>();
  CLI::App& command =
      *app.add_subcommand("device", "Be a device of a live federation (a node of Flower)");
  command.add_option("--superlink", options->superlink, "Flower's SuperLink, HOST:PORT")
      ->required()
      ->check(kNotEmpty);
  auto* insecure =
      command.add_flag("--insecure", options->is_insecure, "Plain text instead of TLS");
  command
      .add_option("--root-certificates", options->root_certificates,
                  "Of the SuperLink's certificate; else the system's")
      ->check(kNotEmpty)
      ->type_name("FILE")
      ->excludes(insecure);
  command.add_option("--key", options->key, "The node's key; else a new one, which it registers")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--emulate", options->scenario, "Be a device of this scenario")
      ->check(kNotEmpty)
      ->check(Offers(ScenarioNames()))
      ->type_name("SCENARIO");
  auto own = std::make_shared<OwnOptions>();
  own->push_back(command.add_option("--data", options->data, "Its own data: a name or a folder")
                     ->check(kNotEmpty)
                     ->capture_default_str());
  own->push_back(command.add_option("--model", options->model, "The model that it trains")
                     ->check(kNotEmpty)
                     ->capture_default_str());
  AddOverrides(command, options->overrides);
  command.add_option("--index", options->index, "Which device of the scenario, from 0 on")
      ->needs("--emulate");
  command.add_option("--seed", options->seed, "Of the scenario's draws")
      ->check(kSeed)
      ->needs("--emulate");
  command.add_option("--pace", options->pace, "Seconds of the radio in one (inf: no waiting)")
      ->needs("--emulate")
      ->check(NumberIn(1e-6, std::numeric_limits<double>::infinity()))
      ->capture_default_str();
  AddFigures(command, options->figures, *own);
  AddCommands(command, options->commands, *own);
  command.add_option("--poll-s", options->poll_s, "Time between two looks for messages")
      ->check(NumberIn(0.01, 3600))
      ->capture_default_str();
  command
      .add_option("--patience-s", options->patience_s, "How long to try where the key is refused")
      ->check(NumberIn(0, 86400))
      ->capture_default_str();
  command.add_flag("--quiet", options->quiet, "Say nothing but errors");
  AddExample(command,
             "airlot device --superlink localhost:8000 --insecure --emulate float32-cell --index 3 "
             "--set data.dataset=digits");
  command.callback([options, own, &exit_code] {
    for (const CLI::Option* option : *own) {
      if (options->scenario && option->count() > 0) {
        throw CLI::ExcludesError("--emulate", option->get_name());
      }
    }
    exit_code = Run(*options);
  });
}

}  // namespace airlot::cli
