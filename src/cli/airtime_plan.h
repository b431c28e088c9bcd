// The airtime plan of a scenario is made here, for `airlot plan --airtime`.
#ifndef AIRLOT_CLI_AIRTIME_PLAN_H_
#define AIRLOT_CLI_AIRTIME_PLAN_H_

#include <memory>

#include "airlot/airtime_expectations.h"
#include "airlot/airtime_round.h"
#include "airlot/scenario_fleet.h"
#include "cli/airtime_summary.h"

namespace airlot::cli {

// A PlannedAirtime is the plan that the strategy `airtime` draws by, and what it means for devices.
struct PlannedAirtime : AirtimeCellPlan {
  PlanFile rows = {};
};

// Says whether the scenario bounds the mean round, and leaves the band to those who are drawn.
Status CheckAirtime(const Scenario& scenario);

// Plans the airtime of a round. `own_bands` is the plan of own bands. An error names the key.
Result<PlannedAirtime> PlanAirtimeRows(const Scenario& scenario, const Fleet& fleet,
                                       const PlanningProblem& problem, const Plan& own_bands,
                                       const Hands& hands);

// Finds what the plan means, and what a run of the scenario does beside it.
AirtimeSummary Summarise(const Scenario& scenario, const PlannedAirtime& planned,
                         const Plan& own_bands, const Hands& hands);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_AIRTIME_PLAN_H_
