// A small comparison, for tests of runs.
#ifndef AIRLOT_RUNS_COMPARISON_FOR_TESTS_H_
#define AIRLOT_RUNS_COMPARISON_FOR_TESTS_H_

#include <memory>

#include "airlot/comparison.h"
#include "airlot/dataset.h"

namespace airlot::runs {

inline std::shared_ptr<const Dataset> SmallDigits() {
  static const auto digits = std::make_shared<const Dataset>(
      DrawDigits({.train_samples = 200, .test_samples = 20, .seed = 3}));
  return digits;
}

inline Comparison SmallComparison() {
  Comparison comparison{.strategies = {"probabilistic", "uniform"}, .seeds = {1, 2}};
  comparison.scenario.data.dataset = "digits";
  comparison.scenario.data.partition.minimum_samples = 1;
  comparison.scenario.model.name = "mlp";
  comparison.scenario.fleet.devices = 5;
  comparison.scenario.round.time_limit_s = 1;
  comparison.scenario.rounds = 6;
  comparison.scenario.evaluate_every = 3;
  comparison.scenario.learning.batch = 4;
  return comparison;
}

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_COMPARISON_FOR_TESTS_H_
