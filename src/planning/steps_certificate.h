// The certificate of a plan for a radio whose powers or rates come in steps: all of them are tried,
// in extended precision. It shares no code with the solver. (docs/radios.md)
#ifndef AIRLOT_PLANNING_STEPS_CERTIFICATE_H_
#define AIRLOT_PLANNING_STEPS_CERTIFICATE_H_

#include <cstddef>

#include "airlot/planning.h"

namespace airlot::planning {

// Says whether a device can only send in finitely many ways that are worth a look.
bool IsCheckedByOptions(const PlanningProblem& problem, std::size_t device);

// These are what `Certificate` has of one device.
struct OptionsCheck {
  long double violation = 0, gap = 0, excess_power = 0;
};
OptionsCheck CheckOptions(const PlanningProblem& problem, const PlanView& plan, std::size_t device);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_STEPS_CERTIFICATE_H_
