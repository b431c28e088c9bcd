// What a radio can be set to: the powers that it has, and the rates that it knows. Without any of
// this a device sends at any power up to P^max, at the rate of Shannon's formula.
// (docs/radios.md)
#ifndef AIRLOT_RADIO_STEPS_H_
#define AIRLOT_RADIO_STEPS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot {

// A RateRow is a modulation and coding scheme: from this SNR on, the SNR gap counted, a link
// carries this many bits.
struct RateRow {
  double snr = 0;               // linear, > 0
  double bit_per_s_per_hz = 0;  // > 0
  bool operator==(const RateRow&) const = default;
};

// RadioSteps hold for all devices; what they mean for one depends on its P^max. All numbers are
// linear and in SI units.
struct RadioSteps {
  double min_power_w = 0;  // P^min >= 0, the least power of a device that sends
  // Where this is above 1, the powers are P^max, P^max/step, P^max/step², ... down to P^min > 0.
  double power_step = 1;
  // Where there are some, these are the powers, in rising order; those above P^max are not the
  // device's. There is then neither P^min nor a step.
  std::vector<double> power_levels_w;
  // Where there are some, the rows rise in both columns, and a link below the first carries
  // nothing. Where there is none, rates are those of Shannon's formula.
  std::vector<RateRow> rates;

  bool has_levels() const { return power_step > 1 || !power_levels_w.empty(); }
  bool has_rates() const { return !rates.empty(); }
  bool any() const { return has_levels() || has_rates() || min_power_w > 0; }
  bool operator==(const RadioSteps&) const = default;
};

// An SNR reaches a row that it misses by this share or less: it is the SNR of a power that was
// chosen for the row, but for rounding. Levels are met within the same share.
inline constexpr double kStepSlack = 1e-12;
// A device has at most this many levels, and a table this many rows.
inline constexpr std::size_t kMostLevelsOfPower = 1000;
inline constexpr std::size_t kMostRateRows = 100;

// Returns the last row that an SNR reaches, and nothing below the first. (D2)
[[nodiscard]] std::optional<std::size_t> RowOfSnr(std::span<const RateRow> rates, double snr);
// Returns u in nats per second and hertz: that of the row, 0 below the first row or, where there
// are no rows, that of Shannon's formula up to a cap. (D2)
[[nodiscard]] double NatsOfSnr(const RadioSteps& steps, double snr, double max_nats_per_hertz);

// Returns the largest power of a device with this P^max. (D1)
[[nodiscard]] double TopPower(const RadioSteps& steps, double max_power_w);
// Calls visit(power_w) for the levels of a device with this P^max, the largest first, for as long
// as it returns true. (D1)
template <class Visit>
void VisitLevels(const RadioSteps& steps, double max_power_w, const Visit& visit);
// Returns the least power of the device that is no less than `power_w`, and its largest where that
// is less.
[[nodiscard]] double PowerFrom(const RadioSteps& steps, double max_power_w, double power_w);

// Names the first of the steps that is not allowed.
Status Validate(const RadioSteps& steps);
// Returns the name of a field that makes the radio one with steps, such as "power_levels_w".
[[nodiscard]] std::string_view NameOfSteps(const RadioSteps& steps);

template <class Visit>
void VisitLevels(const RadioSteps& steps, double max_power_w, const Visit& visit) {
  constexpr double kAlmost = 1 - kStepSlack;
  const auto& levels_w = steps.power_levels_w;
  for (auto level_w = levels_w.rbegin(); level_w != levels_w.rend(); ++level_w) {
    if (*level_w * kAlmost > max_power_w) continue;
    if (!visit(std::min(*level_w, max_power_w))) return;
  }
  if (!(steps.power_step > 1)) return;
  for (double level_w = max_power_w; level_w >= steps.min_power_w * kAlmost;
       level_w /= steps.power_step) {
    if (!visit(std::max(level_w, steps.min_power_w))) return;
  }
}

}  // namespace airlot

#endif  // AIRLOT_RADIO_STEPS_H_
