// Runs a comparison in parallel and sums up what came out.
#ifndef AIRLOT_EXPERIMENT_H_
#define AIRLOT_EXPERIMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/comparison.h"
#include "airlot/kept_runs.h"
#include "airlot/result.h"
#include "airlot/run_directory.h"
#include "airlot/simulation.h"

namespace airlot {

// One run: what is left when it has ended.
struct RunResult {
  std::string strategy;
  std::uint64_t seed = 1;
  RunEnd end = RunEnd::kRoundsDone;
  std::vector<RoundRecord> records;
  std::size_t devices = 0;         // of the fleet
  std::optional<double> fairness;  // Jain's index of the participations; none: nobody took part
};

struct ExperimentOptions {
  int jobs = 1;  // runs at a time, one thread each
  double checkpoint_every_s = 5;
  // Told of each round of each run, and before of what the directory holds of it, from the run's
  // thread; false: stop all runs here. Runs are numbered strategy by strategy, seed by seed.
  std::function<bool(std::size_t run, const RunState& state)> after_round = {};
  // Told of each run that goes on from another point than its last checkpoint, because that is
  // damaged; from the run's thread.
  std::function<void(const KeptRun& run)> damaged = {};
  // Makes the devices that train in a run; called from the run's thread.
  std::function<std::unique_ptr<Backend>(const Setting& setting)> make_backend = {};
};

// Runs what is not complete in `directory`, which was opened for `prepared`. Results are in the
// order of the runs, those that were stopped included. The error of one run ends all. An exception
// of a callback or a backend ends all, too, and is thrown again from here. However it ends, the
// manifest says so.
Result<std::vector<RunResult>> RunExperiment(const PreparedComparison& prepared,
                                             RunDirectory& directory,
                                             const ExperimentOptions& options = {});

// Mean and standard deviation (n - 1) over runs.
struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double sd = 0;  // 0 for a single one
};
Moments MomentsOf(std::span<const double> values);

// When a run first reached a test accuracy, in the books of the round that was evaluated.
struct TargetSummary {
  double target = 0;
  Moments time_s;  // over the runs that reached it
  Moments energy_j;
  Moments rounds;
};
struct StrategySummary {
  std::string strategy;
  std::size_t runs = 0;
  std::vector<TargetSummary> targets;
  Moments final_accuracy;
  Moments participants;  // of a round
  Moments fairness;      // Jain's index of the participations
  Moments time_s;        // of the whole run
  Moments energy_j;
};
// One for each strategy, in the order in which they first occur.
std::vector<StrategySummary> SummarizeRuns(std::span<const RunResult> runs,
                                           std::span<const double> targets);

}  // namespace airlot

#endif  // AIRLOT_EXPERIMENT_H_
