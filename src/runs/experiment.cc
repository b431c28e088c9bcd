#include "airlot/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/shards.h"
#include "runs/nobody_able.h"

namespace airlot {
namespace {

using Clock = std::chrono::steady_clock;

// Keeper saves a checkpoint now and then, and when the run is to stop.
class Keeper : public Observer {
 public:
  Keeper(const RunDirectory& directory, std::string strategy, std::size_t run,
         const ExperimentOptions& options, const std::atomic<bool>& stops)
      : directory_(directory),
        strategy_(std::move(strategy)),
        run_(run),
        options_(options),
        stops_(stops) {}

  bool AfterRound(const Setting& setting, const RunState& state) override {
    const bool goes_on =
        (!options_.after_round || options_.after_round(run_, state)) && !stops_.load();
    const std::chrono::duration<double> since = Clock::now() - saved_;
    if (goes_on && since.count() < options_.checkpoint_every_s) return true;
    status_ = Save(setting, state);
    saved_ = Clock::now();
    return goes_on && status_;
  }

  const Status& status() const { return status_; }

 private:
  Status Save(const Setting& setting, const RunState& state) {
    if (!has_begun_) {
      if (auto status = directory_.Begin(strategy_, setting); !status) return status;
      has_begun_ = true;
    }
    return directory_.SaveCheckpoint(strategy_, setting.seed, state);
  }

  const RunDirectory& directory_;
  std::string strategy_;
  std::size_t run_;
  const ExperimentOptions& options_;
  const std::atomic<bool>& stops_;
  Clock::time_point saved_ = Clock::now();
  bool has_begun_ = false;
  Status status_;
};

// Returns the end of a complete run, as far as its files tell it.
RunState EndOf(const KeptRun& run) {
  RunState state;
  const RoundRecord& last = run.records.back();
  state.round = last.round;
  state.time_s = last.time_s;
  state.energy_j = last.energy_j;
  state.participations = run.devices->participations;
  state.energy_spent_j = run.devices->energy_spent_j;
  state.records = run.records;
  return state;
}

class Experiment {
 public:
  Experiment(const PreparedComparison& prepared, const RunDirectory& directory,
             const ExperimentOptions& options)
      : prepared_(prepared), directory_(directory), options_(options) {
    for (const std::string& strategy : prepared.comparison.strategies) {
      for (const std::uint64_t seed : prepared.comparison.seeds) {
        results_.push_back({.strategy = strategy, .seed = seed, .end = RunEnd::kStopped});
      }
    }
  }

  // The runs go seed by seed, so that what is compared ends at about the same time.
  Status Go() {
    const std::size_t strategies = prepared_.comparison.strategies.size();
    const std::size_t seeds = prepared_.comparison.seeds.size();
    base::ForEachTask(results_.size(), options_.jobs, [&](std::size_t task, std::size_t) {
      if (!stops_) RunGuarded(task % strategies * seeds + task / strategies);
    });
    if (thrown_) std::rethrow_exception(thrown_);
    return status_;
  }

  bool was_stopped() const { return stops_; }
  std::vector<RunResult> TakeResults() { return std::move(results_); }

 private:
  // A thread must not end by an exception: the program would end with it.
  void RunGuarded(std::size_t run) {
    try {
      if (auto status = RunOne(run); !status) Fail(status.error());
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      stops_ = true;
    }
  }

  Status RunOne(std::size_t run) {
    RunResult& result = results_[run];
    auto found = directory_.Find(result.strategy, result.seed);
    if (!found) return found.error();
    if (!found->kept.damaged.empty() && options_.damaged) options_.damaged(found->kept);
    if (found->kept.stage == RunStage::kComplete) {
      RunState end = EndOf(found->kept);
      Tell(run, end);
      Keep(SettingOf(run), std::move(end), RunEnd::kRoundsDone, result);
      return {};
    }
    if (found->checkpoint) Tell(run, *found->checkpoint);
    return GoOn(run, std::move(found->checkpoint));
  }

  Status GoOn(std::size_t run, std::optional<RunState> checkpoint) {
    RunResult& result = results_[run];
    const Setting& setting = SettingOf(run);
    const auto strategy = MakeStrategy(result.strategy, setting.scenario.strategy);
    const bool goes_on = checkpoint.has_value();
    RunState state = goes_on ? std::move(*checkpoint) : StartOf(setting);
    if (goes_on) {
      if (auto status = Restore(setting, *strategy, state); !status) {
        return Error{
            fmt::format("{}, seed {}: {}", result.strategy, result.seed, status.error().message)};
      }
    }
    const auto backend =
        options_.make_backend ? options_.make_backend(setting) : MakeSimulatedBackend(setting);
    Keeper keeper(directory_, result.strategy, run, options_, stops_);
    Observer* const observers[] = {&keeper};
    const RunEnd end = Simulate(setting, *strategy, *backend, observers, state);
    if (!keeper.status()) return keeper.status();
    if (end == RunEnd::kNobodyAble) return runs::NobodyAble(setting);
    if (end == RunEnd::kStopped) {
      stops_ = true;
    } else if (auto status = directory_.Complete(result.strategy, setting, state); !status) {
      return status;
    }
    Keep(setting, std::move(state), end, result);
    return {};
  }

  const Setting& SettingOf(std::size_t run) const {
    return *prepared_.settings[run % prepared_.comparison.seeds.size()];
  }

  void Tell(std::size_t run, const RunState& state) {
    if (options_.after_round && !options_.after_round(run, state)) stops_ = true;
  }

  static void Keep(const Setting& setting, RunState state, RunEnd end, RunResult& result) {
    result.end = end;
    result.budget = BudgetUseOf(state.energy_spent_j, setting.fleet.energy_budget_j, state.round);
    result.records = std::move(state.records);
    result.devices = state.participations.size();
    result.fairness = JainIndex(state.participations);
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (status_) status_ = error;
    stops_ = true;
  }

  const PreparedComparison& prepared_;
  const RunDirectory& directory_;
  const ExperimentOptions& options_;
  std::vector<RunResult> results_;
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;
  Status status_;
  std::exception_ptr thrown_;
};

}  // namespace

Result<std::vector<RunResult>> RunExperiment(const PreparedComparison& prepared,
                                             RunDirectory& directory,
                                             const ExperimentOptions& options) {
  AIRLOT_CHECK(prepared.settings.size() == prepared.comparison.seeds.size(), "{} settings",
               prepared.settings.size());
  Experiment experiment(prepared, directory, options);
  Status status;
  try {
    status = experiment.Go();
  } catch (...) {
    static_cast<void>(directory.SetStatus(RunStatus::kFailed));  // The exception matters more.
    throw;
  }
  const RunStatus end = !status                    ? RunStatus::kFailed
                        : experiment.was_stopped() ? RunStatus::kInterrupted
                                                   : RunStatus::kComplete;
  const Status written = directory.SetStatus(end);
  if (!status) return status.error();
  if (!written) return written.error();
  return experiment.TakeResults();
}

}  // namespace airlot
