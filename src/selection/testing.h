// Small cells and given answers, for tests of strategies.
#ifndef AIRLOT_SELECTION_TESTING_H_
#define AIRLOT_SELECTION_TESTING_H_

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/selection.h"

namespace airlot::selection {

// Answers with the numbers that it was given, by device, and counts what it was asked.
class GivenAnswers : public Probe {
 public:
  std::vector<double> losses, norms, accuracies;
  std::size_t losses_asked = 0, norms_asked = 0, accuracies_asked = 0, figures_asked = 0;
  std::vector<double> norm_bits;  // of the last question for norms
  std::vector<Selection> rehearsals;

  void Losses(std::span<const std::uint32_t> devices, std::size_t /*batch*/,
              std::span<double> answers) override {
    losses_asked += Answer(losses, devices, answers);
  }
  void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                   std::span<double> answers) override {
    norm_bits.assign(bits.begin(), bits.end());
    norms_asked += Answer(norms, devices, answers);
  }
  void Accuracies(std::span<const std::uint32_t> devices, std::span<double> answers) override {
    accuracies_asked += Answer(accuracies, devices, answers);
  }
  void Figures(std::span<const std::uint32_t> devices) override { figures_asked += devices.size(); }
  void Rehearse(const Selection& selection) override { rehearsals.push_back(selection); }

 private:
  static std::size_t Answer(const std::vector<double>& values,
                            std::span<const std::uint32_t> devices, std::span<double> answers) {
    for (std::size_t i = 0; i < devices.size(); ++i) answers[i] = values.at(devices[i]);
    return devices.size();
  }
};

// Devices that differ in their noise to gain; all else is easy to compute with: 1 Hz bands, updates
// of 1 bit, P^max = 1 W, a time limit of 1 s, no computation.
class SmallCell {
 public:
  explicit SmallCell(std::vector<double> noise_to_gain_w)
      : noise_to_gain_w_(std::move(noise_to_gain_w)),
        compute_s(noise_to_gain_w_.size()),
        compute_j(noise_to_gain_w_.size()),
        probability(noise_to_gain_w_.size(), 0.5),
        power_w(noise_to_gain_w_.size(), 1),
        data_share(noise_to_gain_w_.size(), 1 / double(noise_to_gain_w_.size())) {
    const auto devices = double(noise_to_gain_w_.size());
    cell.problem = {.devices = noise_to_gain_w_.size(),
                    .noise_to_gain_w = noise_to_gain_w_,
                    .nat_time_s = std::numbers::ln2,
                    .max_power_w = 1.0,
                    .energy_budget_j = 1.0,
                    .compute_energy_j = compute_j,
                    .time_limit_s = 1.0,
                    .compute_time_s = compute_s};
    cell.bandwidth_hz = 1.0;
    cell.update_bits = 1.0;
    cell.total_bandwidth_hz = devices;
    cell.model_bits = 1;
  }
  SmallCell(const SmallCell&) = delete;
  SmallCell& operator=(const SmallCell&) = delete;

  SelectionView View(std::uint64_t round = 1, std::uint64_t seed = 1) {
    return {.seed = seed,
            .round = round,
            .rounds = 100,
            .probability = probability,
            .power_w = power_w,
            .data_share = data_share,
            .cell = &cell,
            .probe = &answers,
            .memory = &memory};
  }
  Selection Select(Strategy& strategy, std::uint64_t round = 1, std::uint64_t seed = 1) {
    Selection selection;
    strategy.Select(View(round, seed), selection);
    return selection;
  }

 private:
  std::vector<double> noise_to_gain_w_;

 public:
  std::vector<double> compute_s, compute_j, probability, power_w, data_share;  // may be changed
  Cell cell;
  GivenAnswers answers;
  std::vector<double> memory;
};

// The options of all strategies, one of them set.
inline StrategyOptions With(std::string_view strategy, std::string_view option, double value) {
  StrategyOptions options;
  options.At(strategy, option) = value;
  return options;
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_TESTING_H_
