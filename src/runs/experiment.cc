#include "airlot/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "airlot/bytes.h"
#include "base/check.h"
#include "base/shards.h"
#include "runs/checkpoint.h"
#include "runs/experiment_runs.h"
#include "runs/nobody_able.h"
#include "runs/participant_log.h"

namespace airlot {
namespace {

using Clock = std::chrono::steady_clock;

// Keeper saves a checkpoint now and then, and when the run is to stop. Where there is a log, it
// writes down who takes part.
class Keeper : public Observer {
 public:
  Keeper(const RunDirectory& directory, std::string strategy, std::size_t run,
         const ExperimentOptions& options, const std::atomic<bool>& stops,
         std::optional<runs::ParticipantLog> log)
      : directory_(directory),
        strategy_(std::move(strategy)),
        run_(run),
        options_(options),
        stops_(stops),
        log_(std::move(log)) {}

  void TookPart(const Setting& setting, std::uint64_t round,
                std::span<const ParticipationRecord> participations) override {
    if (!log_) return;
    log_->Add(setting, round, participations);
    if (log_->IsLarge()) status_ = SaveLog(setting);
  }

  // The other members of a team go on as the first one does.
  bool AfterRound(const Setting& setting, const RunState& state) override {
    const bool goes_on = Decide(setting, state);
    if (options_.team != nullptr) {
      std::string word = goes_on ? "goes on" : "";
      options_.team->Broadcast(word);
    }
    return goes_on;
  }

  // Writes the files of the run, which is at its end.
  Status Complete(const Setting& setting, const RunState& state) {
    if (log_) {
      if (auto status = directory_.MakeFolderOf(strategy_, setting.seed); !status) return status;
      if (auto status = log_->Complete(); !status) return status;
    }
    return directory_.Complete(strategy_, setting, state);
  }

  const Status& status() const { return status_; }

 private:
  bool Decide(const Setting& setting, const RunState& state) {
    const bool goes_on =
        (!options_.after_round || options_.after_round(run_, state)) && !stops_.load();
    if (!status_) return false;
    const std::chrono::duration<double> since = Clock::now() - saved_;
    if (goes_on && since.count() < options_.checkpoint_every_s) return true;
    status_ = Save(setting, state);
    saved_ = Clock::now();
    return goes_on && status_;
  }

  Status Begin(const Setting& setting) {
    if (has_begun_) return {};
    if (auto status = directory_.Begin(strategy_, setting); !status) return status;
    has_begun_ = true;
    return {};
  }

  Status SaveLog(const Setting& setting) {
    if (auto status = Begin(setting); !status) return status;
    return log_->Save();
  }

  // The log comes first: what it has beyond the checkpoint can be cut off, and what it lacks would
  // be missing.
  Status Save(const Setting& setting, const RunState& state) {
    if (auto status = Begin(setting); !status) return status;
    if (log_) {
      if (auto status = log_->Save(); !status) return status;
    }
    return directory_.SaveCheckpoint(strategy_, setting.seed, state);
  }

  const RunDirectory& directory_;
  std::string strategy_;
  std::size_t run_;
  const ExperimentOptions& options_;
  const std::atomic<bool>& stops_;
  std::optional<runs::ParticipantLog> log_;
  Clock::time_point saved_ = Clock::now();
  bool has_begun_ = false;
  Status status_;
};

// A Follower does as the first member of the team says.
class Follower : public Observer {
 public:
  explicit Follower(Team& team) : team_(team) {}
  bool AfterRound(const Setting&, const RunState&) override {
    std::string word;
    team_.Broadcast(word);
    return !word.empty();
  }

 private:
  Team& team_;
};

// Returns what the other members of a team need to know of a run: its number, and the checkpoint
// that it goes on from, if it does.
std::string ForFollowers(std::size_t run, const std::optional<RunState>& checkpoint,
                         const std::string& fingerprint) {
  ByteWriter writer;
  writer.Put(std::uint64_t{run});
  std::string bytes = std::move(writer).bytes();
  if (checkpoint) bytes += runs::EncodeCheckpoint(*checkpoint, fingerprint);
  return bytes;
}

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

}  // namespace

class runs::ExperimentRuns::Impl {
 public:
  Impl(const PreparedComparison& prepared, RunDirectory& directory,
       const ExperimentOptions& options)
      : prepared_(prepared), directory_(directory), options_(options) {
    for (const std::string& strategy : prepared.comparison.strategies) {
      for (const std::uint64_t seed : prepared.comparison.seeds) {
        results_.push_back({.strategy = strategy, .seed = seed, .end = RunEnd::kStopped});
      }
    }
  }

