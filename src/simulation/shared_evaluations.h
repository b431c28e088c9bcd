// SharedEvaluations are the test results that runs of one setting share.
#ifndef AIRLOT_SIMULATION_SHARED_EVALUATIONS_H_
#define AIRLOT_SIMULATION_SHARED_EVALUATIONS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "airlot/training.h"

namespace airlot::simulation {

// Strategies that are compared begin with the same model, and those that select the same devices
// reach the same ones: each is evaluated once. The result depends on the parameters alone, so a run
// cannot tell who found it. Threads may share an object.
class SharedEvaluations {
 public:
  // What is remembered is bounded, about 3 MB of the usual ten classes.
  static constexpr std::size_t kMostModels = 10'000;

  // Returns what `evaluate` gives for the parameters. Whoever asks first calls it, while others who
  // ask the same wait. An exception of `evaluate` is passed on, and the next one to ask calls it
  // again.
  Evaluation Of(std::span<const float> parameters, const std::function<Evaluation()>& evaluate);

 private:
  struct Model {
    std::mutex mutex;
    std::optional<Evaluation> evaluation;
  };
  std::shared_ptr<Model> Find(std::span<const float> parameters);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Model>> models_;  // by the digest of their parameters
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_SHARED_EVALUATIONS_H_
