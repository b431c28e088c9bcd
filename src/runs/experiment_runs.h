// ExperimentRuns are the runs of a comparison, to be run one at a time from any thread.
#ifndef AIRLOT_RUNS_EXPERIMENT_RUNS_H_
#define AIRLOT_RUNS_EXPERIMENT_RUNS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "airlot/experiment.h"

namespace airlot::runs {

class ExperimentRuns {
 public:
  // All three must outlive the runs.
  ExperimentRuns(const PreparedComparison& prepared, RunDirectory& directory,
                 const ExperimentOptions& options);
  ~ExperimentRuns();

  std::size_t size() const;
  // Runs what is not complete of a run. The order of tasks is seed by seed, so that what is
  // compared ends at about the same time. Once a run fails or is stopped, further ones do nothing.
  void Run(std::size_t task);
  // These are for a crew (airlot/crew.h).
  // Runs what is not complete of a run; its error, or what its exception says, ends no others.
  Status Perform(std::size_t task);
  // Takes in the files of a run that another process has completed.
  Status TakeIn(std::size_t task);
  // Tells how far a run of another process is.
  void Told(std::size_t task, const RunState& state);
  // Ends all, with this error, or stops all.
  void Fail(const Error& error);
  void Stop();

  // Says whether a run has failed or was stopped.
  bool has_stopped() const;
  // Writes into the manifest how all ended, and returns the results in the order of the runs, or
  // the first error. An exception of a run is thrown again from here.
  Result<std::vector<RunResult>> Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Ends all members of a team for the exception that is being handled.
[[noreturn]] void AbortWith(Team& team);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_EXPERIMENT_RUNS_H_
