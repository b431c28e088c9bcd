// Strategies times seeds of one scenario: runs them in parallel and sums up what came out.
#ifndef AIRLOT_EXPERIMENT_H_
#define AIRLOT_EXPERIMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "airlot/dataset.h"
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
  std::vector<std::uint32_t> participations;
};

struct ExperimentOptions {
  int jobs = 1;  // runs at a time, one thread each
  double checkpoint_every_s = 5;
  // Told of each round of each run, and before of what the directory holds of it, from the run's
  // thread; false: stop all runs here. Runs are numbered strategy by strategy, seed by seed.
  std::function<bool(std::size_t run, const RunState& state)> after_round = {};
  // Told what is not as it should be, but no error.
  std::function<void(const std::string& note)> note = {};
};

// Whether the first seed can be run at all: its fleet and data fit together, and somebody is able
// to take part.
Status CheckRunnable(const Comparison& comparison, const std::shared_ptr<const Dataset>& dataset);

// Runs what is not complete in `directory`. Strategies and seeds must be distinct. Results are in
// the order of the runs, those that were stopped included. The error of one run ends all.
Result<std::vector<RunResult>> RunExperiment(const Comparison& comparison,
                                             const RunDirectory& directory,
                                             std::shared_ptr<const Dataset> dataset,
                                             const ExperimentOptions& options);

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
std::vector<StrategySummary> Summarize(std::span<const RunResult> runs,
                                       std::span<const double> targets);

}  // namespace airlot

#endif  // AIRLOT_EXPERIMENT_H_
