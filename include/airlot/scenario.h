// A scenario: the data, the fleet, the radio, the model and the rules of a round, as one TOML file.
#ifndef AIRLOT_SCENARIO_H_
#define AIRLOT_SCENARIO_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/compression.h"
#include "airlot/fleet.h"
#include "airlot/model.h"
#include "airlot/partition.h"
#include "airlot/radio.h"
#include "airlot/result.h"
#include "airlot/round.h"
#include "airlot/selection.h"
#include "airlot/training.h"

namespace airlot {

// What is learned from, and who holds which samples of it.
struct DataChoice {
  std::string dataset;         // a name or a folder (ReadDataset); empty: none
  PartitionOptions partition;  // its devices and seed are those of the fleet
};

// The network whose update is uploaded.
struct ModelChoice {
  std::string name = "cnn";
  double parameters = 0;  // 0: as many as the named model has
  double bits_per_parameter = 32;
};

// What devices and server compute in a round.
struct LearningRules {
  double rate = 0.1;
  std::size_t batch = 32;  // samples of a local gradient; 0: all
  Aggregation aggregation = Aggregation::kAverage;
  double least_probability = 0;  // that an unbiased aggregation divides by
  TrainingRule rule = TrainingRule::kFedAvg;
  // Where not set, or 0, as the rule has them:
  double server_rate = 0;          // times `rate` where devices send gradients
  std::optional<double> momentum;  // of the server
  std::optional<double> proximal;  // of local training
  std::optional<double> beta1;
  std::optional<double> beta2;
  double tau = 0;
  bool bias_correction = false;
  std::size_t local_steps = 1;   // more than 1: devices train and send models, not gradients
  std::size_t local_epochs = 0;  // not 0: so many passes over the samples, instead of local_steps
  CompressionOptions compression;
};
// Whether devices train and send models; else they send gradients.
inline bool SendsModels(const LearningRules& rules) {
  return rules.local_steps > 1 || rules.local_epochs > 0 || rules.rule == TrainingRule::kScaffold;
}
// The local training of a device, without a correction.
LocalTraining LocalTrainingOf(const LearningRules& rules);
// The server's step, at its start; it takes (parameters - average), and in descent also gradients.
ServerOptimizer OptimizerOf(const LearningRules& rules);
// How much a device computes.
LocalWork WorkOf(const LearningRules& rules);

struct Scenario {
  std::string name = "paper-highly-biased";
  std::size_t rounds = 3000;  // at most
  std::size_t evaluate_every = 20;
  std::vector<double> targets = {0.59, 0.80};  // test accuracies
  DataChoice data;
  ModelChoice model;
  LearningRules learning;
  FleetModel fleet;
  Radio radio;
  RoundRules round;
  StrategyOptions strategy;
};

// Reads `name_or_path`: the name of a built-in scenario, or else a TOML file. `overrides` are texts
// "section.key=value", applied in order. A path in `fleet.file` is taken relative to the TOML file.
Result<Scenario> ReadScenario(const std::string& name_or_path,
                              std::span<const std::string> overrides = {});

// The same from text; `origin` names it in messages.
Result<Scenario> ParseScenario(std::string_view text, const std::string& origin,
                               std::span<const std::string> overrides = {});

// The scenario as TOML, every key with its value; reads back to the same scenario.
std::string FormatScenario(const Scenario& scenario);

struct BuiltInScenario {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};
std::span<const BuiltInScenario> BuiltInScenarios();

// Every key of a scenario file, in the order of the file.
struct ScenarioKey {
  std::string_view name;      // "fleet.area_m"
  std::string default_value;  // as TOML; empty if not set
  std::string_view summary;
};
std::vector<ScenarioKey> ScenarioKeys();

}  // namespace airlot

#endif  // AIRLOT_SCENARIO_H_
