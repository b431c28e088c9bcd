// A scenario has the data, the fleet, the radio, the model and the rules of a round, as one TOML
// file.
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
#include "airlot/training_rule.h"

namespace airlot {

// A DataChoice says what is learned from, and who holds which samples of it.
struct DataChoice {
  std::optional<std::string> dataset;  // a name or a path (ReadDataset)
  bool standardise = false;            // whether the samples are (Standardise)
  PartitionOptions partition;          // its devices and seed are those of the fleet
  bool operator==(const DataChoice&) const = default;
};

// A KeyPlace says where a key was given, "mine.toml:5: model.layers", for messages of what shows
// only later. Scenarios that differ in nothing else are the same.
struct KeyPlace {
  std::string text;
  bool operator==(const KeyPlace&) const { return true; }
};

// A FileTaken is the path of a file whose contents have become part of a scenario, which needs the
// file no more. Scenarios that differ in nothing else are the same.
struct FileTaken {
  std::string path;  // empty: there was none
  bool operator==(const FileTaken&) const { return true; }
};

// A ModelChoice is the network whose update is uploaded.
struct ModelChoice {
  std::string name = "cnn";
  std::optional<std::vector<Layer>> layers;  // not set: those of the built-in model of that name
  KeyPlace layers_place;                     // empty where they were not read
  std::optional<double> parameters;          // that are charged; not set: as many as the model has
  double bits_per_parameter = 32;
  bool operator==(const ModelChoice&) const = default;
};

// Returns the network of a choice that was read, or of one of the built-in names.
Model ModelOf(const ModelChoice& choice);
// Returns the model's name, and what its updates are charged as where the scenario says that.
std::string DescribeModel(const ModelChoice& choice);

// Books say which times the time of a round is made of. What the time limit bounds is another
// matter (RoundRules::count_compute_time).
struct Books {
  bool upload_time = true;
  bool compute_time = false;
  bool download_time = false;  // the multicast of the model to those who take part
  bool operator==(const Books&) const = default;
};
// Says what is booked: "uploads", "uploads and computation", "uploads, computation and downloads".
std::string BookedTimes(const Books& books);

// BudgetRule says over which rounds a device keeps its energy budget.
enum class BudgetRule : std::uint8_t {
  kMean,    // as the strategy does: on average over many rounds, or not at all
  kStrict,  // after every round: who could not pay stays out, whatever the strategy
};

// Returns how much a device computes.
LocalWork WorkOf(const LearningRules& rules);

struct Scenario {
  std::string name = "float32-cell";
  std::size_t rounds = 3000;  // largest number of rounds
  std::size_t evaluate_every = 20;
  std::vector<double> targets = {0.59, 0.80};  // test accuracies
  bool stop_at_targets = false;                // a run ends where it has reached all targets
  DataChoice data;
  ModelChoice model;
  LearningRules learning;
  FleetModel fleet;
  Radio radio;
  FileTaken mcs_file;  // that of radio.mcs
  // This is what radio.shadowing_sd_db says where there is no shadowing. Nothing looks at it, but a
  // scenario is written as it was read.
  std::optional<double> idle_shadowing_sd_db;
  RoundRules round;
  Books books;
  PlanningOptions planning;  // all but its threads, which change no plan
  BudgetRule budget = BudgetRule::kMean;
  std::string first_strategy = "probabilistic";  // the one that is taken where none is named
  StrategyOptions strategy;
  bool operator==(const Scenario&) const = default;
};

// Reads `name_or_path`: the name of a built-in scenario, or else a TOML file. `overrides` are texts
// "section.key=value", applied in order; `overrides_origin` says in messages where they come from,
// such as an option of the command line. A path in `fleet.file` is taken relative to the TOML file.
Result<Scenario> ReadScenario(const std::string& name_or_path,
                              std::span<const std::string> overrides = {},
                              std::string_view overrides_origin = "override");

// A ScenarioSource is a scenario before it is parsed. Where several scenarios are made of one text,
// it is read once: a pipe has no second time, and a file may change.
struct ScenarioSource {
  std::string text;
  std::string origin;     // name or path, for messages
  std::string directory;  // Paths in the text are relative to it.
};
Result<ScenarioSource> ReadScenarioSource(const std::string& name_or_path);
Result<Scenario> ParseScenario(const ScenarioSource& source,
                               std::span<const std::string> overrides = {},
                               std::string_view overrides_origin = "override");

// Parses a scenario from text; `origin` names it in messages.
Result<Scenario> ParseScenario(std::string_view text, const std::string& origin,
                               std::span<const std::string> overrides = {},
                               std::string_view overrides_origin = "override");

// Returns the scenario as TOML, every key with its value, which reads back to the same scenario.
std::string FormatScenario(const Scenario& scenario);

// Returns the same with the keys that it leaves out, because they are not set or have the default
// that every scenario has, as comments.
std::string FormatEveryKey(const Scenario& scenario);

// Returns the scenario with absolute paths, which are found from any folder.
Scenario WithAbsolutePaths(Scenario scenario);

// A ScenarioFile is a file that was or will be read because a key of a scenario names it.
struct ScenarioFile {
  std::string path;
  std::string what;  // name for messages: "the fleet file", "the file of radio.mcs"
};
// Returns all files that the keys of a scenario name, those of a data set in a folder one by one.
// Nothing that is made of the scenario may overwrite them.
std::vector<ScenarioFile> FilesOf(const Scenario& scenario);

struct BuiltInScenario {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};
std::span<const BuiltInScenario> BuiltInScenarios();

// A ScenarioKey is a key of a scenario file; ScenarioKeys has all of them in the order of the file.
struct ScenarioKey {
  std::string_view name;      // "fleet.area_m"
  std::string default_value;  // as TOML; empty if not set
  std::string_view summary;
  std::vector<std::string> words = {};  // those that it takes; none: numbers, or any text
  bool takes_path = false;              // of a file or folder, beside its words
  bool takes_other_words = false;       // Its words are some of those that it takes.
};
std::vector<ScenarioKey> ScenarioKeys();

}  // namespace airlot

#endif  // AIRLOT_SCENARIO_H_
