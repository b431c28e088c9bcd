// Training over a fleet, round by round, with the books of time and energy.
#ifndef AIRLOT_SIMULATION_H_
#define AIRLOT_SIMULATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
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
#include "airlot/training.h"

namespace airlot {

// All of a run that does not depend on the strategy: made once for a scenario and a seed.
struct Setting {
  Scenario scenario;
  std::uint64_t seed = 1;
  std::shared_ptr<const Dataset> dataset;
  Partition partition;
  Fleet fleet;
  Plan plan;
  // Of each device:
  Values data_share;             // of all samples
  Values participation_s;        // time of taking part once
  Values participation_j;        // energy of taking part once, without what is spent in any case
  Values always_j;               // energy that is spent in each round in any case; empty: none
  double model_bits = 0;         // of what the server sends to the devices
  double least_update_bits = 0;  // of an update that is cut to one number
  std::string digest;            // of the fleet, the plan and the data: another one for any other
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

// After a round; time and energy since the start. NaN: there is none.
struct RoundRecord {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  std::uint64_t participants = 0;
  double loss = 0;      // of the participants, before the round's step
  double accuracy = 0;  // on the test images
  double test_loss = 0;
  double mean_participation_s =
      0;                       // mean of the participants' times, the slowest's being the round's
  double empty_batteries = 0;  // devices that stayed out for want of charge; NaN: all have mains
};

// What a device keeps from one participation to the next; empty until the first.
struct DeviceMemory {
  std::vector<float> unsent;   // error feedback (70)
  std::vector<float> control;  // SCAFFOLD's control variate (82)
};

// How far a run has come: all that is needed to go on with it.
struct RunState {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  std::vector<float> parameters;
  std::vector<float> velocity;
  std::vector<std::uint32_t> participations;  // of each device
  std::vector<double> energy_spent_j;         // of each device
  std::vector<RoundRecord> records;           // of each round, and of the start
  std::vector<float> second_moment;           // of the server's rule
  std::uint64_t server_steps = 0;
  std::vector<float> control;               // the server's control variate; empty: none
  std::vector<double> strategy_memory;      // what the strategy has noted down
  std::vector<DeviceMemory> device_memory;  // of each device; empty: none has any
  std::string setting_digest;               // of the setting that the run began in
  // Of each device, in a fleet with batteries; else empty:
  std::vector<double> battery_j;                 // charge that is left
  std::vector<std::uint32_t> first_empty_round;  // that it stayed out of for want of it; 0: none
  // Of each device, the sum over the rounds so far; empty where every round has the same plan.
  std::vector<double> probability_sum;
};
RunState StartOf(const Setting& setting);

// Devices train, and their updates come together.
struct Assignment {
  std::uint32_t device = 0;
  double weight = 0;       // of its update
  double update_bits = 0;  // not 0: its update is cut to so many
};
class Backend {
 public:
  virtual ~Backend() = default;
  // gradient = the weighted sum of the updates, as the server gets them: each a gradient or, after
  // local training, the difference of the parameters before and after. Returns the weighted sum of
  // the losses; `losses`, unless empty, gets that of each. Of the state, only the devices' memories
  // and the control variates change.
  virtual double Train(std::span<const Assignment> assignments, RunState& state,
                       std::span<float> gradient, std::span<PartLoss> losses) = 0;
  virtual Evaluation Evaluate(std::span<const float> parameters) = 0;
  // Of the current model on samples of these devices; `batch` of each, or all where 0: not those
  // that Train would take.
  virtual void Losses(std::span<const std::uint32_t> devices, std::size_t batch,
                      const RunState& state, std::span<double> losses) = 0;
  // Of the devices' updates in this round, before they are compressed; where `bits` are given, of
  // what is left of each after cutting it to so many, infinity being all of it.
  virtual void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                           const RunState& state, std::span<double> norms) = 0;
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

// Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 if all took part equally often. (54)
double JainIndex(std::span<const std::uint32_t> participations);

}  // namespace airlot

#endif  // AIRLOT_SIMULATION_H_
