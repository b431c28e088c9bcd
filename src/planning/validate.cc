#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "airlot/planning.h"
#include "base/check.h"
#include "base/gather.h"
#include "base/text.h"
#include "planning/device.h"
#include "planning/shape.h"

namespace airlot {
namespace {

constexpr double kLeastEfficiency = 1e-10;

struct NamedColumn {
  std::string_view name;
  const ColumnView& column;
  bool may_be_zero;
};

std::array<NamedColumn, 8> ColumnsOf(const PlanningProblem& problem) {
  return {{{"noise_to_gain_w", problem.noise_to_gain_w, false},
           {"nat_time_s", problem.nat_time_s, false},
           {"max_power_w", problem.max_power_w, false},
           {"energy_budget_j", problem.energy_budget_j, true},
           {"compute_energy_j", problem.compute_energy_j, true},
           {"time_limit_s", problem.time_limit_s, false},
           {"compute_time_s", problem.compute_time_s, true},
           {"samples", problem.samples, true}}};
}

// A device without samples must not be able to send, so that no solver plans it.
Status ValidateSamples(const PlanningProblem& problem) {
  if (problem.samples.is_constant() && problem.samples.constant() != 0) return {};
  for (std::size_t i = 0; i < problem.devices; ++i) {
    if (problem.samples[i] != 0 || problem.nat_time_s[i] == planning::kNoBand) continue;
    return Error{fmt::format("device {}: nat_time_s = {}: must be infinite where samples = 0",
                             problem.first_device + i + 1,
                             base::FormatNumber(problem.nat_time_s[i]))};
  }
  return {};
}

// Every device must have a power, and not too many of them.
Status ValidatePowers(const PlanningProblem& problem) {
  const RadioSteps& steps = problem.steps;
  if (auto status = Validate(steps); !status) return status;
  if (!steps.any()) return {};
  const ColumnView& max_power_w = problem.max_power_w;
  const auto& levels_w = steps.power_levels_w;
  const double least_w = levels_w.empty() ? steps.min_power_w : levels_w.front();
  const bool has_too_high = max_power_w.is_constant() && !levels_w.empty() &&
                            levels_w.back() * (1 - kStepSlack) > max_power_w.constant();
  if (has_too_high) {
    return FieldError("power_levels_w", base::FormatNumber(levels_w.back()),
                      fmt::format("no device has more than max_power_w = {}",
                                  base::FormatNumber(max_power_w.constant())));
  }
  for (std::size_t i = 0; i < (max_power_w.is_constant() ? 1 : problem.devices); ++i) {
    const auto error = [&](const std::string& reason) {
      return Error{fmt::format("device {}: max_power_w = {}: {}", problem.first_device + i + 1,
                               base::FormatNumber(max_power_w[i]), reason)};
    };
    if (least_w * (1 - kStepSlack) > max_power_w[i]) {
      return error(fmt::format("must be at least {}, the least power of the radio",
                               base::FormatNumber(least_w)));
    }
    const bool has_many =
        steps.power_step > 1 && std::log(max_power_w[i] / least_w) / std::log(steps.power_step) >
                                    double(kMostLevelsOfPower - 1);
    if (has_many) {
      return error(fmt::format("has more than {} levels from {} up: take larger steps",
                               kMostLevelsOfPower, base::FormatNumber(least_w)));
    }
  }
  return {};
}

}  // namespace

namespace planning {

Status ValidateColumn(std::string_view name, const ColumnView& column, bool may_be_zero,
                      const PlanningProblem& devices) {
  if (!column.is_constant() && column.values().size() != devices.devices) {
    return Error{fmt::format("{}: has {} values for {} devices", name, column.values().size(),
                             devices.devices)};
  }
  for (std::size_t i = 0; i < (column.is_constant() ? 1 : devices.devices); ++i) {
    const double value = column[i];
    if (IsInput(value, may_be_zero)) continue;
    if (name == "nat_time_s" && value == kNoBand) continue;
    return Error{fmt::format("device {}: {} = {}: must be {}{} to {}", devices.first_device + i + 1,
                             name, base::FormatNumber(value), may_be_zero ? "0 or " : "",
                             base::FormatNumber(kSmallestInput),
                             base::FormatNumber(kLargestInput))};
  }
  return {};
}

bool IsZero(const ColumnView& column, const Hands& hands) {
  if (column.is_constant()) return column.constant() == 0;
  return base::IsSoForAll(
      hands, std::ranges::all_of(column.values(), [](double value) { return value == 0; }));
}

}  // namespace planning

Status Validate(const PlanningProblem& problem) {
  if (problem.devices == 0) return Error{"a fleet needs at least one device"};
  for (const auto& [name, column, may_be_zero] : ColumnsOf(problem)) {
    if (auto status = planning::ValidateColumn(name, column, may_be_zero, problem); !status)
      return status;
  }
  if (auto status = ValidateSamples(problem); !status) return status;
  if (!(problem.snr_gap >= 1 && problem.snr_gap <= 1e10)) {
    return FieldError("snr_gap", fmt::format("{}", problem.snr_gap), "must be 1 to 1e10");
  }
  if (!(problem.spectral_efficiency_cap >= kSmallestInput)) {
    return FieldError("spectral_efficiency_cap", fmt::format("{}", problem.spectral_efficiency_cap),
                      fmt::format("must be at least {}", kSmallestInput));
  }
  if (!(problem.amplifier_efficiency >= kLeastEfficiency && problem.amplifier_efficiency <= 1)) {
    return FieldError("amplifier_efficiency", fmt::format("{}", problem.amplifier_efficiency),
                      fmt::format("must be {} to 1", kLeastEfficiency));
  }
  if (!IsInput(problem.circuit_power_w, /*may_be_zero=*/true)) {
    return FieldError("circuit_power_w", base::FormatNumber(problem.circuit_power_w),
                      fmt::format("must be 0 or {} to {}", base::FormatNumber(kSmallestInput),
                                  base::FormatNumber(kLargestInput)));
  }
  return ValidatePowers(problem);
}

Status Validate(const PlanningProblem& problem, const PlanningOptions& options) {
  const bool is_papers = IsOfThePaper(options.solver);
  if (options.solver != Solver::kExact && problem.steps.any()) {
    return FieldError(
        "solver", std::string(SolverName(options.solver)),
        fmt::format("knows Shannon's formula and powers of any size only, and not {}; "
                    "use exact",
                    NameOfSteps(problem.steps)));
  }
  if (is_papers && (problem.amplifier_efficiency != 1 || problem.circuit_power_w != 0)) {
    return FieldError("solver", std::string(SolverName(options.solver)),
                      "the paper's algorithms know neither an amplifier's efficiency nor circuit "
                      "power; use exact or bisection");
  }
  if (is_papers &&
      (problem.time_rule == TimeRule::kDeadline || !planning::IsZero(problem.compute_time_s))) {
    return FieldError("solver", std::string(SolverName(options.solver)),
                      "the paper's algorithms know neither a deadline nor computation time in the "
                      "limit; use exact or bisection");
  }
  if (!(options.start_probability > 0 && options.start_probability <= 1)) {
    return FieldError("start_probability", fmt::format("{}", options.start_probability),
                      "must be > 0 and <= 1");
  }
  for (const auto& [name, tolerance] :
       {std::pair("outer_tolerance", options.outer_tolerance),
        std::pair("inner_tolerance_j", options.inner_tolerance_j)}) {
    if (!(tolerance > 0)) return FieldError(name, fmt::format("{}", tolerance), "must be > 0");
  }
  if (options.threads < 1) {
    return FieldError("threads", fmt::format("{}", options.threads), "must be >= 1");
  }
  return Validate(problem);
}

namespace planning {

void CheckShape(const PlanningProblem& problem) {
  for (const auto& [name, column, may_be_zero] : ColumnsOf(problem)) {
    AIRLOT_CHECK(column.is_constant() || column.values().size() == problem.devices,
                 "{}: {} values for {} devices", name, column.values().size(), problem.devices);
  }
}

void CheckShape(const PlanningProblem& problem, const PlanView& plan) {
  CheckShape(problem);
  AIRLOT_CHECK(plan.probability.size() == problem.devices && plan.power_w.size() == problem.devices,
               "a plan of {} probabilities and {} powers for {} devices", plan.probability.size(),
               plan.power_w.size(), problem.devices);
}

}  // namespace planning
}  // namespace airlot
