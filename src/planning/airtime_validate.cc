#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "airlot/airtime.h"
#include "base/check.h"
#include "base/text.h"
#include "planning/shape.h"

namespace airlot {
namespace {

struct NamedColumn {
  std::string_view name;
  const ColumnView& column;
};

std::array<NamedColumn, 6> ColumnsOf(const AirtimeProblem& problem) {
  return {{{"weight", problem.weight},
           {"energy_price_s_per_j", problem.energy_price_s_per_j},
           {"added_time_s", problem.added_time_s},
           {"priced_time_s", problem.priced_time_s},
           {"least_probability", problem.least_probability},
           {"most_probability", problem.most_probability}}};
}

Status ValidateProbabilities(std::string_view name, const ColumnView& column,
                             const PlanningProblem& devices) {
  if (!column.is_constant() && column.values().size() != devices.devices) {
    return Error{fmt::format("{}: has {} values for {} devices", name, column.values().size(),
                             devices.devices)};
  }
  for (std::size_t i = 0; i < (column.is_constant() ? 1 : devices.devices); ++i) {
    if (column[i] == 0 || (column[i] >= kSmallestInput && column[i] <= 1)) continue;
    return Error{fmt::format("device {}: {} = {}: must be 0 to 1", devices.first_device + i + 1,
                             name, base::FormatNumber(column[i]))};
  }
  return {};
}

// A negative time is a part of the cost that the price of energy counts twice; whether what is left
// is positive, the formulas of a fleet see to.
Status ValidateTime(std::string_view name, const ColumnView& column,
                    const PlanningProblem& devices) {
  if (!column.is_constant() && column.values().size() != devices.devices) {
    return Error{fmt::format("{}: has {} values for {} devices", name, column.values().size(),
                             devices.devices)};
  }
  for (std::size_t i = 0; i < (column.is_constant() ? 1 : devices.devices); ++i) {
    if (IsInput(std::abs(column[i]), /*may_be_zero=*/true)) continue;
    return Error{fmt::format("device {}: {} = {}: must be 0 or of a size of {} to {}",
                             devices.first_device + i + 1, name, base::FormatNumber(column[i]),
                             base::FormatNumber(kSmallestInput),
                             base::FormatNumber(kLargestInput))};
  }
  return {};
}

Status ValidateGoal(std::string_view name, double value) {
  if (IsInput(value, /*may_be_zero=*/false)) return {};
  return FieldError(std::string(name), base::FormatNumber(value), "must be > 0 and finite");
}

}  // namespace

Status Validate(const AirtimeProblem& problem) {
  const PlanningProblem& devices = problem.devices;
  if (auto status = Validate(devices); !status) return status;
  if (problem.devices.time_rule != TimeRule::kExpected) {
    return FieldError("time_rule", "deadline", "must be expected for an airtime plan");
  }
  if (problem.devices.steps.any()) {
    return Error{
        fmt::format("{}: an airtime plan knows Shannon's formula and powers of any size only",
                    NameOfSteps(problem.devices.steps))};
  }
  const bool is_time = problem.goal == AirtimeGoal::kTime;
  if (auto status = is_time ? ValidateGoal("seconds", problem.seconds)
                            : ValidateGoal("participants", problem.participants);
      !status) {
    return status;
  }
  if (!(problem.fairness >= 0 && problem.fairness <= kLargestFairness)) {
    return FieldError("fairness", base::FormatNumber(problem.fairness),
                      fmt::format("must be 0 to {}", kLargestFairness));
  }
  if (auto status = planning::ValidateColumn("weight", problem.weight, false, devices); !status) {
    return status;
  }
  if (auto status = planning::ValidateColumn("energy_price_s_per_j", problem.energy_price_s_per_j,
                                             true, devices);
      !status) {
    return status;
  }
  if (auto status = ValidateTime("added_time_s", problem.added_time_s, devices); !status) {
    return status;
  }
  if (auto status = ValidateTime("priced_time_s", problem.priced_time_s, devices); !status) {
    return status;
  }
  if (auto status = ValidateProbabilities("least_probability", problem.least_probability, devices);
      !status) {
    return status;
  }
  return ValidateProbabilities("most_probability", problem.most_probability, devices);
}

namespace planning {

void CheckShape(const AirtimeProblem& problem) {
  CheckShape(problem.devices);
  for (const auto& [name, column] : ColumnsOf(problem)) {
    AIRLOT_CHECK(column.is_constant() || column.values().size() == problem.devices.devices,
                 "{}: {} values for {} devices", name, column.values().size(),
                 problem.devices.devices);
  }
}

}  // namespace planning
}  // namespace airlot
