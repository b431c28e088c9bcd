// `airlot bench simulation` measures how fast rounds go, and where the time of a round is spent.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "airlot/comparison.h"
#include "airlot/scenario_fleet.h"
#include "airlot/simulation.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct SimulationBenchOptions {
  ScenarioOptions scenario;
  BenchOptions bench;
  std::string strategy = "probabilistic";
};

// The fastest of several repetitions counts; all start from the beginning.
struct Measured {
  double seconds = std::numeric_limits<double>::infinity();
  RunTimes times;
};

Measured Measure(const Setting& setting, const SimulationBenchOptions& options) {
  Measured best;
  Progress progress("measuring", options.bench.output.quiet);
  for (int i = 0; i < options.bench.repeats; ++i) {
    RunState state = StartOf(setting);
    const auto strategy = MakeStrategy(options.strategy, setting.scenario.strategy);
    const auto backend = MakeSimulatedBackend(setting, options.bench.threads);
    RunTimes times;
    const double seconds =
        Seconds([&] { Simulate(setting, *strategy, *backend, {}, state, &times); });
    if (seconds < best.seconds) best = {seconds, times};
    progress(double(i + 1) / options.bench.repeats);
  }
  return best;
}

Json ToJson(const Setting& setting, const SimulationBenchOptions& options,
            const Measured& measured) {
  const auto rounds = double(setting.scenario.rounds);
  return {{"scenario", setting.scenario.name},
          {"strategy", options.strategy},
          {"devices", setting.fleet.devices},
          {"rounds", setting.scenario.rounds},
          {"threads", options.bench.threads},
          {"rounds_per_s", rounds / measured.seconds},
          {"gradient_share", measured.times.gradient_s / measured.seconds},
          {"evaluation_share", measured.times.evaluation_s / measured.seconds},
          {"other_us_per_round", measured.times.other_s / rounds * 1e6}};
}

void PrintText(const Json& json) {
  Print("{} rounds of {}, {}, {} devices\n", json["rounds"].get<std::size_t>(),
        json["scenario"].get<std::string>(), json["strategy"].get<std::string>(),
        Count(json["devices"]));
  Print("  rounds/s    {:>8.1f}\n", json["rounds_per_s"].get<double>());
  Print("  gradients   {:>8.1f} %\n", 100 * json["gradient_share"].get<double>());
  Print("  evaluation  {:>8.1f} %\n", 100 * json["evaluation_share"].get<double>());
  Print("  all else    {:>8.1f} µs a round\n", json["other_us_per_round"].get<double>());
}

Result<PreparedComparison> PrepareRun(const Scenario& scenario,
                                      const SimulationBenchOptions& options) {
  const Progress progress("preparing", options.bench.output.quiet);
  auto dataset = DatasetOf(scenario.data, options.bench.threads);
  if (!dataset) return dataset.error();
  const Comparison comparison{scenario, {options.strategy}, {options.scenario.seed}};
  return PrepareComparison(comparison, std::make_shared<const Dataset>(std::move(*dataset)),
                           {.threads = options.bench.threads});
}

int RunSimulation(const SimulationBenchOptions& options) {
  if (!UseSimdTarget(options.bench)) return kBadInput;
  // This holds unless the user sets another number.
  std::vector<std::string> overrides{"rounds=200"};
  overrides.insert(overrides.end(), options.scenario.overrides.begin(),
                   options.scenario.overrides.end());
  const auto scenario = LoadScenario(options.scenario.scenario, overrides);
  if (!scenario) return Report(scenario.error());
  const auto prepared = PrepareRun(*scenario, options);
  if (!prepared) return Report(prepared.error());
  const Setting& setting = *prepared->settings.front();
  const Json json = ToJson(setting, options, Measure(setting, options));
  options.bench.output.json ? PrintExactly(TextOf(json)) : PrintText(json);
  return kDone;
}

}  // namespace

void AddBenchSimulation(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<SimulationBenchOptions>();
  options->bench.repeats = 3;
  CLI::App& command = *bench.add_subcommand("simulation", "Rounds of training over a fleet");
  AddScenarioOptions(command, options->scenario);
  std::vector<std::string> names;
  for (const StrategyEntry& entry : Strategies()) names.emplace_back(entry.name);
  command.add_option("--strategy", options->strategy, "How devices are selected")
      ->check(OneOf(names))
      ->type_name("NAME")
      ->capture_default_str();
  AddBenchOptions(command, options->bench);
  AddExample(command, "airlot bench simulation --set rounds=40 --set data.dataset=digits");
  command.callback([options, &exit_code] { exit_code = RunSimulation(*options); });
}

}  // namespace airlot::cli
