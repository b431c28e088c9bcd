// `airlot plan` over several processes, each of which holds a part of the fleet (docs/clusters.md).
#ifndef AIRLOT_CLI_PLAN_RANKS_H_
#define AIRLOT_CLI_PLAN_RANKS_H_

#include "airlot/fleet.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "cli/plan_options.h"

namespace airlot::cli {

// Names what the user has asked for that needs the whole fleet in one process.
Status CheckForRanks(const Scenario& scenario, const PlanOptions& options);

// Checks that all ranks are about to plan the same fleet, and divides it. Ranks for which there are
// no devices get none; the others go on as a team without them. After that all ranks have the same
// errors, and the first one reports them.
Result<FleetPart> DivideAmongRanks(const Scenario& scenario, const PlanOptions& options);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_PLAN_RANKS_H_
