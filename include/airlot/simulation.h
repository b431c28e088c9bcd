// Training over a fleet, round by round, with the books of time and energy.
#ifndef AIRLOT_SIMULATION_H_
#define AIRLOT_SIMULATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/fleet.h"
#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/selection.h"
#include "airlot/state_part.h"
#include "airlot/training.h"
#include "airlot/training_rule.h"

namespace airlot {

namespace simulation {
class SharedEvaluations;
}

// All of a run that does not depend on the strategy: made once for a scenario and a seed.
struct Setting {
  Scenario scenario;
  std::uint64_t seed = 1;
  std::shared_ptr<const Dataset> dataset;
  Partition partition;
  Fleet fleet;
  Plan plan;
  // These have a value for each device:
  ColumnValues data_share;       // of all samples
  ColumnValues participation_s;  // time of taking part once
  ColumnValues participation_j;  // energy of taking part once, without what is spent in any case
  // Energy that is spent in each round in any case; not set: none is.
  std::optional<ColumnValues> always_j;
  double model_bits = 0;         // of what the server sends to the devices
  double least_update_bits = 0;  // of an update that is cut to one number
  std::string digest;            // of the fleet, the plan and the data: another one for any other
  // Test results that the simulated backends of runs share; none: each finds its own.
  std::shared_ptr<simulation::SharedEvaluations> evaluations;
};

// The devices and the radio of a setting, as strategies see them. Views into the setting.
Cell CellOf(const Setting& setting);

// Whether anybody may ever take part. Where channels fade, a good round may serve those whom the
// mean channel does not.
bool MayTakePart(const Setting& setting);

// Draws or reads the fleet, splits the data and plans. An error where the scenario has no data set,
// or the model does not fit its images.
Result<Setting> Prepare(const Scenario& scenario, std::uint64_t seed,
                        std::shared_ptr<const Dataset> dataset, int threads = 1);

// After a round; time and energy since the start. Its fields are listed in
// src/simulation/round_fields.h, which files and checkpoints follow.
struct RoundRecord {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  std::uint64_t participants = 0;
  std::optional<double> loss;      // of the participants, before the round's step
  std::optional<double> accuracy;  // on the test images, where it was looked at
  std::optional<double> test_loss;
  std::optional<double> mean_participation_s;  // of the participants' times
  std::optional<double> empty_batteries;       // devices that stayed out for want of charge
};

// How far a run has come: all that is needed to go on with it. What a feature of the run remembers
// is a part of its own.
struct RunState {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  std::vector<float> parameters;
  std::vector<std::uint32_t> participations;  // of each device
  std::vector<double> energy_spent_j;         // of each device
  std::vector<RoundRecord> records;           // of each round, and of the start
  std::string setting_digest;                 // of the setting that the run began in
  StateParts parts;
};
RunState StartOf(const Setting& setting);

// An error where lists of the state that must agree do not: it may come from a forged file.
Status CheckBooks(const RunState& state);
// Makes a state that was read from a checkpoint ready to go on with this strategy: its parts, which
// are bytes until then, are loaded. An error where it is of another fleet or other data, or
// something in it is missing, of no use or of the wrong size; `state` then is of no use.
Status Restore(const Setting& setting, Strategy& strategy, RunState& state);

// The round that devices train in.
struct TrainingRound {
  std::uint64_t round = 1;
  std::span<const float> parameters;        // of the server's model
  std::span<UpdateStep* const> steps = {};  // that updates take on their way, in this order
};
// Devices train, and their updates come together.
class Backend {
 public:
  virtual ~Backend() = default;
  // gradient = the weighted sum of the updates, as the server gets them: each a gradient or, after
  // local training, the difference of the parameters before and after, changed by the round's
  // steps. Returns the weighted sum of the losses; `losses`, unless empty, gets that of each.
  virtual double Train(std::span<const Assignment> participants, const TrainingRound& round,
                       std::span<float> gradient, std::span<PartLoss> losses) = 0;
  virtual Evaluation Evaluate(std::span<const float> parameters) = 0;
  // Finds the losses of the current model on samples of these devices, `batch` of each, or all
  // where 0: other samples than Train would take.
  virtual void Losses(std::span<const std::uint32_t> devices, std::size_t batch,
                      const TrainingRound& round, std::span<double> losses) = 0;
  // Finds the norms of the devices' updates in this round, before they are compressed; where `bits`
  // are given, of what is left of each after cutting it to so many, infinity being all of it.
  virtual void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                           const TrainingRound& round, std::span<double> norms) = 0;
};
// Devices that are simulated here; the setting must outlive it.
std::unique_ptr<Backend> MakeSimulatedBackend(const Setting& setting, int threads = 1);

// Told after each round, in order.
class Observer {
 public:
  virtual ~Observer() = default;
  // False: the run is to stop here.
  virtual bool AfterRound(const Setting& setting, const RunState& state) = 0;
};

enum class RunEnd : std::uint8_t {
  kRoundsDone,  // the scenario's number of rounds
  kStopped,     // by an observer
  kNobodyAble,  // no device can ever take part: every probability is 0
};

// Where the time of the program goes.
struct RunTimes {
  double gradient_s = 0;
  double evaluation_s = 0;
  double other_s = 0;
};

// Whether a strategy can be run with such learning rules: unbiased aggregation needs to know the
// probabilities, and who cuts updates to fit can neither compress them nor send a second vector.
Status CheckStrategy(const StrategyEntry& entry, const LearningRules& rules);

// Goes on from `state` until the run ends. The strategy's entry must have passed CheckStrategy.
RunEnd Simulate(const Setting& setting, Strategy& strategy, Backend& backend,
                std::span<Observer* const> observers, RunState& state, RunTimes* times = nullptr);

// Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 if all took part equally often; none where
// nobody ever did. (57)
std::optional<double> JainIndex(std::span<const std::uint32_t> participations);

}  // namespace airlot

#endif  // AIRLOT_SIMULATION_H_
