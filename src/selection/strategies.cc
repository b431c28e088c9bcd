#include "selection/strategies.h"

#include <fmt/format.h>

#include "base/check.h"

namespace airlot {
namespace {

std::string KeyOf(std::string_view strategy, std::string_view option) {
  return fmt::format("{}.{}", strategy, option);
}

}  // namespace

std::span<const StrategyEntry> Strategies() {
  static const std::vector<StrategyEntry> entries = {
#define AIRLOT_STRATEGY(entry) selection::entry,
#include "selection/strategy_list.inc"
#undef AIRLOT_STRATEGY
  };
  return entries;
}

const StrategyEntry* FindStrategy(std::string_view name) {
  for (const StrategyEntry& entry : Strategies()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::span<const std::string_view> PaperStrategies() {
  static constexpr std::string_view kNames[] = {"probabilistic", "deterministic", "uniform",
                                                "equally-weighted"};
  return kNames;
}

std::unique_ptr<Strategy> MakeStrategy(std::string_view name, const StrategyOptions& options) {
  const StrategyEntry* entry = FindStrategy(name);
  AIRLOT_CHECK(entry != nullptr, "strategy {}", name);
  return entry->make({options, entry->name});
}

StrategyOptions::StrategyOptions() {
  for (const StrategyEntry& entry : Strategies()) {
    for (const StrategyOption& option : entry.options) {
      values_.emplace(KeyOf(entry.name, option.name), option.value);
    }
  }
}

double& StrategyOptions::At(std::string_view strategy, std::string_view option) {
  const auto found = values_.find(KeyOf(strategy, option));
  AIRLOT_CHECK(found != values_.end(), "option {} of strategy {}", option, strategy);
  return found->second;
}

double StrategyOptions::At(std::string_view strategy, std::string_view option) const {
  return const_cast<StrategyOptions&>(*this).At(strategy, option);  // NOLINT: it changes nothing
}

}  // namespace airlot
