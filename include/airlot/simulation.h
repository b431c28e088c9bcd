// The simulation trains over a fleet, round by round, with the books of time and energy.
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
#include "airlot/team.h"
#include "airlot/training.h"
#include "airlot/training_rule.h"

namespace airlot {

namespace simulation {
class SharedEvaluations;
}

// A Setting is all of a run that does not depend on the strategy: it is made once for a scenario
// and a seed.
struct Setting {
  Scenario scenario;
  std::uint64_t seed = 1;
  std::shared_ptr<const Dataset> dataset;
  Partition partition;
  Fleet fleet;
  Plan plan;
  // These have a value for each device:
  ColumnValues data_share;       // share of each device in all samples
  ColumnValues upload_s;         // time of the upload as planned; 0 for who cannot take part
  ColumnValues participation_j;  // energy of taking part once, without what is spent in any case
  // always_j is the energy that is spent in each round in any case; where it is not set, none is.
  std::optional<ColumnValues> always_j;
  double model_bits = 0;         // size of what the server sends to the devices
  double least_update_bits = 0;  // size of an update that is cut to one number
  std::string digest;            // another one for any other fleet, plan or data
  // The simulated backends of runs share these test results; without them each finds its own.
  std::shared_ptr<simulation::SharedEvaluations> evaluations;
  // This is the setting itself, where it is shared: who looks into it may keep it so.
  std::weak_ptr<const Setting> self;
};

// Returns the devices and the radio of a setting, as strategies see them, in views into the
// setting.
Cell CellOf(const Setting& setting);

// Says whether anybody may ever take part. Where channels fade, a good round may serve those whom
// the mean channel does not.
bool MayTakePart(const Setting& setting);

// Draws or reads the fleet, splits the data and plans. Fails where the scenario has no data set, or
// the model does not fit its images. Where a partition is given, the data are split so.
Result<Setting> Prepare(const Scenario& scenario, std::uint64_t seed,
                        std::shared_ptr<const Dataset> dataset, int threads = 1,
                        const std::optional<Partition>& partition = std::nullopt);

// A RoundRecord is the state after a round, with time and energy since the start. Its fields are
// listed in src/simulation/round_fields.h, which files and checkpoints follow.
struct RoundRecord {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  std::uint64_t participants = 0;
  std::optional<double> loss;      // loss of the participants, before the round's step
  std::optional<double> accuracy;  // on the test images, where it was looked at
  std::optional<double> test_loss;
  std::optional<double> mean_participation_s;  // mean of the participants' times
  std::optional<double> empty_batteries;       // devices that stayed out for want of charge
  std::optional<double> arrived;               // updates that arrived, where some may be lost
};

// A RunState is how far a run has come: all that is needed to go on with it. What a feature of the
// run remembers is a part of its own.
struct RunState {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  std::vector<float> parameters;
  std::vector<std::uint32_t> participations;  // number of participations of each device
  std::vector<double> energy_spent_j;         // energy that each device has spent
  std::vector<RoundRecord> records;           // one for each round, and one for the start
  std::string setting_digest;                 // digest of the setting that the run began in
  StateParts parts;
};
RunState StartOf(const Setting& setting);

// Says whether a run that has come so far is at its end: its rounds are done, or it has reached the
// highest target and stops there.
bool IsOver(const Scenario& scenario, std::span<const RoundRecord> records);

// Fails where lists of the state that must agree do not: it may come from a forged file.
Status CheckBooks(const RunState& state);
// Makes a state that was read from a checkpoint ready to go on with this strategy: its parts, which
// are bytes until then, are loaded. Fails where it is of another fleet or other data, or something
// in it is missing, of no use or of the wrong size; `state` then is of no use.
Status Restore(const Setting& setting, Strategy& strategy, RunState& state);

// A TrainingRound is the round that devices train in.
struct TrainingRound {
  std::uint64_t round = 1;
  std::span<const float> parameters;        // parameters of the server's model
  std::span<UpdateStep* const> steps = {};  // steps that updates take on their way, in this order
};
// A ParticipationRecord is what the books know of one participation: the terms, and what it came
// to.
struct ParticipationRecord {
  std::uint32_t device = 0;
  double power_w = 0;
  double bandwidth_hz = 0;
  double cpu_share = 1;
  double update_bits = 0;
  // These are the times that are booked (Books), with all that is sent again and follows the
  // update.
  double upload_s = 0;
  double compute_s = 0;
  double energy_j = 0;  // what the device has spent on it, beside what is spent in any case
  bool has_arrived = true;
};

// An Arrival is what came of a participation with devices elsewhere. What is not measured is booked
// as planned.
struct Arrival {
  bool has_arrived = true;
  std::optional<double> upload_s;
  std::optional<double> compute_s;
  std::optional<double> energy_j;
};
// A Gathering is what came of a round with devices elsewhere: one arrival for each that was
// invited.
struct Gathering {
  std::vector<Arrival> arrivals;
  double waited_s = 0;  // how long the server waited in any case; the round takes no less
};

// A Backend lets devices train, and brings their updates together.
class Backend {
 public:
  virtual ~Backend() = default;
  // Returns the parameters that a new run begins with, as many as the scenario's model has, or
  // nothing where it begins with those of the library (InitialParameters).
  virtual std::optional<std::vector<float>> Start() { return std::nullopt; }
  // Invites devices elsewhere to a round on these terms, with the times and the energy as planned,
  // and returns once it is known whose updates have come; those alone are then trained with.
  // Numbers that were measured must be finite and >= 0. Simulated devices need no invitation.
  virtual std::optional<Gathering> Gather(std::span<const ParticipationRecord> /*invited*/,
                                          const TrainingRound& /*round*/) {
    return std::nullopt;
  }
  // Computes `gradient`, the weighted sum of the updates as the server gets them: each a gradient
  // or, after local training, the difference of the parameters before and after, changed by the
  // round's steps. Returns the weighted sum of the losses; `losses`, unless empty, gets that of
  // each participant.
  virtual double Train(std::span<const Assignment> participants, const TrainingRound& round,
                       std::span<float> gradient, std::span<PartLoss> losses) = 0;
  virtual Evaluation Evaluate(std::span<const float> parameters) = 0;
  // Finds the losses of the current model on samples of these devices, `batch` of each, or all
  // where it is 0. They are other samples than Train would take.
  virtual void Losses(std::span<const std::uint32_t> devices, std::size_t batch,
                      const TrainingRound& round, std::span<double> losses) = 0;
  // Finds the norms of the devices' updates in this round, before they are compressed; where `bits`
  // are given, the norms are of what is left of each update after cutting it to so many, infinity
  // being all of it.
  virtual void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                           const TrainingRound& round, std::span<double> norms) = 0;
};
// Returns the norm of what is left of an update after cutting it to so many bits, infinity being
// all of it: what a backend answers UpdateNorms with.
double UpdateNorm(std::span<const float> update, double bits);
// Makes devices that are simulated here; the setting must outlive them. With a team, every member
// has such a backend of the same setting, and simulates the same run; they divide the devices.
std::unique_ptr<Backend> MakeSimulatedBackend(const Setting& setting, int threads = 1,
                                              Team* team = nullptr);

