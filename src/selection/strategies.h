// Each strategy is made by one function of its file.
#ifndef AIRLOT_SELECTION_STRATEGIES_H_
#define AIRLOT_SELECTION_STRATEGIES_H_

#include <memory>

#include "airlot/selection.h"

namespace airlot::selection {

std::unique_ptr<Strategy> MakeProbabilistic(const StrategyOptions& options);
std::unique_ptr<Strategy> MakeDeterministic(const StrategyOptions& options);
std::unique_ptr<Strategy> MakeUniform(const StrategyOptions& options);
std::unique_ptr<Strategy> MakeEquallyWeighted(const StrategyOptions& options);

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_STRATEGIES_H_
