// Devices that train on this machine.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "airlot/compression.h"
#include "airlot/simulation.h"
#include "airlot/training.h"
#include "base/check.h"

namespace airlot {
namespace {

// Leaves the largest numbers of an update, as many as fit into so many bits.
void CutToBits(double bits, std::span<float> update, std::uint64_t seed, std::uint64_t round,
               std::uint64_t device) {
  const CompressionOptions options{.method = Compression::kTopK,
                                   .kept = LargestKept(update.size(), bits)};
  if (*options.kept >= update.size()) return;
  std::vector<float> none;  // what is cut off is lost
  Compress(options, update, none, seed, round, device);
}

double NormOf(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += double(value) * double(value);
  return std::sqrt(squares);
}

// Of what CutToBits would leave. Which of several equal magnitudes are left does not matter, so the
// positions are not looked for, and zeros, of which a gradient has many, are passed over: at a
// batch of one sample 0.2 ms instead of 2 ms for 199 210 numbers.
double NormAfterCut(double bits, std::span<const float> update, std::vector<std::uint32_t>& left) {
  const std::size_t kept = std::isinf(bits) ? update.size() : LargestKept(update.size(), bits);
  if (kept >= update.size()) return NormOf(update);
  left.clear();
  for (const float value : update) {
    // Patterns without the sign ascend with the magnitude; NaN is the largest.
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7fffffff;
    if (magnitude > 0) left.push_back(magnitude);
  }
  if (left.size() > kept) {
    std::ranges::nth_element(left, left.begin() + std::ptrdiff_t(kept), std::greater<>());
    left.resize(kept);
  }
  double squares = 0;
  for (const std::uint32_t magnitude : left) {
    const auto value = double(std::bit_cast<float>(magnitude));
    squares += value * value;
  }
  return std::sqrt(squares);
}

class SimulatedBackend : public Backend {
 public:
  SimulatedBackend(const Setting& setting, int threads)
      : setting_(setting),
        rules_(setting.scenario.learning),
        trainer_(*FindModel(setting.scenario.model.name), setting.dataset->train, threads) {}

  double Train(std::span<const Assignment> assignments, RunState& state, std::span<float> gradient,
               std::span<PartLoss> losses) override {
    const bool is_cut =
        std::ranges::any_of(assignments, [](const Assignment& a) { return a.update_bits > 0; });
    const bool is_sum =
        !is_cut && !SendsModels(rules_) && rules_.compression.method == Compression::kNone;
    return is_sum ? AddGradients(assignments, state, gradient, losses)
                  : AddUpdates(assignments, state, gradient, losses);
  }

  Evaluation Evaluate(std::span<const float> parameters) override {
    return trainer_.Evaluate(parameters, setting_.dataset->test);
  }

  void Losses(std::span<const std::uint32_t> devices, std::size_t batch, const RunState& state,
              std::span<double> losses) override {
    DrawBatches(devices, batch, state.round, BatchUse::kQuestion, [](std::size_t) { return 1.0; });
    std::vector<PartLoss> found(devices.size());
    trainer_.Losses(state.parameters, parts_, found);
    for (std::size_t i = 0; i < devices.size(); ++i) losses[i] = found[i].mean;
  }

  void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                   const RunState& state, std::span<double> norms) override {
    EachUpdate(devices, state, [&](std::size_t i, const PartLoss&, std::span<float> update) {
      norms[i] = bits.empty() ? NormOf(update) : NormAfterCut(bits[i], update, magnitudes_);
    });
  }

