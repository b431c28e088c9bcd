// Devices that train on this machine.
#include <algorithm>
#include <vector>

#include "airlot/simulation.h"
#include "airlot/training.h"

namespace airlot {
namespace {

class SimulatedBackend : public Backend {
 public:
  SimulatedBackend(const Setting& setting, int threads)
      : setting_(setting),
        trainer_(*FindModel(setting.scenario.model.name), setting.dataset->train, threads) {}

  double Train(std::uint64_t round, std::span<const float> parameters,
               std::span<const Assignment> assignments, std::span<float> gradient) override {
    const LearningRules& rules = setting_.scenario.learning;
    return SendsModels(rules) ? AddModels(round, parameters, assignments, gradient)
                              : AddGradients(round, parameters, assignments, gradient);
  }

  Evaluation Evaluate(std::span<const float> parameters) override {
    return trainer_.Evaluate(parameters, setting_.dataset->test);
  }

 private:
  // One pass over the batches of all. (47)
  double AddGradients(std::uint64_t round, std::span<const float> parameters,
                      std::span<const Assignment> assignments, std::span<float> gradient) {
    batches_.resize(assignments.size());
    parts_.clear();
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      const auto& [device, weight] = assignments[i];
      batches_[i] = DrawBatch(setting_.partition.SamplesOf(device),
                              setting_.scenario.learning.batch, setting_.seed, round, device);
      parts_.push_back({batches_[i], weight});
    }
    return trainer_.Gradient(parameters, parts_, gradient);
  }

  // Each trains a copy of the model; the sum of what they send. (48)
  double AddModels(std::uint64_t round, std::span<const float> parameters,
                   std::span<const Assignment> assignments, std::span<float> gradient) {
    const LearningRules& rules = setting_.scenario.learning;
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    double loss = 0;
    for (const auto& [device, weight] : assignments) {
      model_.assign(parameters.begin(), parameters.end());
      loss += weight * trainer_.TrainLocally(model_, setting_.partition.SamplesOf(device),
                                             {.rate = rules.rate,
                                              .batch = rules.batch,
                                              .steps = rules.local_steps,
                                              .epochs = rules.local_epochs},
                                             setting_.seed, round, device);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] += float(weight) * (parameters[i] - model_[i]);
      }
    }
    return loss;
  }

  const Setting& setting_;
  Trainer trainer_;
  std::vector<std::vector<std::uint32_t>> batches_;
  std::vector<WeightedSamples> parts_;
  std::vector<float> model_;
};

}  // namespace

std::unique_ptr<Backend> MakeSimulatedBackend(const Setting& setting, int threads) {
  return std::make_unique<SimulatedBackend>(setting, threads);
}

}  // namespace airlot
