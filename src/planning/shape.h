// Contracts on sizes: a column or a plan of another size would be read out of bounds.
#ifndef AIRLOT_PLANNING_SHAPE_H_
#define AIRLOT_PLANNING_SHAPE_H_

#include "airlot/planning.h"

namespace airlot::planning {

// Aborts unless every column of the problem has one value or as many as there are devices.
void CheckShape(const PlanningProblem& problem);
// And unless the plan has one for each device.
void CheckShape(const PlanningProblem& problem, const PlanView& plan);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_SHAPE_H_
