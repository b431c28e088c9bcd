// Training over a fleet, round by round, with the books of time and energy.
#ifndef AIRLOT_SIMULATION_H_
#define AIRLOT_SIMULATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/fleet.h"
#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/selection.h"

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
  Values data_share;       // of all samples
  Values participation_s;  // time of taking part once
  Values participation_j;  // energy of taking part once, without what is spent in any case
  Values always_j;         // energy that is spent in each round in any case; empty: none
};

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
      0;  // mean of the participants' times, the slowest's being the round's
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
};
RunState StartOf(const Setting& setting);

// Devices train, and their updates come together.
struct Assignment {
  std::uint32_t device = 0;
  double weight = 0;  // of its update
};
class Backend {
 public:
  virtual ~Backend() = default;
  // gradient = the weighted sum of the updates, each a gradient or, after local training, the
  // difference of the parameters before and after. Returns the weighted sum of the losses.
  virtual double Train(std::uint64_t round, std::span<const float> parameters,
                       std::span<const Assignment> assignments, std::span<float> gradient) = 0;
  virtual Evaluation Evaluate(std::span<const float> parameters) = 0;
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

// Goes on from `state` until the run ends.
RunEnd Simulate(const Setting& setting, Strategy& strategy, Backend& backend,
                std::span<Observer* const> observers, RunState& state, RunTimes* times = nullptr);

// Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 if all took part equally often. (54)
double JainIndex(std::span<const std::uint32_t> participations);

}  // namespace airlot

#endif  // AIRLOT_SIMULATION_H_