 private:
  // Gets the update of the i-th device, and may change it.
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
    }
  }

  void TakeDevices(std::span<const Assignment> assignments) {
    devices_.clear();
    for (const Assignment& assignment : assignments) devices_.push_back(assignment.device);
  }

  // One pass over the batches of all. (47)
  double AddGradients(std::span<const Assignment> assignments, const RunState& state,
                      std::span<float> gradient, std::span<PartLoss> losses) {
    TakeDevices(assignments);
    DrawBatches(devices_, rules_.batch, state.round, BatchUse::kTraining,
                [&](std::size_t i) { return assignments[i].weight; });
    return trainer_.Gradient(state.parameters, parts_, gradient, losses);
  }

  // The sum of what the devices send, each by itself. (48)
  double AddUpdates(std::span<const Assignment> assignments, RunState& state,
                    std::span<float> gradient, std::span<PartLoss> losses) {
    TakeDevices(assignments);
    PrepareMemories(state);
    std::ranges::fill(gradient, 0.0F);
    double sum = 0;
    EachUpdate(devices_, state, [&](std::size_t i, const PartLoss& loss, std::span<float> update) {
      const auto& [device, weight, bits] = assignments[i];
      if (rules_.rule == TrainingRule::kScaffold) TakeControl(device, state);
      if (bits > 0) {
        CutToBits(bits, update, setting_.seed, state.round, device);
      } else if (rules_.compression.method != Compression::kNone) {
        SendCompressed(device, state, update);
      }
      sum += weight * loss.mean;
      if (!losses.empty()) losses[i] = loss;
      for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += float(weight) * update[k];
    });
    if (rules_.rule == TrainingRule::kScaffold) {
      UpdateServerControl(changes_, setting_.fleet.devices, state.control);  // (83)
    }
    return sum;
  }

  // What the encoder makes is what the plan and the books have counted with.
  void SendCompressed(std::uint32_t device, RunState& state, std::span<float> update) {
    const double bits = Compress(rules_.compression, update, state.device_memory[device].unsent,
                                 setting_.seed, state.round, device);
    // SCAFFOLD's second vector is sent whole.
    const double others = rules_.rule == TrainingRule::kScaffold ? 32 * double(update.size()) : 0;
    AIRLOT_CHECK(bits + others == setting_.fleet.update_bits[device],
                 "device {} sends {} bits, {} are charged", device, bits + others,
                 setting_.fleet.update_bits[device]);
  }

  void PrepareMemories(RunState& state) {
    state.device_memory.resize(setting_.fleet.devices);
    if (rules_.rule != TrainingRule::kScaffold) return;
    state.control.resize(state.parameters.size());
    changes_.assign(state.parameters.size(), 0.0F);
    for (const std::uint32_t device : devices_) {
      state.device_memory[device].control.resize(state.parameters.size());
    }
  }

  // After local training: the device's new control variate. (82)
  void TakeControl(std::uint32_t device, RunState& state) {
    change_.resize(state.parameters.size());
    const LocalTraining training = LocalTrainingOf(rules_);
    UpdateControl(state.control, state.parameters, model_,
                  StepsOf(training, setting_.partition.SamplesOf(device).size()), training.rate,
                  state.device_memory[device].control, change_);
    for (std::size_t k = 0; k < changes_.size(); ++k) changes_[k] += change_[k];
  }

  void EachUpdate(std::span<const std::uint32_t> devices, const RunState& state,
                  const UseUpdate& use) {
    update_.resize(state.parameters.size());
    if (SendsModels(rules_)) {
      EachDifference(devices, state, use);
    } else {
      DrawBatches(devices, rules_.batch, state.round, BatchUse::kTraining,
                  [](std::size_t) { return 1.0; });
      trainer_.GradientOfEach(state.parameters, parts_,
                              [&](std::size_t i, const PartLoss& loss, auto gradient) {
                                std::ranges::copy(gradient, update_.begin());
                                use(i, loss, update_);
                              });
    }
  }

  // Each trains a copy of the model.
  void EachDifference(std::span<const std::uint32_t> devices, const RunState& state,
                      const UseUpdate& use) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const std::uint32_t device = devices[i];
      model_ = state.parameters;
      LocalTraining training = LocalTrainingOf(rules_);
      if (rules_.rule == TrainingRule::kScaffold) training.correction = Correction(device, state);
      PartLoss loss;
      trainer_.TrainLocally(model_, setting_.partition.SamplesOf(device), training, setting_.seed,
                            state.round, device, &loss);
      for (std::size_t k = 0; k < update_.size(); ++k) {
        update_[k] = state.parameters[k] - model_[k];
      }
      use(i, loss, update_);
    }
  }

  // SCAFFOLD's (81); empty where all control variates are still 0.
  std::span<const float> Correction(std::uint32_t device, const RunState& state) {
    if (state.control.empty()) return {};
    correction_.assign(state.parameters.size(), 0.0F);
    const bool has_own =
        device < state.device_memory.size() && !state.device_memory[device].control.empty();
    ControlCorrection(state.control, has_own ? state.device_memory[device].control : correction_,
                      correction_);
    return correction_;
  }

  const Setting& setting_;
  const LearningRules& rules_;
  Trainer trainer_;
  std::vector<std::uint32_t> devices_;
  std::vector<std::vector<std::uint32_t>> batches_;
  std::vector<WeightedSamples> parts_;
  std::vector<std::uint32_t> magnitudes_;
  std::vector<float> model_, update_, correction_, change_, changes_;
};

}  // namespace

std::unique_ptr<Backend> MakeSimulatedBackend(const Setting& setting, int threads) {
  return std::make_unique<SimulatedBackend>(setting, threads);
}

}  // namespace airlot