// An Observer is told after each round, in order.
class Observer {
 public:
  virtual ~Observer() = default;
  // Is told who took part in a round, in the order of the selection, right before AfterRound. There
  // is no such call for the start. The records are valid until it returns.
  virtual void TookPart(const Setting& /*setting*/, std::uint64_t /*round*/,
                        std::span<const ParticipationRecord> /*participations*/) {}
  // Returns false where the run is to stop here.
  virtual bool AfterRound(const Setting& setting, const RunState& state) = 0;
};

enum class RunEnd : std::uint8_t {
  kOver,        // the scenario's rounds are done, or its targets are reached and it stops there
  kStopped,     // an observer stopped it
  kNobodyAble,  // no device can ever take part: every probability is 0
};

// RunTimes say where the time of the program goes.
struct RunTimes {
  double gradient_s = 0;
  double evaluation_s = 0;
  double other_s = 0;
};

// Checks that a strategy can be run in such a scenario: unbiased aggregation needs to know the
// probabilities; `airtime` bounds the mean round, and needs the whole band for those who are drawn;
// and a strategy that cuts updates to fit can neither compress them nor send a second vector, and
// knows numbers of 32 bits.
Status CheckStrategy(const StrategyEntry& entry, const Scenario& scenario);

// Goes on from `state` until the run ends. The strategy's entry must have passed CheckStrategy.
RunEnd Simulate(const Setting& setting, Strategy& strategy, Backend& backend,
                std::span<Observer* const> observers, RunState& state, RunTimes* times = nullptr);

// Returns Jain's index of fairness, (sum x)^2 / (n sum x^2), which is 1 if all took part equally
// often, and none where nobody ever did. (57)
std::optional<double> JainIndex(std::span<const std::uint32_t> participations);

}  // namespace airlot

#endif  // AIRLOT_SIMULATION_H_
