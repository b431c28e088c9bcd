// Small cells and given answers, for tests of strategies.
#ifndef AIRLOT_SELECTION_SMALL_CELL_FOR_TESTS_H_
#define AIRLOT_SELECTION_SMALL_CELL_FOR_TESTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/selection.h"
#include "planning/small_cell_for_tests.h"

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

// The cell of planning's tests as a strategy sees it, with a plan, shares of data and answers.
class SmallCell : public planning::SmallCell {
 public:
  explicit SmallCell(std::vector<double> noise_to_gain_w)
      : planning::SmallCell(std::move(noise_to_gain_w)),
        probability(cell.problem.devices, 0.5),
        power_w(cell.problem.devices, 1),
        data_share(cell.problem.devices, 1 / double(cell.problem.devices)) {}

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

  std::vector<double> probability, power_w, data_share;  // A test may change them.
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

#endif  // AIRLOT_SELECTION_SMALL_CELL_FOR_TESTS_H_
