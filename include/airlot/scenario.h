// A scenario: the data, the fleet, the radio, the model and the rules of a round, as one TOML file.
#ifndef AIRLOT_SCENARIO_H_
#define AIRLOT_SCENARIO_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/band_split.h"
#include "airlot/compression.h"
#include "airlot/dataset.h"
#include "airlot/fleet.h"
#include "airlot/model.h"
#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/radio.h"
#include "airlot/result.h"
#include "airlot/selection.h"
#include "airlot/training.h"
#include "airlot/training_rule.h"

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

// What a round does in which nobody takes part.
enum class EmptyRound : std::uint8_t {
  kSkip,    // it takes no time and no energy, and counts
  kRedraw,  // it is drawn again
  kWait,    // the server waits for the time limit, and it counts
};

struct RoundRules {
  double time_limit_s = 0.08;
  TimeRule time_rule = TimeRule::kExpected;
  bool count_compute_time = false;  // the limit bounds upload and computation together
  ComputeRule compute = ComputeRule::kParticipants;
  double min_probability = 0;  // the participation that every device should reach
  double time_weight = 0;      // λ, participants that a second of the expected round is worth
  EmptyRound empty = EmptyRound::kSkip;
};

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

// Size of a model for such images. An error where it does not fit them.
Result<double> ModelBits(const ModelChoice& model, const ImageShape& shape = {});

// On the air in a round, for the images of the scenario's data set, or else MNIST's. A set that is
// known by name need not be there.
struct RoundBits {
  double update = 0;  // S, what a device sends, compressed
  double model = 0;   // what the server sends
};
Result<RoundBits> RoundBitsOf(const Scenario& scenario);

// The scenario's data set, and the labels to train on alone. An error where it has none.
Result<Dataset> DatasetOf(const DataChoice& data, int threads = 1);
Result<Labels> TrainingLabelsOf(const DataChoice& data);

// Who of `devices` devices holds which training samples: the same for a plan and for the training.
Result<Partition> PartitionOf(const DataChoice& data, const Labels& labels, std::size_t devices,
                              std::uint64_t seed);

// What devices take where a fleet file does not say. Where the scenario has data, a device computes
// on the samples that it holds, not on fleet.samples.
Result<FleetDefaults> DefaultsOf(const Scenario& scenario, std::uint64_t seed);

// The scenario's fleet: read from its file or, where it names none, drawn; with its band split.
Result<Fleet> MakeFleet(const Scenario& scenario, std::uint64_t seed, int threads = 1,
                        const std::function<void(double)>& progress = {});

// Splits the bands of the fleet together anew, as radio.sharing says, into its columns: bands, nat
// times and, where the noise is a density, noise-to-gain. A device weighs as much as it has
// samples, where the fleet has them. Nothing for BandSharing::kEqual. (docs/bandwidth.md)
Result<std::optional<BandSplit>> SplitBand(const Scenario& scenario, Fleet& fleet, int threads = 1);

// The planning problem of a fleet under a scenario's radio and round rules. The views point into
// `fleet`. An error where computation time counts and the fleet does not know it.
Result<PlanningProblem> ProblemOf(const Fleet& fleet, const Radio& radio, const RoundRules& round);
Result<PlanningProblem> ProblemOf(Fleet&&, const Radio&, const RoundRules&) = delete;

// The scenario's plan of a round: `Solve`, or where round.time_weight is not 0 `SolveTimeAware`
// with the weight 1 for every device. The second writes into memory of the caller, as `Solve` does.
Plan PlanOf(const Scenario& scenario, const PlanningProblem& problem,
            const PlanningOptions& options = {});
void PlanOf(const Scenario& scenario, const PlanningProblem& problem,
            const PlanningOptions& options, std::span<double> probability,
            std::span<double> power_w);

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
