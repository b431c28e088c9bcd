#include "planning/steps.h"

#include <cmath>
#include <functional>
#include <numbers>

#include "planning/closed_form.h"
#include "planning/power_levels.h"
#include "planning/shape.h"

namespace airlot {
namespace planning {
namespace {

// An OptionPlan is how often a device can send in one way, and what it takes each time.
struct OptionPlan {
  double probability, energy_j;
};

// (D4)
OptionPlan PlanOf(const Device& device, double power_w, double nats) {
  const double upload_s = TimeOfNats(device.nat_time_s, nats);
  const double time_s = upload_s + device.compute_time_s;
  const double energy_j = (power_w + device.circuit_power_w) * upload_s + device.compute_energy_j;
  const double affordable = std::min(1.0, device.energy_budget_j / energy_j);
  if (!device.deadline) return {std::min(affordable, device.time_limit_s / time_s), energy_j};
  return {time_s <= device.time_limit_s * (1 + kDeadlineSlack) ? affordable : 0, energy_j};
}

// A BestOption is told of options and keeps the best one or, where several are, the one of least
// energy. (D5)
class BestOption {
 public:
  explicit BestOption(const Device& device) : device_(device) {}
  void operator()(double power_w, double nats) {
    const auto [probability, energy_j] = PlanOf(device_, power_w, nats);
    const bool is_better = probability > plan_.probability ||
                           (probability == plan_.probability && energy_j < energy_j_);
    if (!is_better || probability == 0) return;
    plan_ = {probability, power_w};
    energy_j_ = energy_j;
  }
  const DevicePlan& plan() const { return plan_; }

 private:
  const Device& device_;
  DevicePlan plan_{0, 0};
  double energy_j_ = 0;
};

// Of a table of rates without levels, only the least power of each row is worth a look. (D3)
DevicePlan TakeRow(const RadioSteps& steps, const Device& device) {
  BestOption best(device);
  VisitOptions(steps, device, std::ref(best));
  return best.plan();
}

// Of a table of rates with levels, only the least level that reaches each row is worth a look. (D3)
DevicePlan TakeRowAndLevel(const RadioSteps& steps, const Device& device,
                           const PowerLevels::View& levels_w) {
  BestOption best(device);
  const double g = device.noise_to_gain_w;
  std::size_t reaching = 0;  // so many levels reach the row, as `RowOfSnr` sees it
  for (auto row = steps.rates.rbegin(); row != steps.rates.rend(); ++row) {
    const double least_snr = row->snr * (1 - kStepSlack);
    // From here on, three roundings above the least power, no quotient is rounded below the row:
    // most levels need no division.
    const double surely_w = least_snr * g * (1 + 1e-15);
    const std::size_t reaching_higher = reaching;
    while (reaching < levels_w.size() &&
           (levels_w[reaching] > surely_w || levels_w[reaching] / g >= least_snr)) {
      ++reaching;
    }
    if (reaching == reaching_higher) continue;  // The least level is in a higher row, if any is.
    best(levels_w[reaching - 1], row->bit_per_s_per_hz * std::numbers::ln2);
  }
  return best.plan();
}

// Without a table of rates, m(P) does not fall up to the best of all powers and does not rise
// beyond, so that only the two levels next to it are worth a look. (D7)
DevicePlan TakeLevel(const RadioSteps& steps, const Device& device, const DevicePlan& any,
                     const PowerLevels::View& levels_w) {
  if (any.probability == 0) return {0, 0};
  std::size_t above = 0, below = levels_w.size();  // so many are no less, and no more
  while (above < below) {
    const std::size_t middle = (above + below) / 2;
    levels_w[middle] >= any.power_w ? above = middle + 1 : below = middle;
  }
  BestOption best(device);
  const auto visit = [&](std::size_t level) {
    best(levels_w[level], NatsAt(steps, device, levels_w[level]));
  };
  if (below < levels_w.size()) visit(below);
  if (above > 0) visit(above - 1);
  return best.plan();
}

// Where any power from P^min on is the device's, the plan without P^min is brought up to it. (D7)
DevicePlan RaiseToLeast(const RadioSteps& steps, const Device& device, const DevicePlan& any) {
  if (any.probability == 0 || any.power_w >= steps.min_power_w) return any;
  const double nats = NatsAt(steps, device, steps.min_power_w);
  const double probability = PlanOf(device, steps.min_power_w, nats).probability;
  return {probability, probability > 0 ? steps.min_power_w : 0};
}

}  // namespace

void SolveSteps(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                std::span<double> probability, std::span<double> power_w) {
  const RadioSteps& steps = problem.steps;
  if (!steps.has_rates()) SolveClosedForm(problem, begin, end, probability, power_w);
  PowerLevels levels_w(problem);
  for (std::size_t i = begin; i < end; ++i) {
    const Device device = DeviceAt(problem, i);
    const DevicePlan any{probability[i], power_w[i]};
    DevicePlan plan{};
    if (steps.has_rates()) {
      plan = steps.has_levels() ? TakeRowAndLevel(steps, device, levels_w.Of(i))
                                : TakeRow(steps, device);
    } else if (steps.has_levels()) {
      plan = TakeLevel(steps, device, any, levels_w.Of(i));
    } else {
      plan = RaiseToLeast(steps, device, any);
    }
    probability[i] = plan.probability;
    power_w[i] = plan.power_w;
  }
}

}  // namespace planning

std::optional<std::size_t> RateRowOf(const PlanningProblem& problem, std::size_t device,
                                     double power_w) {
  if (!problem.steps.has_rates() || !(power_w > 0)) return std::nullopt;
  return RowOfSnr(problem.steps.rates,
                  power_w / planning::DeviceAt(problem, device).noise_to_gain_w);
}

StepCounts CountSteps(const PlanningProblem& problem, const PlanView& plan) {
  planning::CheckShape(problem, plan);
  const RadioSteps& steps = problem.steps;
  StepCounts counts;
  counts.devices_by_row.resize(steps.rates.size());
  counts.devices_by_level.resize(steps.power_levels_w.size());
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const double power_w = plan.power_w[i];
    if (!(plan.probability[i] > 0)) {
      const planning::Device device = planning::DeviceAt(problem, i);
      const double top_w = TopPower(steps, device.max_power_w);
      if (planning::NatsAt(steps, device, top_w) == 0) ++counts.out_of_reach;
      continue;
    }
    if (const auto row = RateRowOf(problem, i, power_w)) ++counts.devices_by_row[*row];
    if (!steps.power_levels_w.empty()) {
      const auto level = std::ranges::lower_bound(steps.power_levels_w, power_w * (1 - 1e-9));
      if (level != steps.power_levels_w.end()) {
        ++counts.devices_by_level[std::size_t(level - steps.power_levels_w.begin())];
      }
    } else if (steps.power_step > 1) {
      const double below = std::log(problem.max_power_w[i] / power_w) / std::log(steps.power_step);
      const auto level = static_cast<std::size_t>(std::max(std::llround(below), 0LL));
      if (level >= counts.devices_by_level.size()) counts.devices_by_level.resize(level + 1);
      ++counts.devices_by_level[level];
    } else if (power_w <= steps.min_power_w * (1 + 1e-9)) {
      ++counts.at_least_power;
    }
  }
  return counts;
}

}  // namespace airlot
