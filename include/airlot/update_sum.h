// The sum of what devices send, for a backend in which each device trains by itself.
#ifndef AIRLOT_UPDATE_SUM_H_
#define AIRLOT_UPDATE_SUM_H_

#include <cstddef>
#include <span>
#include <vector>

#include "airlot/simulation.h"
#include "airlot/training.h"
#include "airlot/training_rule.h"

namespace airlot {

// An UpdateSum takes updates through those steps of a round that have something to do, and adds
// them up. (50) Setting, participants, round and gradient must outlive it.
class UpdateSum {
 public:
  // Starts the round of the steps; `gradient` becomes the sum.
  UpdateSum(const Setting& setting, std::span<const Assignment> participants,
            const TrainingRound& round, std::span<float> gradient);

  // Adds the update of the i-th participant, which the steps change: its gradient or, where it
  // sends a model, start - `end`. `trained` is what it was told to do.
  void Add(std::size_t i, const PartLoss& loss, const LocalTraining& trained,
           std::span<const float> end, std::span<float> update);

  // Ends the round of the steps, and returns the weighted sum of the losses.
  double Finish();

 private:
  const Setting& setting_;
  std::span<const Assignment> participants_;
  const TrainingRound& round_;
  std::span<float> gradient_;
  std::vector<UpdateStep*> steps_;
  double loss_ = 0;
};

}  // namespace airlot

#endif  // AIRLOT_UPDATE_SUM_H_
