#include "airlot/update_sum.h"

#include <algorithm>

namespace airlot {

UpdateSum::UpdateSum(const Setting& setting, std::span<const Assignment> participants,
                     const TrainingRound& round, std::span<float> gradient)
    : setting_(setting), participants_(participants), round_(round), gradient_(gradient) {
  for (UpdateStep* step : round.steps) {
    if (!step->IsNeeded(participants)) continue;
    step->StartRound(participants, {setting.fleet.devices, round.parameters.size()});
    steps_.push_back(step);
  }
  std::ranges::fill(gradient, 0.0F);
}

void UpdateSum::Add(std::size_t i, const PartLoss& loss, const LocalTraining& trained,
                    std::span<const float> end, std::span<float> update) {
  const Assignment& participant = participants_[i];
  LocalResult result{.participant = participant,
                     .seed = setting_.seed,
                     .round = round_.round,
                     .start = round_.parameters};
  if (!end.empty()) {
    result.end = end;
    result.steps = StepsOf(trained, setting_.partition.SamplesOf(participant.device).size());
    result.rate = trained.rate;
  }
  for (UpdateStep* step : steps_) step->AfterTraining(result, update);
  loss_ += participant.weight * loss.mean;
  for (std::size_t k = 0; k < gradient_.size(); ++k) {
    gradient_[k] += float(participant.weight) * update[k];
  }
}

double UpdateSum::Finish() {
  for (UpdateStep* step : steps_) step->EndRound();
  return loss_;
}

}  // namespace airlot
