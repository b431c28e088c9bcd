// SolveClosedForm is the closed form (12) of docs/mathematics.md for many devices at once,
// vectorised, and that of docs/energy.md, (E6), where sending takes circuit power.
#ifndef AIRLOT_PLANNING_CLOSED_FORM_H_
#define AIRLOT_PLANNING_CLOSED_FORM_H_

#include <cstddef>
#include <span>

#include "airlot/planning.h"

namespace airlot::planning {

// Plans the devices [begin, end) of `problem` into the same places of the outputs. Each device's
// result depends on its own inputs only, not on its neighbours or its place. The largest relative
// error of probability and power is 1e-12 (closed_form_accuracy_test.cc, against 50 digits), but
// for powers where computation time counts and the problem is ill-conditioned (docs/mathematics.md,
// section 5). Devices without a band, whose nat time is infinite, are left out.
void SolveClosedForm(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                     std::span<double> probability, std::span<double> power_w);

// Gives the devices of [begin, end) whose nat time is infinite the plan of 0, whatever a solver
// made of them.
void LeaveOutBandless(const ColumnView& nat_time_s, std::size_t begin, std::size_t end,
                      double* probability, double* power_w);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_CLOSED_FORM_H_
