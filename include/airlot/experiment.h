// An experiment runs a comparison in parallel and sums up what came out.
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
#include "airlot/crew.h"
#include "airlot/kept_runs.h"
#include "airlot/result.h"
#include "airlot/run_directory.h"
#include "airlot/simulation.h"
#include "airlot/team.h"

namespace airlot {

// A RunResult is what is left of a run when it has ended.
struct RunResult {
  std::string strategy;
  std::uint64_t seed = 1;
  RunEnd end = RunEnd::kOver;
  std::vector<RoundRecord> records;
  std::size_t devices = 0;          // of the fleet
  std::optional<double> fairness;   // Jain's index of the participations; none: nobody took part
  std::optional<BudgetUse> budget;  // none: the budgets are not known
  Score score = Score::kAccuracy;   // what the accuracy of its records is
};

struct ExperimentOptions {
  int jobs = 1;     // number of runs at a time
  int threads = 1;  // of each run; results do not depend on them
  double checkpoint_every_s = 5;
  bool logs_participants = true;  // keep who took part in each round (docs/formats.md)
  // after_round is told of each round of each run, and before that of what the directory holds of
  // the run, from the run's thread. Where it returns false, all runs stop. Runs are numbered
  // strategy by strategy, seed by seed.
  std::function<bool(std::size_t run, const RunState& state)> after_round = {};
  // damaged is told, from the run's thread, of each run whose last checkpoint is damaged, so that
  // it goes on from another point.
  std::function<void(const KeptRun& run)> damaged = {};
  // unlogged is told, from the run's thread, of each run that goes on without the log of
  // participants that was asked for, because it began without one.
  std::function<void(const KeptRun& run)> unlogged = {};
  // make_backend makes the devices that train in a run; it is called from the run's thread.
  std::function<std::unique_ptr<Backend>(const Setting& setting)> make_backend = {};
  // The processes of a crew share the runs. Each calls RunExperiment, all but the first with a
  // directory that they have joined; the first gets the results. A run that fails in one process is
  // dealt to another.
  Crew* crew = nullptr;
  // The members of a team compute each run together, one run at a time. The first calls
  // RunExperiment and then EndFollowing, the others FollowExperiment.
  Team* team = nullptr;
};

// Runs what is not complete in `directory`, which was opened for `prepared`. Results are in the
// order of the runs, those that were stopped included. The error of one run ends all. An exception
// of a callback or a backend ends all, too, and is thrown again from here. However it ends, the
// manifest says so.
Result<std::vector<RunResult>> RunExperiment(const PreparedComparison& prepared,
                                             RunDirectory& directory,
                                             const ExperimentOptions& options = {});

// Takes part in the runs of the first member of options.team, until that calls EndFollowing.
// Nothing is written here.
void FollowExperiment(const PreparedComparison& prepared, const ExperimentOptions& options);
void EndFollowing(Team& team);

// Moments are the mean and the standard deviation (n - 1) over runs.
struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double sd = 0;  // 0 for a single run
};
Moments MomentsOf(std::span<const double> values);

// An EvaluatedRound is a test accuracy and the books of its round: what the run had cost until
// then.
struct EvaluatedRound {
  std::uint64_t round = 0;
  double time_s = 0;
  double energy_j = 0;
  double accuracy = 0;
};

// A RunOutcome is what is compared of a run.
struct RunOutcome {
  std::uint64_t seed = 1;
  std::vector<EvaluatedRound> evaluations;  // in the order of rounds
  double time_s = 0;                        // of the whole run, as the next two
  double energy_j = 0;
  std::uint64_t rounds = 0;
  double participants = 0;  // mean number of participants in a round
  std::optional<BudgetUse> budget;
};
// Returns the first evaluation at or above the target, or null.
const EvaluatedRound* FirstReached(const RunOutcome& run, double target);
// Returns the first evaluation from which on all are at or above the target, or null.
const EvaluatedRound* HeldFrom(const RunOutcome& run, double target);

// Arrivals say what it took runs to come to a target. The moments are over all runs: one that did
// not come there counts with the whole of it, so that the mean is restricted to what was run, and a
// lower bound. (docs/verdicts.md, (V1))
struct Arrivals {
  std::size_t reached = 0;  // number of the runs that came there
  Moments time_s;
  Moments energy_j;
  Moments rounds;
};
struct TargetSummary {
  double target = 0;  // a test accuracy
  Arrivals first;     // the first evaluation at or above the target
  Arrivals held;      // the first from which on all are
};
// A BudgetSummary says how far the devices of some runs went beyond their budgets.
struct BudgetSummary {
  std::size_t devices = 0;  // of the largest fleet
  Moments devices_over;     // number of devices in a run
  double worst_ratio = 0;   // of any device in any run
  Moments excess_j;         // energy beyond the budgets in a run
  // Says whether no device of any run was over its budget.
  bool is_kept() const { return devices_over.mean == 0; }
};
struct StrategySummary {
  std::string strategy;
  std::size_t runs = 0;
  std::vector<RunOutcome> outcomes;  // one for each run
  std::vector<TargetSummary> targets;
  Moments final_accuracy;
  Moments participants;  // number of participants in a round
  Moments fairness;      // Jain's index of the participations
  Moments time_s;        // time of the whole run
  Moments energy_j;
  std::optional<BudgetSummary> budget;  // none: the budgets of some run are not known
  Score score = Score::kAccuracy;       // what targets and accuracies are
};
// Returns one summary for each strategy, in the order in which the strategies first occur.
std::vector<StrategySummary> SummarizeRuns(std::span<const RunResult> runs,
                                           std::span<const double> targets);
// Sums up the runs of a directory that are complete.
std::vector<StrategySummary> SummarizeComplete(const KeptRuns& kept);

}  // namespace airlot

#endif  // AIRLOT_EXPERIMENT_H_
