// Plans for radios whose powers or rates come in steps. (docs/radios.md)
#ifndef AIRLOT_PLANNING_STEPS_H_
#define AIRLOT_PLANNING_STEPS_H_

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <span>

#include "airlot/planning.h"
#include "planning/device.h"

namespace airlot::planning {

// Says whether a device takes part in every round; a split of the band rounds.
inline bool IsCertain(double probability) { return probability >= 1 - 1e-12; }

// Returns u at a power, by the table of rates or Shannon's formula. (D2)
inline double NatsAt(const RadioSteps& steps, const Device& device, double power_w) {
  return NatsOfSnr(steps, power_w / device.noise_to_gain_w, device.max_nats);
}

// Says whether a device has finitely many options: levels, rows, or a least power beyond the cap.
inline bool HasOptions(const RadioSteps& steps, const Device& device) {
  return steps.has_levels() || steps.has_rates() ||
         NatsPerHertz(steps.min_power_w / device.noise_to_gain_w) >= device.max_nats;
}

// Calls visit(power_w, nats) for each way in which a device can send that may be worth a look: all
// levels or, where there are none, the powers of (D3). Only for devices that have options.
template <class Visit>
void VisitOptions(const RadioSteps& steps, const Device& device, const Visit& visit) {
  if (steps.has_levels()) {
    VisitLevels(steps, device.max_power_w, [&](double power_w) {
      const double nats = NatsAt(steps, device, power_w);
      if (nats > 0) visit(power_w, nats);
      return nats > 0;  // No smaller power reaches a row, either.
    });
    return;
  }
  if (!steps.has_rates()) return visit(steps.min_power_w, device.max_nats);
  for (const RateRow& row : steps.rates) {
    const double power_w = std::max(device.noise_to_gain_w * row.snr, steps.min_power_w);
    // Half of the slack is left to rounding, so that the row is found again at P^max.
    if (power_w > device.max_power_w * (1 + kStepSlack / 2)) return;
    visit(std::min(power_w, device.max_power_w), row.bit_per_s_per_hz * std::numbers::ln2);
  }
}

// Plans the devices [begin, end) of a problem with steps.
void SolveSteps(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                std::span<double> probability, std::span<double> power_w);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_STEPS_H_