  std::size_t size() const { return results_.size(); }

  void RunTask(std::size_t task) {
    if (!stops_) RunGuarded(RunOf(task));
  }

  bool has_stopped() const { return stops_; }
  void Stop() { stops_ = true; }

  Status Perform(std::size_t task) {
    try {
      return RunOne(RunOf(task));
    } catch (const std::bad_alloc&) {
      return Error{"out of memory"};
    } catch (const std::exception& error) {
      return Error{error.what()};
    }
  }

  Status TakeIn(std::size_t task) {
    const std::size_t run = RunOf(task);
    RunResult& result = results_[run];
    const auto found = directory_.Find(result.strategy, result.seed);
    if (!found) return found.error();
    if (found->kept.stage != RunStage::kComplete) {
      return Error{directory_.FolderOf(result.strategy, result.seed) +
                   ": is not complete here, although another process has completed it: give a "
                   "folder that all share"};
    }
    return TakeComplete(run, found->kept);
  }

  void Told(std::size_t task, const RunState& state) { Tell(RunOf(task), state); }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (status_) status_ = error;
    stops_ = true;
  }

  Result<std::vector<RunResult>> Finish() {
    if (thrown_) {
      static_cast<void>(directory_.SetStatus(RunStatus::kFailed));  // The exception matters more.
      std::rethrow_exception(thrown_);
    }
    const RunStatus end = !status_ ? RunStatus::kFailed
                          : stops_ ? RunStatus::kInterrupted
                                   : RunStatus::kComplete;
    const Status written = directory_.SetStatus(end);
    if (!status_) return status_.error();
    if (!written) return written.error();
    return std::move(results_);
  }

 private:
  std::size_t RunOf(std::size_t task) const {
    const std::size_t strategies = prepared_.comparison.strategies.size();
    return task % strategies * prepared_.comparison.seeds.size() + task / strategies;
  }

