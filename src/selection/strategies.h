// Each entry of a built-in strategy is defined in the file of its strategy. The entries are made by
// functions, so that the list of strategies can be built whenever it is first asked for, also
// before main.
#ifndef AIRLOT_SELECTION_STRATEGIES_H_
#define AIRLOT_SELECTION_STRATEGIES_H_

#include "airlot/selection.h"

namespace airlot::selection {

#define AIRLOT_STRATEGY(entry) StrategyEntry entry();
#include "selection/strategy_list.inc"
#undef AIRLOT_STRATEGY

// Returns how many times a strategy has taken the place of another: who keeps what entries say
// looks at them anew when it changes.
std::size_t ReplacedStrategies();

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_STRATEGIES_H_
