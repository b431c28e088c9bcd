// Tests of strategies use these small cells and given answers.
#ifndef AIRLOT_SELECTION_SMALL_CELL_FOR_TESTS_H_
#define AIRLOT_SELECTION_SMALL_CELL_FOR_TESTS_H_

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/selection.h"
#include "planning/small_cell_for_tests.h"

namespace airlot::selection {

// GivenAnswers answers with the numbers that it was given, by device, and counts what it was asked.
class GivenAnswers : public Probe {
 public:
  std::vector<double> losses, norms, accuracies;
  std::vector<double> trial_s;     // empty: no trial takes any time
  std::set<std::uint32_t> silent;  // These do not answer.
  std::size_t losses_asked = 0, norms_asked = 0, accuracies_asked = 0, compute_times_asked = 0;
  std::vector<double> norm_bits;  // the bits of the last question for norms
  struct Trial {
    std::vector<std::uint32_t> devices;
    std::vector<Terms> terms;
  };
  std::vector<Trial> trials;
  ColumnView compute_time_s = 0.0;

  void Ask(const Question& question, std::span<const std::uint32_t> devices,
           std::span<double> answers) override {
    Answer(question, devices, answers);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (silent.contains(devices[i])) answers[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  void Answer(const Question& question, std::span<const std::uint32_t> devices,
              std::span<double> answers) {
    if (std::holds_alternative<AskLoss>(question)) {
      losses_asked += Answer(losses, devices, answers);
    } else if (const auto* norm = std::get_if<AskUpdateNorm>(&question)) {
      norm_bits.assign(norm->bits.begin(), norm->bits.end());
      norms_asked += Answer(norms, devices, answers);
    } else if (std::holds_alternative<AskAccuracy>(question)) {
      accuracies_asked += Answer(accuracies, devices, answers);
    } else if (const auto* trial = std::get_if<AskTrial>(&question)) {
      trials.push_back(
          {{devices.begin(), devices.end()}, {trial->terms.begin(), trial->terms.end()}});
      if (!trial_s.empty()) Answer(trial_s, devices, answers);
    } else {
      compute_times_asked += devices.size();
      for (std::size_t i = 0; i < devices.size(); ++i) answers[i] = compute_time_s[devices[i]];
    }
  }

  static std::size_t Answer(const std::vector<double>& values,
                            std::span<const std::uint32_t> devices, std::span<double> answers) {
    for (std::size_t i = 0; i < devices.size(); ++i) answers[i] = values.at(devices[i]);
    return devices.size();
  }
};

// SmallCell is the cell of planning's tests as a strategy sees it, with a plan, shares of data and
// answers.
class SmallCell : public planning::SmallCell {
 public:
  explicit SmallCell(std::vector<double> noise_to_gain_w)
      : planning::SmallCell(std::move(noise_to_gain_w)),
        probability(cell.problem.devices, 0.5),
        power_w(cell.problem.devices, 1),
        data_share(cell.problem.devices, 1 / double(cell.problem.devices)) {}

  SelectionView View(std::uint64_t round = 1, std::uint64_t seed = 1) {
    answers.compute_time_s = compute_s;
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

// With returns the options of all strategies, one of them set.
inline StrategyOptions With(std::string_view strategy, std::string_view option, double value) {
  StrategyOptions options;
  options.At(strategy, option) = value;
  return options;
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_SMALL_CELL_FOR_TESTS_H_
