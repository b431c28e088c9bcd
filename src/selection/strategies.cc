#include "selection/strategies.h"

#include <array>

namespace airlot {
namespace {

constexpr std::array<StrategyEntry, 4> kStrategies = {{
    {"probabilistic", "Each device is drawn on its own with its planned probability.",
     selection::MakeProbabilistic},
    {"deterministic", "As many devices as expected, those of largest data share times probability.",
     selection::MakeDeterministic},
    {"uniform", "A fixed number of devices, drawn uniformly.", selection::MakeUniform},
    {"equally-weighted", "As many devices as expected, those of largest probability (FedCS-like).",
     selection::MakeEquallyWeighted},
}};

}  // namespace

std::span<const StrategyEntry> Strategies() { return kStrategies; }

const StrategyEntry* FindStrategy(std::string_view name) {
  for (const StrategyEntry& entry : kStrategies) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace airlot
