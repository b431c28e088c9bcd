#include "airlot/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/shards.h"
#include "runs/nobody_able.h"
#include "simulation/shared_evaluations.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

// --- What can be wrong without a setting ---------------------------------------------------------

template <class T>
bool AreDistinct(std::vector<T> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

Status CheckStrategies(const Comparison& comparison) {
  for (const std::string& strategy : comparison.strategies) {
    const StrategyEntry* entry = FindStrategy(strategy);
    if (entry == nullptr) return Error{fmt::format("unknown strategy {}", strategy)};
    if (auto status = CheckStrategy(*entry, comparison.scenario); !status) return status;
  }
  return {};
}

// A strategy that is told to take more devices than the fleet has was told something wrong. What
// it takes unless told fits every fleet: then it takes as many as there are.
Status CheckDeviceCounts(const Comparison& comparison, std::size_t fleet_devices) {
  for (const std::string& strategy : comparison.strategies) {
    for (const StrategyOption& option : FindStrategy(strategy)->options) {
      const double value = comparison.scenario.strategy.At(strategy, option.name);
      if (option.name != "devices" || value == option.value || value <= double(fleet_devices)) {
        continue;
      }
      return Error{fmt::format("strategy.{}.devices = {}: the fleet has {}; set at most as many",
                               strategy, value, fleet_devices)};
    }
  }
  return {};
}

// Gives an override of this key this value.
void SetOverride(Comparison& comparison, std::string_view key, const std::string& value) {
  if (!comparison.overrides) return;
  for (std::string& text : *comparison.overrides) {
    std::string_view own = std::string_view(text).substr(0, text.find('='));
    own.remove_prefix(std::min(own.find_first_not_of(" \t"), own.size()));
    own = own.substr(0, own.find_last_not_of(" \t") + 1);
    if (own == key) text = fmt::format("{}={}", key, value);
  }
}

// --- Settings ------------------------------------------------------------------------------------

PreparedSeed SeedOf(const Setting& setting, int threads) {
  return {.seed = setting.seed,
          .setting_digest = setting.digest,
          .expected = Expect(CellOf(setting).problem, setting.plan, threads)};
}

// Preparation prepares the seeds over some threads. Of several errors it returns that of the first
// seed.
class Preparation {
 public:
  Preparation(PreparedComparison& prepared, const std::shared_ptr<const Dataset>& dataset,
              const PrepareOptions& options)
      : prepared_(prepared),
        dataset_(dataset),
        options_(options),
        statuses_(prepared.comparison.seeds.size()) {
    prepared_.settings.resize(statuses_.size());
    prepared_.seeds.resize(statuses_.size());
  }

  Status Go() {
    const auto seeds = static_cast<int>(std::min<std::size_t>(statuses_.size(), 1 << 20));
    threads_each_ = std::max(1, options_.threads / std::max(1, seeds));
    base::ForEachTask(statuses_.size(), options_.threads, [&](std::size_t i, std::size_t) {
      if (!has_ended_) statuses_[i] = PrepareGuarded(i);
      if (!statuses_[i]) has_ended_ = true;
    });
    if (thrown_) std::rethrow_exception(thrown_);
    for (const Status& status : statuses_) {
      if (!status) return status;
    }
    return {};
  }

 private:
  Status PrepareGuarded(std::size_t i) {
    try {
      return PrepareOne(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      has_ended_ = true;
      return {};
    }
  }

  Status PrepareOne(std::size_t i) {
    const Comparison& comparison = prepared_.comparison;
    auto setting = Prepare(comparison.scenario, comparison.seeds[i], dataset_, threads_each_,
                           options_.partition);
    if (!setting) return setting.error();
    if (auto status = CheckDeviceCounts(comparison, setting->fleet.devices); !status) return status;
    if (!MayTakePart(*setting)) return runs::NobodyAble(*setting);
    prepared_.seeds[i] = SeedOf(*setting, threads_each_);
    // A single run would find every model new.
    if (comparison.strategies.size() > 1) {
      setting->evaluations = std::make_shared<simulation::SharedEvaluations>();
    }
    const auto shared = std::make_shared<Setting>(std::move(*setting));
    shared->self = shared;
    prepared_.settings[i] = shared;
    const std::lock_guard lock(mutex_);
    if (options_.after_seed) options_.after_seed(*prepared_.settings[i]);
    return {};
  }

  PreparedComparison& prepared_;
  const std::shared_ptr<const Dataset>& dataset_;
  const PrepareOptions& options_;
  int threads_each_ = 1;
  std::vector<Status> statuses_;
  std::atomic<bool> has_ended_ = false;
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace

Comparison WithAbsolutePaths(Comparison comparison) {
  comparison.scenario = WithAbsolutePaths(std::move(comparison.scenario));
  const Scenario& scenario = comparison.scenario;
  const auto set = [&](std::string_view key, const std::optional<std::string>& path) {
    if (path) SetOverride(comparison, key, *path);
  };
  set("fleet.file", scenario.fleet.file);
  set("data.dataset", scenario.data.dataset);
  set("data.partition_file", scenario.data.partition.file);
  std::optional<std::string>& file = comparison.scenario_file;
  if (file) file = fs::absolute(*file).lexically_normal().string();
  return comparison;
}

Result<PreparedComparison> PrepareComparison(const Comparison& comparison,
                                             const std::shared_ptr<const Dataset>& dataset,
                                             const PrepareOptions& options) {
  AIRLOT_CHECK(AreDistinct(comparison.strategies) && AreDistinct(comparison.seeds),
               "{} strategies, {} seeds", comparison.strategies.size(), comparison.seeds.size());
  if (auto status = CheckStrategies(comparison); !status) return status.error();
  PreparedComparison prepared{
      .comparison = WithAbsolutePaths(comparison),
      .dataset_digest = dataset->digest ? *dataset->digest : DigestOf(*dataset),
      .score = ScoreOf(*dataset)};
  if (auto status = Preparation(prepared, dataset, options).Go(); !status) return status.error();
  return prepared;
}

}  // namespace airlot
