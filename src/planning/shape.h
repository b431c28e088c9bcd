// These functions check contracts on sizes, and columns: one of another size would be read out of
// bounds.
#ifndef AIRLOT_PLANNING_SHAPE_H_
#define AIRLOT_PLANNING_SHAPE_H_

#include <cstddef>
#include <string_view>

#include "airlot/airtime.h"
#include "airlot/planning.h"
#include "airlot/result.h"

namespace airlot::planning {

// Aborts unless every column of the problem has one value or as many as there are devices.
void CheckShape(const PlanningProblem& problem);
void CheckShape(const AirtimeProblem& problem);
// Aborts unless the columns pass the check above and the plan has one value for each device.
void CheckShape(const PlanningProblem& problem, const PlanView& plan);

// Names the first value of a column of these devices that is not allowed, or its size where that is
// wrong.
Status ValidateColumn(std::string_view name, const ColumnView& column, bool may_be_zero,
                      const PlanningProblem& devices);
// Says whether all values are 0; where there is a team, those of all members.
bool IsZero(const ColumnView& column, const Hands& hands = 1);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_SHAPE_H_
