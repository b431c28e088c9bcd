#include "simulation/update_steps.h"

namespace airlot::simulation {

UpdateSteps::UpdateSteps(const Setting& setting, TrainingRule& rule, StateParts& parts) {
  own_.push_back(MakeCutUpdate());
  if (auto compressed = MakeCompressedUpdate(setting, parts)) own_.push_back(std::move(compressed));
  if (UpdateStep* step = rule.update_step()) all_.push_back(step);
  for (const auto& step : own_) all_.push_back(step.get());
}

}  // namespace airlot::simulation
