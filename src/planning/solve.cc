#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "airlot/planning.h"
#include "base/check.h"
#include "base/shards.h"
#include "base/text.h"
#include "planning/closed_form.h"
#include "planning/solvers.h"

namespace airlot {
namespace {

constexpr std::array<std::pair<Solver, std::string_view>, 4> kSolverNames{{
    {Solver::kExact, "exact"},
    {Solver::kBisection, "bisection"},
    {Solver::kAlternating, "alternating"},
    {Solver::kLiteral, "literal"},
}};

std::optional<Error> ValidateColumn(std::string_view name, const ColumnView& column,
                                    std::size_t devices, bool may_be_zero) {
  if (!column.is_constant() && column.size() != devices) {
    return Error{fmt::format("{}: {} values for {} devices", name, column.size(), devices)};
  }
  for (std::size_t i = 0; i < (column.is_constant() ? 1 : devices); ++i) {
    const double value = column[i];
    if (value >= kSmallestInput && value <= kLargestInput) continue;
    if (may_be_zero && value == 0) continue;
    return Error{fmt::format("device {}: {} = {}: must be {}{} to {}", i + 1, name,
                             base::FormatNumber(value), may_be_zero ? "0 or " : "",
                             base::FormatNumber(kSmallestInput),
                             base::FormatNumber(kLargestInput))};
  }
  return std::nullopt;
}

bool IsZero(const ColumnView& column) { return column.is_constant() && column.constant() == 0; }

planning::DevicePlan SolveDevice(const planning::Device& device, const PlanningOptions& options) {
  switch (options.solver) {
    case Solver::kExact:
      return planning::SolveScalar(device);
    case Solver::kBisection:
      return planning::SolveBisection(device);
    case Solver::kAlternating:
      return planning::SolveAlternating(device, options);
    case Solver::kLiteral:
      return planning::SolveLiteral(device, options);
  }
  AIRLOT_CHECK(false, "unknown solver");
}

}  // namespace

std::string_view Name(Limit limit) {
  switch (limit) {
    case Limit::kFull:
      return "full";
    case Limit::kEnergy:
      return "energy";
    case Limit::kPower:
      return "power";
    case Limit::kRate:
      return "rate";
    case Limit::kTime:
      return "time";
  }
  AIRLOT_CHECK(false, "unknown limit");
}

std::string_view Name(Solver solver) {
  for (const auto& [value, name] : kSolverNames) {
    if (value == solver) return name;
  }
  AIRLOT_CHECK(false, "unknown solver");
}

std::optional<Solver> SolverByName(std::string_view name) {
  for (const auto& [value, text] : kSolverNames) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::optional<Error> Validate(const PlanningProblem& problem) {
  const struct {
    std::string_view name;
    const ColumnView& column;
    bool may_be_zero;
  } columns[] = {
      {"noise_to_gain_w", problem.noise_to_gain_w, false},
      {"nat_time_s", problem.nat_time_s, false},
      {"max_power_w", problem.max_power_w, false},
      {"energy_budget_j", problem.energy_budget_j, true},
      {"compute_energy_j", problem.compute_energy_j, true},
      {"time_limit_s", problem.time_limit_s, false},
      {"compute_time_s", problem.compute_time_s, true},
  };
  if (problem.devices == 0) return Error{"a fleet needs at least one device"};
  for (const auto& [name, column, may_be_zero] : columns) {
    if (auto error = ValidateColumn(name, column, problem.devices, may_be_zero)) return error;
  }
  if (!(problem.snr_gap >= 1 && problem.snr_gap <= 1e10)) {
    return Error{fmt::format("snr_gap = {}: must be 1 to 1e10", problem.snr_gap)};
  }
  if (!(problem.max_spectral_efficiency >= kSmallestInput)) {
    return Error{fmt::format("max_spectral_efficiency = {}: must be at least {}",
                             problem.max_spectral_efficiency, kSmallestInput)};
  }
  return std::nullopt;
}

std::optional<Error> Validate(const PlanningProblem& problem, const PlanningOptions& options) {
  const bool is_papers =
      options.solver == Solver::kAlternating || options.solver == Solver::kLiteral;
  if (is_papers && (problem.time_rule == TimeRule::kDeadline || !IsZero(problem.compute_time_s))) {
    return Error{
        fmt::format("solver {}: the paper's algorithms know neither a deadline nor "
                    "computation time in the limit; use exact or bisection",
                    Name(options.solver))};
  }
  if (!(options.start_probability > 0 && options.start_probability <= 1)) {
    return Error{
        fmt::format("start_probability = {}: must be > 0 and <= 1", options.start_probability)};
  }
  for (const double tolerance : {options.outer_tolerance, options.inner_tolerance_j}) {
    if (!(tolerance > 0)) return Error{fmt::format("tolerance = {}: must be > 0", tolerance)};
  }
  if (options.threads < 1) return Error{fmt::format("threads = {}: must be >= 1", options.threads)};
  return Validate(problem);
}

void Solve(const PlanningProblem& problem, const PlanningOptions& options,
           std::span<double> probability, std::span<double> power_w) {
  AIRLOT_CHECK(probability.size() == problem.devices && power_w.size() == problem.devices,
               "one place per device");
  base::ForEachShard(problem.devices, options.threads, [&](const base::Shard& shard) {
    if (options.solver == Solver::kExact) {
      planning::SolveClosedForm(problem, shard.begin, shard.end, probability, power_w);
      return;
    }
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      const auto plan = SolveDevice(planning::DeviceAt(problem, i), options);
      probability[i] = plan.probability;
      power_w[i] = plan.power_w;
    }
  });
}

Plan Solve(const PlanningProblem& problem, const PlanningOptions& options) {
  Plan plan{Values(problem.devices), Values(problem.devices)};
  Solve(problem, options, plan.probability, plan.power_w);
  return plan;
}

}  // namespace airlot