  // A thread must not end by an exception: the program would end with it. The other members of a
  // team would wait for ever.
  void RunGuarded(std::size_t run) {
    try {
      if (auto status = RunOne(run); !status) Fail(status.error());
    } catch (...) {
      if (options_.team != nullptr) runs::AbortWith(*options_.team);
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
    if (found->kept.stage == RunStage::kComplete) return TakeComplete(run, found->kept);
    if (found->checkpoint) Tell(run, *found->checkpoint);
    auto log = LogOf(found->kept);
    if (!log) return log.error();
    return GoOn(run, std::move(found->checkpoint), std::move(*log));
  }

  Status TakeComplete(std::size_t run, const KeptRun& kept) {
    RunState end = EndOf(kept);
    Tell(run, end);
    Keep(SettingOf(run), std::move(end), RunEnd::kOver, results_[run]);
    return directory_.TidyUp(kept.strategy, kept.seed);
  }

  // Returns the log of a run that begins or goes on, or none where it is to have none or began
  // without one. Then what there may be of a log goes, since rounds would be missing in it.
  Result<std::optional<runs::ParticipantLog>> LogOf(const KeptRun& kept) const {
    const std::string folder = directory_.FolderOf(kept.strategy, kept.seed);
    std::optional<runs::ParticipantLog> log;
    if (options_.logs_participants) {
      log.emplace(folder);
      std::uint64_t participations = 0;
      for (const RoundRecord& record : kept.records) participations += record.participants;
      const auto goes_on = log->GoOn(participations);
      if (!goes_on) return goes_on.error();
      if (*goes_on) return log;
      if (options_.unlogged) options_.unlogged(kept);
      log.reset();
    }
    runs::RemoveParticipantLog(folder);
    return log;
  }

  Status GoOn(std::size_t run, std::optional<RunState> checkpoint,
              std::optional<runs::ParticipantLog> log) {
    RunResult& result = results_[run];
    const Setting& setting = SettingOf(run);
    const auto strategy = MakeStrategy(result.strategy, setting.scenario.strategy);
    const bool goes_on = checkpoint.has_value();
    std::string told;
    if (options_.team != nullptr) {
      told = ForFollowers(run, checkpoint,
                          runs::Fingerprint(setting.scenario, result.strategy, result.seed));
    }
    RunState state = goes_on ? std::move(*checkpoint) : StartOf(setting);
    if (goes_on) {
      if (auto status = Restore(setting, *strategy, state); !status) {
        return Error{
            fmt::format("{}, seed {}: {}", result.strategy, result.seed, status.error().message)};
      }
    }
    const auto backend = BackendOf(setting);
    if (!backend) return backend.error();
    if (!goes_on) {
      if (auto status = Begin(**backend, state); !status) return status;
    }
    Keeper keeper(directory_, result.strategy, run, options_, stops_, std::move(log));
    Observer* const observers[] = {&keeper};
    if (options_.team != nullptr) options_.team->Broadcast(told);
    const RunEnd end = Simulate(setting, *strategy, **backend, observers, state);
    if (!keeper.status()) return keeper.status();
    if (end == RunEnd::kNobodyAble) return runs::NobodyAble(setting);
    if (end == RunEnd::kStopped) {
      stops_ = true;
    } else if (auto status = keeper.Complete(setting, state); !status) {
      return status;
    }
    Keep(setting, std::move(state), end, result);
    return {};
  }

  Result<std::unique_ptr<Backend>> BackendOf(const Setting& setting) const {
    if (options_.make_backend) return options_.make_backend(setting);
    if (IsExternal(ModelOf(setting.scenario.model))) {
      return Error{
          "model.layers[1] (external): such a model is trained by a backend of your own, and there "
          "is none (docs/python.md, docs/extending.md)"};
    }
    return MakeSimulatedBackend(setting, options_.threads, options_.team);
  }

  // Lets the backend say with which parameters a run begins.
  static Status Begin(Backend& backend, RunState& state) {
    auto start = backend.Start();
    if (!start) return {};
    if (auto status = CheckSize(state.parameters.size(), start->size(), "the backend's start");
        !status) {
      return status;
    }
    state.parameters = std::move(*start);
    return {};
  }

  const Setting& SettingOf(std::size_t run) const {
    return *prepared_.settings[run % prepared_.comparison.seeds.size()];
  }

  void Tell(std::size_t run, const RunState& state) {
    if (options_.after_round && !options_.after_round(run, state)) Stop();
  }

  static void Keep(const Setting& setting, RunState state, RunEnd end, RunResult& result) {
    result.end = end;
    result.budget = BudgetUseOf(state.energy_spent_j, setting.fleet.energy_budget_j, state.round);
    result.records = std::move(state.records);
    result.devices = state.participations.size();
    result.fairness = JainIndex(state.participations);
    result.score = ScoreOf(*setting.dataset);
  }

  const PreparedComparison& prepared_;
  RunDirectory& directory_;
  const ExperimentOptions& options_;
  std::vector<RunResult> results_;
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;
  Status status_;
  std::exception_ptr thrown_;
};

runs::ExperimentRuns::ExperimentRuns(const PreparedComparison& prepared, RunDirectory& directory,
                                     const ExperimentOptions& options)
    : impl_(std::make_unique<Impl>(prepared, directory, options)) {
  AIRLOT_CHECK(prepared.settings.size() == prepared.comparison.seeds.size(), "{} settings",
               prepared.settings.size());
}

runs::ExperimentRuns::~ExperimentRuns() = default;

std::size_t runs::ExperimentRuns::size() const { return impl_->size(); }
void runs::ExperimentRuns::Run(std::size_t task) { impl_->RunTask(task); }
Status runs::ExperimentRuns::Perform(std::size_t task) { return impl_->Perform(task); }
Status runs::ExperimentRuns::TakeIn(std::size_t task) { return impl_->TakeIn(task); }
void runs::ExperimentRuns::Told(std::size_t task, const RunState& state) {
  impl_->Told(task, state);
}
void runs::ExperimentRuns::Fail(const Error& error) { impl_->Fail(error); }
void runs::ExperimentRuns::Stop() { impl_->Stop(); }
bool runs::ExperimentRuns::has_stopped() const { return impl_->has_stopped(); }
Result<std::vector<RunResult>> runs::ExperimentRuns::Finish() { return impl_->Finish(); }

namespace {

// What another process than the first is told of a run goes to the first.
ExperimentOptions OptionsInCrew(const PreparedComparison& prepared,
                                const ExperimentOptions& options) {
  ExperimentOptions own = options;
  if (options.crew->is_first()) return own;
  own.after_round = [&](std::size_t run, const RunState& state) {
    const std::size_t seeds = prepared.comparison.seeds.size();
    options.crew->Tell(run % seeds * prepared.comparison.strategies.size() + run / seeds, state);
    return !options.after_round || options.after_round(run, state);
  };
  return own;
}

Result<std::vector<RunResult>> RunByCrew(const PreparedComparison& prepared,
                                         RunDirectory& directory,
                                         const ExperimentOptions& options) {
  const ExperimentOptions own = OptionsInCrew(prepared, options);
  runs::ExperimentRuns experiment(prepared, directory, own);
  options.crew->Perform(
      {.tasks = experiment.size(),
       .jobs = options.jobs,
       .perform = [&](std::size_t task) { return experiment.Perform(task); },
       .has_stopped = [&] { return experiment.has_stopped(); },
       .stop = [&] { experiment.Stop(); },
       .open = [](std::size_t) { return true; },
       .take_in = [&](std::size_t task) { return experiment.TakeIn(task); },
       .ended =
           [&](std::size_t, const Status& status) {
             if (!status) experiment.Fail(status.error());
           },
       .told = [&](std::size_t task, const RunState& state) { experiment.Told(task, state); }});
  return experiment.Finish();
}

}  // namespace

Result<std::vector<RunResult>> RunExperiment(const PreparedComparison& prepared,
                                             RunDirectory& directory,
                                             const ExperimentOptions& options) {
  if (options.crew != nullptr) return RunByCrew(prepared, directory, options);
  runs::ExperimentRuns experiment(prepared, directory, options);
  base::ForEachTask(experiment.size(), options.team == nullptr ? options.jobs : 1,
                    [&](std::size_t task, std::size_t) { experiment.Run(task); });
  return experiment.Finish();
}

// --- Several processes ---------------------------------------------------------------------------

void runs::AbortWith(Team& team) {
  std::string why = "an exception";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
  }
  team.Abort(why);
  std::abort();  // g++ takes no virtual function for one that does not return.
}

