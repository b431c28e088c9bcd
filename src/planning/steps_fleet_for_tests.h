// Random fleets for radios whose powers or rates come in steps, and what a device can do at a
// power, written down again without the planner's help.
#ifndef AIRLOT_PLANNING_STEPS_FLEET_FOR_TESTS_H_
#define AIRLOT_PLANNING_STEPS_FLEET_FOR_TESTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "airlot/planning.h"
#include "airlot/random.h"

namespace airlot::planning {

inline constexpr double kStepInfinity = std::numeric_limits<double>::infinity();

// A SteppedFleet is 100 devices under one mix of the problem's options.
class SteppedFleet {
 public:
  static constexpr std::uint64_t kMixes = 32;

  explicit SteppedFleet(std::uint64_t mix) {
    for (std::size_t i = 0; i < 100; ++i) {
      RandomStream stream(7, PurposeNamed("steps-test"), mix, i);
      const auto log_uniform = [&](double low, double high) {
        return low * std::pow(high / low, stream.Uniform());
      };
      noise_to_gain_w_.push_back(log_uniform(1e-7, 1));
      nat_time_s_.push_back(log_uniform(0.05, 50));
      max_power_w_.push_back(log_uniform(0.05, 0.5));
      energy_budget_j_.push_back(log_uniform(1e-4, 10));
      compute_energy_j_.push_back(log_uniform(1e-5, 1));
      time_limit_s_.push_back(log_uniform(0.05, 20));
      compute_time_s_.push_back(mix & 1 ? log_uniform(1e-3, 1) : 0);
    }
    problem_ = {.devices = noise_to_gain_w_.size(),
                .noise_to_gain_w = noise_to_gain_w_,
                .nat_time_s = nat_time_s_,
                .max_power_w = max_power_w_,
                .energy_budget_j = energy_budget_j_,
                .compute_energy_j = compute_energy_j_,
                .time_limit_s = time_limit_s_,
                .compute_time_s = compute_time_s_,
                .snr_gap = mix & 2 ? 2.5 : 1,
                .amplifier_efficiency = mix & 4 ? 0.35 : 1,
                .circuit_power_w = mix & 4 ? 0.02 : 0,
                .time_rule = mix & 8 ? TimeRule::kDeadline : TimeRule::kExpected,
                .compute_rule = mix & 16 ? ComputeRule::kAlways : ComputeRule::kParticipants};
  }
  SteppedFleet(const SteppedFleet&) = delete;  // The problem has views into the columns.
  SteppedFleet& operator=(const SteppedFleet&) = delete;

  PlanningProblem Problem(const RadioSteps& steps) const {
    PlanningProblem problem = problem_;
    problem.steps = steps;
    return problem;
  }

 private:
  ColumnValues noise_to_gain_w_, nat_time_s_, max_power_w_, energy_budget_j_, compute_energy_j_,
      time_limit_s_, compute_time_s_;
  PlanningProblem problem_;
};

// Returns bit/s/Hz at a power, from the last row down.
inline double RateAt(const PlanningProblem& problem, std::size_t i, double power_w) {
  const double snr = power_w / (problem.noise_to_gain_w[i] * problem.snr_gap);
  if (problem.steps.rates.empty()) {
    return std::min(std::log1p(snr) / std::numbers::ln2, problem.spectral_efficiency_cap);
  }
  for (auto row = problem.steps.rates.rbegin(); row != problem.steps.rates.rend(); ++row) {
    if (snr >= row->snr * (1 - 1e-13)) return row->bit_per_s_per_hz;
  }
  return 0;
}

struct Try {
  double probability = 0, energy_j = 0;
};
// Returns the largest probability at a power, and what taking part costs. (8) and (E1), literally.
inline Try TryPower(const PlanningProblem& problem, std::size_t i, double power_w) {
  const double rate = RateAt(problem, i, power_w);
  if (rate == 0) return {0, kStepInfinity};
  const double upload_s = problem.nat_time_s[i] / std::numbers::ln2 / rate;
  const bool always = problem.compute_rule == ComputeRule::kAlways;
  const double compute_j = problem.compute_energy_j[i];
  const double energy_j =
      (power_w / problem.amplifier_efficiency + problem.circuit_power_w) * upload_s +
      (always ? 0 : compute_j);
  const double budget_j = std::max(problem.energy_budget_j[i] - (always ? compute_j : 0), 0.0);
  const double time_s = upload_s + problem.compute_time_s[i];
  const double paid = std::min(1.0, budget_j / energy_j);
  if (problem.time_rule == TimeRule::kDeadline) {
    return {time_s <= problem.time_limit_s[i] * (1 + 1e-12) ? paid : 0, energy_j};
  }
  return {std::min(paid, problem.time_limit_s[i] / time_s), energy_j};
}

// Returns the powers of a device: levels, or a grid of a ratio from the least power to the largest.
inline std::vector<double> PowersToTry(const PlanningProblem& problem, std::size_t i,
                                       double grid_ratio) {
  std::vector<double> powers_w;
  const RadioSteps& steps = problem.steps;
  const double max_w = problem.max_power_w[i];
  if (!steps.power_levels_w.empty()) {
    for (const double level_w : steps.power_levels_w) {
      if (level_w <= max_w) powers_w.push_back(level_w);
    }
    return powers_w;
  }
  const double ratio = steps.power_step > 1 ? steps.power_step : grid_ratio;
  const double least_w = std::max(steps.min_power_w, 1e-8);
  for (double power_w = max_w; power_w >= least_w; power_w /= ratio) powers_w.push_back(power_w);
  if (steps.power_step == 1) powers_w.push_back(least_w);
  return powers_w;
}

inline Try BestTry(const PlanningProblem& problem, std::size_t i, double grid_ratio) {
  Try best;
  for (const double power_w : PowersToTry(problem, i, grid_ratio)) {
    const Try one = TryPower(problem, i, power_w);
    if (one.probability > best.probability ||
        (one.probability == best.probability && one.energy_j < best.energy_j)) {
      best = one;
    }
  }
  return best;
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_STEPS_FLEET_FOR_TESTS_H_
