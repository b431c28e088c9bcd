// What happens to the updates of a run on their way from device to server.
#ifndef AIRLOT_SIMULATION_UPDATE_STEPS_H_
#define AIRLOT_SIMULATION_UPDATE_STEPS_H_

#include <memory>
#include <span>
#include <vector>

#include "airlot/simulation.h"

namespace airlot::simulation {

// Cuts updates to the bits that the strategy leaves them: to their largest numbers. What is cut off
// is lost.
std::unique_ptr<UpdateStep> MakeCutUpdate();
// The norm of what such a cut leaves of an update; `scratch` is any memory.
double NormAfterCut(double bits, std::span<const float> update,
                    std::vector<std::uint32_t>& scratch);
double NormOf(std::span<const float> values);

// Sends every update through the scenario's encoder and decoder. Null where there is none.
std::unique_ptr<UpdateStep> MakeCompressedUpdate(const Setting& setting, StateParts& parts);

// The rule's own step, cutting, compression: those that a run needs, in that order. Setting, rule
// and parts must outlive it.
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
