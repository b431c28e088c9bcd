// `airlot bench selection` measures what the strategies themselves take of a round.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/scenario_fleet.h"
#include "airlot/simulation.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct SelectionBenchOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  std::size_t devices = 100000;
  std::size_t rounds = 20;
};

// QuickAnswers answers at once, with numbers that differ between devices.
class QuickAnswers : public Probe {
 public:
  void Ask(const Question& question, std::span<const std::uint32_t> devices,
           std::span<double> answers) override {
    if (std::holds_alternative<AskUpdateNorm>(question)) {
      asked_for_updates_ = std::max(asked_for_updates_, devices.size());
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      answers[i] = 0.01 + double(devices[i] % 97) / 100;
    }
  }

  // This is the most that were asked at a time.
  std::size_t asked_for_updates() const { return asked_for_updates_; }

 private:
  std::size_t asked_for_updates_ = 0;
};

// Makes a fleet with its plan, without data: every device has as many samples as any other.
Result<Setting> MakeSetting(const SelectionBenchOptions& options) {
  std::vector<std::string> overrides{"data.dataset=",
                                     fmt::format("fleet.devices={}", options.devices)};
  overrides.insert(overrides.end(), options.scenario.overrides.begin(),
                   options.scenario.overrides.end());
  auto scenario = LoadScenario(options.scenario.scenario, overrides);
  if (!scenario) return scenario.error();
  Setting setting{.scenario = *scenario, .seed = options.scenario.seed};
  auto made = MakeFleet(*scenario, setting.seed);
  if (!made) return made.error();
  setting.fleet = std::move(made->fleet);
  setting.model_bits = made->bits.model;
  const auto problem = ProblemOf(setting.fleet, *scenario);
  if (!problem) return problem.error();
  if (auto status = Validate(*problem); !status) return status.error();
  setting.plan = Solve(*problem);
  setting.data_share.assign(setting.fleet.devices, 1 / double(setting.fleet.devices));
  return setting;
}

// These rounds have the same plan; the first finds what follows from it.
class Rounds {
 public:
  Rounds(const Setting& setting, const StrategyEntry& entry)
      : setting_(setting),
        cell_(CellOf(setting)),
        strategy_(MakeStrategy(entry.name, setting.scenario.strategy)) {}

  double Seconds(std::uint64_t round) {
    Selection selection;
    return cli::Seconds([&] {
      strategy_->Select({.seed = setting_.seed,
                         .round = round,
                         .rounds = setting_.scenario.rounds,
                         .probability = setting_.plan.probability,
                         .power_w = setting_.plan.power_w,
                         .data_share = setting_.data_share,
                         .cell = &cell_,
                         .probe = &probe_,
                         .memory = &memory_},
                        selection);
      if (strategy_->Learns()) Learn(round, selection);
    });
  }
  bool AsksEverybodyForUpdates() const {
    return probe_.asked_for_updates() > setting_.fleet.devices / 2;
  }

 private:
  void Learn(std::uint64_t round, const Selection& selection) {
    const std::vector<double> ones(selection.devices.size(), 1.0);
    strategy_->Learn({.round = round,
                      .devices = selection.devices,
                      .mean_loss = ones,
                      .mean_square_loss = ones,
                      .duration_s = ones},
                     memory_);
  }

  const Setting& setting_;
  Cell cell_;
  std::unique_ptr<Strategy> strategy_;
  QuickAnswers probe_;
  std::vector<double> memory_;
};

// Measures the mean of the rounds after the first, and the first, which the plan is new to.
Json Measure(const Setting& setting, const SelectionBenchOptions& options) {
  Json rows = Json::array();
  Progress progress("measuring", options.output.quiet);
  const double devices = double(setting.fleet.devices);
  double done = 0;
  for (const StrategyEntry& entry : Strategies()) {
    Rounds rounds(setting, entry);
    const double first_s = rounds.Seconds(1);
    double sum_s = 0;
    for (std::size_t round = 2; round <= 1 + options.rounds; ++round) {
      sum_s += rounds.Seconds(round);
    }
    progress(++done / double(Strategies().size()));
    if (rounds.AsksEverybodyForUpdates()) continue;
    rows.push_back({{"strategy", entry.name},
                    {"devices", setting.fleet.devices},
                    {"us_per_device_and_round", sum_s / double(options.rounds) / devices * 1e6},
                    {"us_per_device_and_plan", first_s / devices * 1e6}});
  }
  return rows;
}

int RunSelection(const SelectionBenchOptions& options) {
  const auto setting = MakeSetting(options);
  if (!setting) return Report(setting.error());
  const Json rows = Measure(*setting, options);
  if (options.output.json) {
    PrintExactly(TextOf(rows));
    return kDone;
  }
  Print("µs per device, {} devices, one thread{:>12}{:>12}\n", Count(double(options.devices)),
        "a round", "a plan");
  for (const Json& row : rows) {
    Print("  {:<46}{:>8.4f}    {:>8.4f}\n", row["strategy"].get<std::string>(),
          row["us_per_device_and_round"].get<double>(),
          row["us_per_device_and_plan"].get<double>());
  }
  return kDone;
}

}  // namespace

void AddBenchSelection(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<SelectionBenchOptions>();
  CLI::App& command = *bench.add_subcommand("selection", "What each strategy takes to select");
  AddScenarioOptions(command, options->scenario);
  command.add_option("--devices", options->devices, "Devices of the fleet")
      ->check(WholeNumberIn(1, 100000000))
      ->capture_default_str();
  command.add_option("--rounds", options->rounds, "Rounds that are measured, after the first")
      ->check(WholeNumberIn(1, 1000000))
      ->capture_default_str();
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot bench selection --devices 1000000 --rounds 5");
  command.callback([options, &exit_code] { exit_code = RunSelection(*options); });
}

}  // namespace airlot::cli
