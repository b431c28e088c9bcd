// The scalar solvers plan one device at a time. `SolveClosedForm` (closed_form.h) is the fast one.
#ifndef AIRLOT_PLANNING_SOLVERS_H_
#define AIRLOT_PLANNING_SOLVERS_H_

#include "airlot/planning.h"
#include "planning/device.h"

namespace airlot::planning {

// Returns u_0 of (E4), where an upload costs least, and 0 without circuit power, where the longest
// does.
double CheapestNats(const Device& device);

// SolveScalar is the closed form (12) with Newton's method and the mathematics library: the plain
// reference that the vectorised solver is tested and timed against.
DevicePlan SolveScalar(const Device& device);

// Finds the largest feasible a by bisection with the oracle (26): the same optimum as (12) with
// none of its algebra.
DevicePlan SolveBisection(const Device& device);

// SolveAlternating is the paper's Algorithm 2, whose power step is Algorithm 1 (Dinkelbach) with
// every iterate clamped to the bounds that the paper writes above it, P_min(a) and P^max. It knows
// neither computation time in the limit nor a deadline.
DevicePlan SolveAlternating(const Device& device, const PlanningOptions& options);

// SolveLiteral is the paper's Algorithms 1 and 2 as printed: there is no clamping, and only the
// misprint in a* is corrected. The power may come out negative.
DevicePlan SolveLiteral(const Device& device, const PlanningOptions& options);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_SOLVERS_H_
