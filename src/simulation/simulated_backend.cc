// The simulated backend trains devices on this machine.
#include <algorithm>
#include <functional>
#include <vector>

#include "airlot/simulation.h"
#include "airlot/training.h"
#include "airlot/update_sum.h"
#include "simulation/shared_evaluations.h"
#include "simulation/update_steps.h"

namespace airlot {
namespace {

class SimulatedBackend : public Backend {
 public:
  SimulatedBackend(const Setting& setting, int threads)
      : setting_(setting),
        rules_(setting.scenario.learning),
        sends_models_(SendsModels(rules_)),
        training_(LocalTrainingOf(rules_)),
        trainer_(ModelOf(setting.scenario.model), setting.dataset->train, threads) {}

  double Train(std::span<const Assignment> participants, const TrainingRound& round,
               std::span<float> gradient, std::span<PartLoss> losses) override {
    devices_.clear();
    for (const Assignment& participant : participants) devices_.push_back(participant.device);
    steps_.clear();
    for (UpdateStep* step : round.steps) {
      if (step->IsNeeded(participants)) steps_.push_back(step);
    }
    return steps_.empty() && !sends_models_ ? AddGradients(participants, round, gradient, losses)
                                            : AddUpdates(participants, round, gradient, losses);
  }

  Evaluation Evaluate(std::span<const float> parameters) override {
    const auto evaluate = [&] { return trainer_.Evaluate(parameters, setting_.dataset->test); };
    return setting_.evaluations ? setting_.evaluations->Of(parameters, evaluate) : evaluate();
  }

  void Losses(std::span<const std::uint32_t> devices, std::size_t batch, const TrainingRound& round,
              std::span<double> losses) override {
    DrawBatches(devices, batch, round.round, BatchUse::kQuestion, [](std::size_t) { return 1.0; });
    std::vector<PartLoss> found(devices.size());
    trainer_.Losses(round.parameters, parts_, found);
    for (std::size_t i = 0; i < devices.size(); ++i) losses[i] = found[i].mean;
  }

  void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                   const TrainingRound& round, std::span<double> norms) override {
    steps_.assign(round.steps.begin(), round.steps.end());
    EachUpdate(devices, round, [&](std::size_t i, const PartLoss&, std::span<float> update) {
      norms[i] = bits.empty() ? simulation::NormOf(update)
                              : simulation::NormAfterCut(bits[i], update, magnitudes_);
    });
  }

 private:
  // A UseUpdate gets the update of the i-th device, and may change it.
  using UseUpdate =
      std::function<void(std::size_t i, const PartLoss& loss, std::span<float> update)>;

  template <class Weight>
  void DrawBatches(std::span<const std::uint32_t> devices, std::size_t batch, std::uint64_t round,
                   BatchUse use, const Weight& weight) {
    batches_.resize(devices.size());
    parts_.clear();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      batches_[i] = DrawBatch(setting_.partition.SamplesOf(devices[i]), batch, setting_.seed, round,
                              devices[i], use);
      parts_.push_back({batches_[i], weight(i)});
      if (use == BatchUse::kTraining) parts_[i].masks = {setting_.seed, round, devices[i], 0};
    }
  }

  // Makes one pass over the batches of all participants. (49)
  double AddGradients(std::span<const Assignment> participants, const TrainingRound& round,
                      std::span<float> gradient, std::span<PartLoss> losses) {
    DrawBatches(devices_, rules_.batch, round.round, BatchUse::kTraining,
                [&](std::size_t i) { return participants[i].weight; });
    return trainer_.Gradient(round.parameters, parts_, gradient, losses);
  }

  // Adds up what the devices send, each by itself. (50)
  double AddUpdates(std::span<const Assignment> participants, const TrainingRound& round,
                    std::span<float> gradient, std::span<PartLoss> losses) {
    UpdateSum sum(setting_, participants, round, gradient);
    EachUpdate(devices_, round, [&](std::size_t i, const PartLoss& loss, std::span<float> update) {
      sum.Add(i, loss, trained_, model_, update);
      if (!losses.empty()) losses[i] = loss;
    });
    return sum.Finish();
  }

  void EachUpdate(std::span<const std::uint32_t> devices, const TrainingRound& round,
                  const UseUpdate& use) {
    update_.resize(round.parameters.size());
    if (sends_models_) {
      EachDifference(devices, round, use);
    } else {
      DrawBatches(devices, rules_.batch, round.round, BatchUse::kTraining,
                  [](std::size_t) { return 1.0; });
      trainer_.GradientOfEach(round.parameters, parts_,
                              [&](std::size_t i, const PartLoss& loss, auto gradient) {
                                std::ranges::copy(gradient, update_.begin());
                                use(i, loss, update_);
                              });
    }
  }

  // Each device trains a copy of the model.
  void EachDifference(std::span<const std::uint32_t> devices, const TrainingRound& round,
                      const UseUpdate& use) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const std::uint32_t device = devices[i];
      model_.assign(round.parameters.begin(), round.parameters.end());
      trained_ = training_;
      for (UpdateStep* step : steps_) step->BeforeTraining(device, trained_);
      PartLoss loss;
      trainer_.TrainLocally(model_, setting_.partition.SamplesOf(device), trained_, setting_.seed,
                            round.round, device, &loss);
      for (std::size_t k = 0; k < update_.size(); ++k) update_[k] = round.parameters[k] - model_[k];
      use(i, loss, update_);
    }
  }

  const Setting& setting_;
  const LearningRules& rules_;
  const bool sends_models_;
  const LocalTraining training_;
  LocalTraining trained_;  // what the last device was told, after all steps have changed it
  Trainer trainer_;
  std::vector<UpdateStep*> steps_;  // those that have something to do
  std::vector<std::uint32_t> devices_;
  std::vector<std::vector<std::uint32_t>> batches_;
  std::vector<WeightedSamples> parts_;
  std::vector<std::uint32_t> magnitudes_;
  std::vector<float> model_, update_;
};

}  // namespace

std::unique_ptr<Backend> MakeSimulatedBackend(const Setting& setting, int threads) {
  return std::make_unique<SimulatedBackend>(setting, threads);
}

}  // namespace airlot
