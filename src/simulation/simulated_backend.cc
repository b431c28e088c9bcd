// The simulated backend trains devices on this machine.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "airlot/simulation.h"
#include "airlot/training.h"
#include "airlot/update_sum.h"
#include "base/division.h"
#include "base/workers.h"
#include "simulation/shared_evaluations.h"
#include "simulation/update_steps.h"

namespace airlot {
namespace {

class SimulatedBackend : public Backend {
 public:
  SimulatedBackend(const Setting& setting, int threads, Team* team)
      : setting_(setting),
        rules_(setting.scenario.learning),
        sends_models_(SendsModels(rules_)),
        training_(LocalTrainingOf(rules_)),
        team_(team == nullptr || team->size() == 1 ? nullptr : team),
        crew_(threads),
        trainer_(ModelOf(setting.scenario.model), setting.dataset->train, threads, team) {}

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
      sum.Add(i, loss, trained_, end_, update);
      if (!losses.empty()) losses[i] = loss;
    });
    return sum.Finish();
  }

  void EachUpdate(std::span<const std::uint32_t> devices, const TrainingRound& round,
                  const UseUpdate& use) {
    if (sends_models_) {
      EachDifference(devices, round, use);
    } else {
      update_.resize(round.parameters.size());
      DrawBatches(devices, rules_.batch, round.round, BatchUse::kTraining,
                  [](std::size_t) { return 1.0; });
      trainer_.GradientOfEach(round.parameters, parts_,
                              [&](std::size_t i, const PartLoss& loss, auto gradient) {
                                std::ranges::copy(gradient, update_.begin());
                                use(i, loss, update_);
                              });
    }
  }

  // A LocalRun is a device that trains a copy of the model.
  struct LocalRun {
    LocalTraining training;  // what the device was told, after all steps have changed it
    std::vector<float> correction, model, update;
    PartLoss loss;
  };

  // Each device trains a copy of the model, and what they send is used in their order. A wave has
  // several devices for each thread, because some have more samples than others. Every member of a
  // team trains its part of a wave, and gets the models of the others.
  void EachDifference(std::span<const std::uint32_t> devices, const TrainingRound& round,
                      const UseUpdate& use) {
    const auto members = team_ == nullptr ? 1 : team_->size();
    const std::size_t threads = std::size_t(crew_.threads()) * members;
    const std::size_t most = threads == 1 ? 1 : std::min(4 * threads, devices.size());
    local_runs_.resize(std::max(local_runs_.size(), most));
    for (std::size_t first = 0; first < devices.size(); first += most) {
      const auto wave = devices.subspan(first, std::min(most, devices.size() - first));
      for (std::size_t i = 0; i < wave.size(); ++i) TellDevice(wave[i], local_runs_[i]);
      if (wave.size() == 1) {  // The threads share the work of the one.
        TrainDevice(wave[0], round, trainer_, local_runs_[0]);
      } else {
        const base::Division division(CostsOf(wave), members);
        const auto& own = division.ItemsOf(team_ == nullptr ? 0 : team_->rank());
        crew_.ForEachTask(own.size(), [&](std::size_t task, std::size_t worker) {
          TrainDevice(wave[own[task]], round, TrainerOf(worker), local_runs_[own[task]]);
        });
        if (team_ != nullptr) ShareWave(division, wave.size(), round);
      }
      for (std::size_t i = 0; i < wave.size(); ++i) {
        LocalRun& run = local_runs_[i];
        trained_ = run.training;
        end_ = run.model;
        use(first + i, run.loss, run.update);
      }
    }
  }

  // Lets the steps say how a device trains. A step may use the memory of its correction for the
  // next device.
  void TellDevice(std::uint32_t device, LocalRun& run) {
    run.training = training_;
    for (UpdateStep* step : steps_) step->BeforeTraining(device, run.training);
    run.correction.assign(run.training.correction.begin(), run.training.correction.end());
    run.training.correction = run.correction;
  }

  void TrainDevice(std::uint32_t device, const TrainingRound& round, Trainer& trainer,
                   LocalRun& run) const {
    run.model.assign(round.parameters.begin(), round.parameters.end());
    trainer.TrainLocally(run.model, setting_.partition.SamplesOf(device), run.training,
                         setting_.seed, round.round, device, &run.loss);
    TakeDifference(round, run);
  }

  // Returns how much work devices have that trained as they were told.
  std::vector<std::size_t> CostsOf(std::span<const std::uint32_t> wave) const {
    std::vector<std::size_t> costs;
    for (std::size_t i = 0; i < wave.size(); ++i) {
      costs.push_back(
          StepsOf(local_runs_[i].training, setting_.partition.SamplesOf(wave[i]).size()));
    }
    return costs;
  }

  // Lets every member of the team have the models and the losses of all devices of a wave.
  void ShareWave(const base::Division& division, std::size_t wave, const TrainingRound& round) {
    const std::size_t parameters = round.parameters.size();
    std::vector<float> models(wave * parameters);
    std::vector<PartLoss> losses(wave);
    for (const std::size_t i : division.ItemsOf(team_->rank())) {
      std::ranges::copy(local_runs_[i].model, models.begin() + std::ptrdiff_t(i * parameters));
      losses[i] = local_runs_[i].loss;
    }
    base::Share(*team_, division, wave, parameters, std::span(models));
    base::Share(*team_, division, wave, 1, std::span(losses));
    for (std::size_t i = 0; i < wave; ++i) {
      if (division.OwnerOf(i) == team_->rank()) continue;
      const auto model = std::span(models).subspan(i * parameters, parameters);
      local_runs_[i].model.assign(model.begin(), model.end());
      local_runs_[i].loss = losses[i];
      TakeDifference(round, local_runs_[i]);
    }
  }

  static void TakeDifference(const TrainingRound& round, LocalRun& run) {
    run.update.resize(run.model.size());
    for (std::size_t k = 0; k < run.update.size(); ++k) {
      run.update[k] = round.parameters[k] - run.model[k];
    }
  }

  // Returns the trainer of a worker, who makes it when it is first needed.
  Trainer& TrainerOf(std::size_t worker) {
    std::optional<Trainer>& trainer = own_trainers_[worker];
    if (!trainer) trainer.emplace(ModelOf(setting_.scenario.model), setting_.dataset->train);
    return *trainer;
  }

  const Setting& setting_;
  const LearningRules& rules_;
  const bool sends_models_;
  const LocalTraining training_;
  Team* const team_;    // null: this process is alone
  base::Workers crew_;  // for devices that train by themselves
  Trainer trainer_;     // for all else; it has threads of its own
  std::vector<std::optional<Trainer>> own_trainers_ =
      std::vector<std::optional<Trainer>>(std::size_t(crew_.threads()));
  std::vector<LocalRun> local_runs_;
  LocalTraining trained_;           // of the device whose update is used
  std::span<const float> end_;      // its model; empty where devices send gradients
  std::vector<UpdateStep*> steps_;  // those that have something to do
  std::vector<std::uint32_t> devices_;
  std::vector<std::vector<std::uint32_t>> batches_;
  std::vector<WeightedSamples> parts_;
  std::vector<std::uint32_t> magnitudes_;
  std::vector<float> update_;
};

}  // namespace

std::unique_ptr<Backend> MakeSimulatedBackend(const Setting& setting, int threads, Team* team) {
  return std::make_unique<SimulatedBackend>(setting, threads, team);
}

}  // namespace airlot
