// The certificate of a plan for a radio whose powers or rates come in steps: all of them are tried,
// in extended precision. It shares no code with the solver. (docs/radios.md)
#ifndef AIRLOT_PLANNING_STEPS_CERTIFICATE_H_
#define AIRLOT_PLANNING_STEPS_CERTIFICATE_H_

#include <cstddef>
#include <memory>

#include "airlot/planning.h"

namespace airlot::planning {

// Says whether a device can only send in finitely many ways that are worth a look.
bool IsCheckedByOptions(const PlanningProblem& problem, std::size_t device);

// These are what `Certificate` has of one device.
struct OptionsCheck {
  long double violation = 0, gap = 0, excess_power = 0;
};

// An OptionsChecker checks one device after another. What they have in common is found once.
class OptionsChecker {
 public:
  explicit OptionsChecker(const PlanningProblem& problem);
  OptionsChecker(const OptionsChecker&) = delete;  // The problem is held by reference.
  OptionsChecker& operator=(const OptionsChecker&) = delete;
  ~OptionsChecker();
  OptionsCheck Check(const PlanView& plan, std::size_t device);

 private:
  struct Radio;
  std::unique_ptr<Radio> radio_;
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_STEPS_CERTIFICATE_H_
