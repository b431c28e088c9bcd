#include "airlot/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/shards.h"

namespace airlot {
namespace {

using Clock = std::chrono::steady_clock;

Error NobodyAble(const Scenario& scenario, std::uint64_t seed) {
  if (scenario.round.time_weight > 0) {
    return {fmt::format(
        "{}, seed {}: no device can ever take part, because none is worth its time, or none has "
        "the energy or the time for it: lower round.time_weight = {}, or raise "
        "fleet.energy_budget_j or round.time_limit_s",
        scenario.name, seed, scenario.round.time_weight)};
  }
  return {
      fmt::format("{}, seed {}: no device can ever take part, because none has the energy or the "
                  "time for it: raise fleet.energy_budget_j or round.time_limit_s",
                  scenario.name, seed)};
}

Status CheckStrategies(const Comparison& comparison) {
  for (const std::string& strategy : comparison.strategies) {
    const StrategyEntry* entry = FindStrategy(strategy);
    AIRLOT_CHECK(entry != nullptr, "strategy {}", strategy);
    if (auto status = CheckStrategy(*entry, comparison.scenario.learning); !status) return status;
  }
  return {};
}

template <class T>
bool AreDistinct(std::vector<T> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

// Settings by seed: made by the first run that needs one, shared by all strategies, and dropped
// when the last run of the seed has ended.
class Settings {
 public:
  Settings(const Comparison& comparison, std::shared_ptr<const Dataset> dataset)
      : comparison_(comparison), dataset_(std::move(dataset)) {}

  Result<std::shared_ptr<const Setting>> Get(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    if (auto made = made_[seed].lock()) return made;
    auto setting = Prepare(comparison_.scenario, seed, dataset_);
    if (!setting) return setting.error();
    auto shared = std::make_shared<const Setting>(std::move(*setting));
    made_[seed] = shared;
    return std::shared_ptr<const Setting>(shared);
  }

 private:
  const Comparison& comparison_;
  std::shared_ptr<const Dataset> dataset_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<const Setting>> made_;
};

// Saves a checkpoint now and then, and when the run is to stop.
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
    status_ = directory_.SaveCheckpoint(strategy_, setting.seed, state);
    saved_ = Clock::now();
    return goes_on && status_;
  }

  const Status& status() const { return status_; }

 private:
  const RunDirectory& directory_;
  std::string strategy_;
  std::size_t run_;
  const ExperimentOptions& options_;
  const std::atomic<bool>& stops_;
  Clock::time_point saved_ = Clock::now();
  Status status_;
};

class Experiment {
 public:
  Experiment(const Comparison& comparison, const RunDirectory& directory,
             std::shared_ptr<const Dataset> dataset, const ExperimentOptions& options)
      : directory_(directory), options_(options), settings_(comparison, std::move(dataset)) {
    for (const std::string& strategy : comparison.strategies) {
      for (const std::uint64_t seed : comparison.seeds) {
        results_.push_back({.strategy = strategy, .seed = seed});
      }
    }
    strategy_options_ = comparison.scenario.strategy;
  }

  // Seed by seed, so that strategies share a setting while it is there.
  Result<std::vector<RunResult>> Go() {
    std::vector<std::size_t> order(results_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return results_[i].seed; });
    base::ForEachTask(order.size(), options_.jobs, [&](std::size_t task, std::size_t) {
      if (stops_) return;
      if (auto status = RunOne(order[task]); !status) Fail(status.error());
    });
    if (!status_) return status_.error();
    return std::move(results_);
  }

 private:
  Status RunOne(std::size_t run) {
    RunResult& result = results_[run];
    auto found = directory_.Find(result.strategy, result.seed);
    if (!found) return found.error();
    if (!found->note.empty() && options_.note) options_.note(found->note);
    if (found->state && options_.after_round && !options_.after_round(run, *found->state)) {
      stops_ = true;
    }
    if (found->is_complete) {
      Keep(std::move(*found->state), RunEnd::kRoundsDone, result);
      return {};
    }
    const auto setting = settings_.Get(result.seed);
    if (!setting) return setting.error();
    const auto strategy = MakeStrategy(result.strategy, strategy_options_);
    const bool goes_on = found->state.has_value();
    RunState state = goes_on ? std::move(*found->state) : StartOf(**setting);
    if (goes_on) {
      if (auto status = Restore(**setting, *strategy, state); !status) return status;
    }
    const auto backend = MakeSimulatedBackend(**setting);
    Keeper keeper(directory_, result.strategy, run, options_, stops_);
    Observer* const observers[] = {&keeper};
    const RunEnd end = Simulate(**setting, *strategy, *backend, observers, state);
    if (!keeper.status()) return keeper.status();
    if (end == RunEnd::kNobodyAble) return NobodyAble((*setting)->scenario, result.seed);
    if (end == RunEnd::kStopped) {
      stops_ = true;
    } else if (auto status = directory_.Complete(result.strategy, **setting, state); !status) {
      return status;
    }
    Keep(std::move(state), end, result);
    return {};
  }

  static void Keep(RunState state, RunEnd end, RunResult& result) {
    result.end = end;
    result.records = std::move(state.records);
    result.participations = std::move(state.participations);
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (status_) status_ = error;
    stops_ = true;
  }

  const RunDirectory& directory_;
  const ExperimentOptions& options_;
  Settings settings_;
  StrategyOptions strategy_options_;
  std::vector<RunResult> results_;
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;
  Status status_;
};

}  // namespace

Status CheckRunnable(const Comparison& comparison, const std::shared_ptr<const Dataset>& dataset) {
  if (auto status = CheckStrategies(comparison); !status) return status;
  const auto setting = Prepare(comparison.scenario, comparison.seeds.front(), dataset);
  if (!setting) return setting.error();
  if (!MayTakePart(*setting)) return NobodyAble(comparison.scenario, comparison.seeds.front());
  return {};
}

Result<std::vector<RunResult>> RunExperiment(const Comparison& comparison,
                                             const RunDirectory& directory,
                                             std::shared_ptr<const Dataset> dataset,
                                             const ExperimentOptions& options) {
  if (auto status = CheckStrategies(comparison); !status) return status.error();
  AIRLOT_CHECK(AreDistinct(comparison.strategies) && AreDistinct(comparison.seeds),
               "{} strategies, {} seeds", comparison.strategies.size(), comparison.seeds.size());
  return Experiment(comparison, directory, std::move(dataset), options).Go();
}

}  // namespace airlot
