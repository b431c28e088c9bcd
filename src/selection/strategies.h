// The entry of each strategy is defined in its file.
#ifndef AIRLOT_SELECTION_STRATEGIES_H_
#define AIRLOT_SELECTION_STRATEGIES_H_

#include <memory>

#include "airlot/selection.h"

namespace airlot::selection {

#define AIRLOT_STRATEGY(entry) extern const StrategyEntry entry;
#include "selection/strategy_list.inc"
#undef AIRLOT_STRATEGY

// How `StrategyEntry::make` makes a strategy of class T, which takes the values of its options.
template <class T>
std::unique_ptr<Strategy> Make(const OptionValues& options) {
  return std::make_unique<T>(options);
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_STRATEGIES_H_
