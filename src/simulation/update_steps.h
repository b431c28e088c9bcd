// Update steps are what happens to the updates of a run on their way from device to server.
#ifndef AIRLOT_SIMULATION_UPDATE_STEPS_H_
#define AIRLOT_SIMULATION_UPDATE_STEPS_H_

#include <memory>
#include <span>
#include <vector>

#include "airlot/simulation.h"

namespace airlot::simulation {

// Makes a step that cuts updates to the bits that the strategy leaves them: to their largest
// numbers. What is cut off is lost.
std::unique_ptr<UpdateStep> MakeCutUpdate();
// NormAfterCut is the norm of what a cut to so many bits leaves of an update; `scratch` is any
// memory.
double NormAfterCut(double bits, std::span<const float> update,
                    std::vector<std::uint32_t>& scratch);
double NormOf(std::span<const float> values);

// Makes a step that sends every update through the scenario's encoder and decoder; it is null where
// there is none.
std::unique_ptr<UpdateStep> MakeCompressedUpdate(const Setting& setting, StateParts& parts);

// UpdateSteps are the steps that a run needs, in this order: the rule's own step, cutting,
// compression. Setting, rule and parts must outlive them.
class UpdateSteps {
 public:
  UpdateSteps(const Setting& setting, TrainingRule& rule, StateParts& parts);
  std::span<UpdateStep* const> all() const { return all_; }

 private:
  std::vector<std::unique_ptr<UpdateStep>> own_;
  std::vector<UpdateStep*> all_;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_UPDATE_STEPS_H_