namespace {

// Simulates a run that the first member has told of (ForFollowers).
Status Follow(const PreparedComparison& prepared, const ExperimentOptions& options,
              std::string_view told) {
  ByteReader reader(told.substr(0, sizeof(std::uint64_t)));
  std::uint64_t run = 0;
  reader.Take(run);
  const std::string_view checkpoint = told.substr(sizeof(std::uint64_t));
  const std::size_t seeds = prepared.comparison.seeds.size();
  const std::string& name = prepared.comparison.strategies.at(run / seeds);
  const Setting& setting = *prepared.settings.at(run % seeds);
  const auto strategy = MakeStrategy(name, setting.scenario.strategy);
  RunState state;
  if (checkpoint.empty()) {
    state = StartOf(setting);
  } else {
    auto decoded =
        runs::DecodeCheckpoint(checkpoint, runs::Fingerprint(setting.scenario, name, setting.seed));
    if (!decoded) return decoded.error();
    state = std::move(*decoded);
    if (auto status = Restore(setting, *strategy, state); !status) return status;
  }
  const auto backend = MakeSimulatedBackend(setting, options.threads, options.team);
  Follower follower(*options.team);
  Observer* const observers[] = {&follower};
  Simulate(setting, *strategy, *backend, observers, state);
  return {};
}

}  // namespace

void FollowExperiment(const PreparedComparison& prepared, const ExperimentOptions& options) {
  try {
    for (;;) {
      std::string told;
      options.team->Broadcast(told);
      if (told.empty()) return;
      if (const auto status = Follow(prepared, options, told); !status) {
        options.team->Abort(status.error().message);
      }
    }
  } catch (...) {
    runs::AbortWith(*options.team);
  }
}

void EndFollowing(Team& team) {
  std::string nothing;
  team.Broadcast(nothing);
}

}  // namespace airlot
