#include "airlot/radio_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "airlot/column.h"
#include "airlot/link.h"
#include "base/text.h"

namespace airlot {
namespace {

using base::FormatNumber;

Status ValidateRates(std::span<const RateRow> rates) {
  if (rates.size() > kMostRateRows) {
    return FieldError("rates", fmt::format("{} rows", rates.size()),
                      fmt::format("must be at most {}", kMostRateRows));
  }
  for (std::size_t k = 0; k < rates.size(); ++k) {
    const auto [snr, rate] = rates[k];
    if (!IsInput(snr, false) || !IsInput(rate, false)) {
      return FieldError("rates", fmt::format("[{}, {}]", FormatNumber(snr), FormatNumber(rate)),
                        fmt::format("row {}: both numbers must be > 0 and finite", k + 1));
    }
    if (k > 0 && (snr <= rates[k - 1].snr || rate <= rates[k - 1].bit_per_s_per_hz)) {
      return FieldError("rates", fmt::format("[{}, {}]", FormatNumber(snr), FormatNumber(rate)),
                        fmt::format("row {}: both numbers must be more than in row {}", k + 1, k));
    }
  }
  return {};
}

Status ValidateLevels(std::span<const double> levels_w) {
  if (levels_w.size() > kMostLevelsOfPower) {
    return FieldError("power_levels_w", fmt::format("{} levels", levels_w.size()),
                      fmt::format("must be at most {}", kMostLevelsOfPower));
  }
  for (std::size_t k = 0; k < levels_w.size(); ++k) {
    const double least_w = k == 0 ? 0 : levels_w[k - 1];
    if (IsInput(levels_w[k], false) && levels_w[k] > least_w) continue;
    return FieldError(
        "power_levels_w", FormatNumber(levels_w[k]),
        k == 0 ? "must be > 0 and finite"
               : fmt::format("levels must rise, and the one before is {}", FormatNumber(least_w)));
  }
  return {};
}

constexpr double kAlmost = 1 - kStepSlack;

}  // namespace

std::optional<std::size_t> RowOfSnr(std::span<const RateRow> rates, double snr) {
  const auto above = std::ranges::upper_bound(rates, snr, {},
                                              [](const RateRow& row) { return row.snr * kAlmost; });
  if (above == rates.begin()) return std::nullopt;
  return static_cast<std::size_t>(above - rates.begin()) - 1;
}

double NatsOfSnr(const RadioSteps& steps, double snr, double max_nats_per_hertz) {
  if (!steps.has_rates()) return NatsPerHertz(snr, max_nats_per_hertz);
  const auto row = RowOfSnr(steps.rates, snr);
  return row ? steps.rates[*row].bit_per_s_per_hz * std::numbers::ln2 : 0;
}

double TopPower(const RadioSteps& steps, double max_power_w) {
  double top_w = steps.has_levels() ? 0 : max_power_w;
  VisitLevels(steps, max_power_w, [&](double level_w) {
    top_w = level_w;
    return false;
  });
  return top_w;
}

double PowerFrom(const RadioSteps& steps, double max_power_w, double power_w) {
  if (!steps.has_levels()) return std::min(std::max(power_w, steps.min_power_w), max_power_w);
  double fit_w = TopPower(steps, max_power_w);
  VisitLevels(steps, max_power_w, [&](double level_w) {
    if (level_w < power_w * kAlmost) return false;
    fit_w = level_w;
    return true;
  });
  return fit_w;
}

Status Validate(const RadioSteps& steps) {
  if (!IsInput(steps.min_power_w, /*may_be_zero=*/true)) {
    return FieldError("min_power_w", FormatNumber(steps.min_power_w), "must be >= 0 and finite");
  }
  if (!(steps.power_step >= 1 && steps.power_step <= kLargestInput)) {
    return FieldError("power_step", FormatNumber(steps.power_step), "must be >= 1 and finite");
  }
  if (steps.power_step > 1 && steps.min_power_w == 0) {
    return FieldError("power_step", FormatNumber(steps.power_step),
                      "levels in steps need a least power: set min_power_w");
  }
  if (!steps.power_levels_w.empty() && (steps.power_step > 1 || steps.min_power_w > 0)) {
    return FieldError("power_levels_w", fmt::format("{} levels", steps.power_levels_w.size()),
                      "cannot stand beside min_power_w and power_step");
  }
  if (auto status = ValidateLevels(steps.power_levels_w); !status) return status;
  return ValidateRates(steps.rates);
}

std::string_view NameOfSteps(const RadioSteps& steps) {
  if (steps.has_rates()) return "rates";
  if (!steps.power_levels_w.empty()) return "power_levels_w";
  return steps.power_step > 1 ? "power_step" : "min_power_w";
}

}  // namespace airlot
