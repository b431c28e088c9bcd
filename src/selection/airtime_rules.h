// The options of the strategy `airtime` are also those of `airlot plan --airtime`, which shows the
// plan that the strategy draws by.
#ifndef AIRLOT_SELECTION_AIRTIME_RULES_H_
#define AIRLOT_SELECTION_AIRTIME_RULES_H_

#include <string_view>

#include "airlot/airtime_round.h"
#include "airlot/selection.h"

namespace airlot::selection {

// The strategy that draws by an airtime plan has this name.
inline constexpr std::string_view kAirtimeStrategy = "airtime";

// Returns the rules that the keys strategy.airtime.* set.
AirtimeRules AirtimeRulesOf(const OptionValues& options);

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_AIRTIME_RULES_H_
