#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "airlot/planning.h"
#include "planning/device.h"
#include "planning/shape.h"
#include "planning/solvers.h"
#include "planning/steps.h"

namespace airlot {
namespace {

using planning::Device;
using planning::UploadEnergyAt;

// Returns the place between `inside`, where an upload costs at most `energy_j`, and `outside`,
// where it costs more, up to which it does. Between the two e(u) is monotone.
double AffordableUpTo(const Device& device, double energy_j, double inside, double outside) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (inside + outside) / 2;
    if (middle == inside || middle == outside) break;  // no double lies between them
    (UploadEnergyAt(device, middle) <= energy_j ? inside : outside) = middle;
  }
  return inside;
}

// Returns the largest u <= max_u whose upload energy is at most `energy_j`, and 0 if there is none.
// e(u) increases beyond the cheapest u.
double LargestNatsWithin(const Device& device, double energy_j, double max_u) {
  if (UploadEnergyAt(device, max_u) <= energy_j) return max_u;
  const double cheapest = std::min(planning::CheapestNats(device), max_u);
  if (!(UploadEnergyAt(device, cheapest) < energy_j)) return 0;
  return AffordableUpTo(device, energy_j, cheapest, max_u);
}

// Returns the smallest u >= least_u within the spectral-efficiency cap whose upload energy is at
// most `energy_j`, and infinity if there is none.
double SmallestNatsWithin(const Device& device, double energy_j, double least_u) {
  if (least_u > device.max_nats) return INFINITY;
  if (UploadEnergyAt(device, least_u) <= energy_j) return least_u;
  // No power of the domain reaches more than 700 nats.
  const double cheapest = std::min({planning::CheapestNats(device), device.max_nats, 700.0});
  if (cheapest <= least_u || UploadEnergyAt(device, cheapest) > energy_j) return INFINITY;
  return AffordableUpTo(device, energy_j, cheapest, least_u);
}

// Adds what the upload takes and what the computation takes. The result is never less than the
// exact sum: after the computation enough must be left, however small a part of the sum that is.
double RoundedUpSum(double upload, double computation) {
  return computation > 0 ? std::nextafter(upload + computation, INFINITY) : upload;
}

// Limits are what one upload may take.
struct Limits {
  double upload_s, upload_j;
};

bool IsWithin(const Limits& limits, const Device& device, double power_w, double nats) {
  constexpr double kSlack = 1 + planning::kDeadlineSlack;
  const double upload_s = device.nat_time_s / nats;
  return upload_s <= limits.upload_s * kSlack &&
         (power_w + device.circuit_power_w) * upload_s <= limits.upload_j * kSlack;
}

// Returns the least power from `least_w` on that keeps the limits, and infinity if there is none.
double LeastPowerFrom(const RadioSteps& steps, const Device& device, const Limits& limits,
                      double least_w) {
  if (steps.has_rates()) {
    // From where a row begins on, more power is only dearer.
    const double first = planning::NatsAt(steps, device, least_w);
    if (first > 0 && IsWithin(limits, device, least_w, first)) return least_w;
    for (const RateRow& row : steps.rates) {
      const double power_w = device.noise_to_gain_w * row.snr;
      const double nats = row.bit_per_s_per_hz * std::numbers::ln2;
      if (power_w > least_w && IsWithin(limits, device, power_w, nats)) return power_w;
    }
    return INFINITY;
  }
  const double least_u = planning::NatsOf(device, least_w);
  if (least_u >= device.max_nats) {
    return IsWithin(limits, device, least_w, device.max_nats) ? least_w : INFINITY;
  }
  const double u = SmallestNatsWithin(device, limits.upload_j,
                                      std::max(device.nat_time_s / limits.upload_s, least_u));
  return u < INFINITY ? std::max(planning::PowerOf(device, u), least_w) : INFINITY;
}

// Returns the least P^max, from that of the device on, that would do. Where levels begin at P^max,
// a larger one moves all of them, and any of them may be the one that does. (D8)
double LeastMaxPower(const RadioSteps& steps, const Device& device, const Limits& limits) {
  if (!steps.has_levels() && !steps.has_rates()) return INFINITY;
  double least_w = INFINITY;
  if (steps.power_step > 1) {
    double level_w = device.max_power_w, ratio = 1;
    for (bool is_last = false; !is_last; level_w /= steps.power_step, ratio *= steps.power_step) {
      is_last = level_w < steps.min_power_w;  // a P^max of `ratio` times P^min has this level, too
      const double power_w =
          LeastPowerFrom(steps, device, limits, std::max(level_w, steps.min_power_w));
      least_w = std::min(least_w, power_w * ratio);
    }
    return least_w;
  }
  Device stronger = device;
  stronger.max_power_w = std::numeric_limits<double>::max();
  planning::VisitOptions(steps, stronger, [&](double power_w, double nats) {
    if (IsWithin(limits, device, power_w, nats)) least_w = std::min(least_w, power_w);
  });
  return least_w;
}

// Tries every option, one resource at a time. (D8)
Shortfall ExplainOptions(const PlanningProblem& problem, std::size_t i, double a, double target) {
  const Device device = planning::DeviceAt(problem, i);
  const double longest_s = planning::LongestUpload(device, target);
  const double affordable_j = device.energy_budget_j / target - device.compute_energy_j;
  const double spent_anyway_j = FixedEnergyOf(problem, i).always_j;
  const auto upload_j = [&](double power_w, double nats) {
    return (power_w + device.circuit_power_w) * device.nat_time_s / nats;
  };
  Shortfall shortfall{.device = i,
                      .probability = a,
                      .energy_budget_needed_j = INFINITY,
                      .time_limit_needed_s = INFINITY,
                      .max_power_needed_w = INFINITY};
  planning::VisitOptions(problem.steps, device, [&](double power_w, double nats) {
    const double upload_s = device.nat_time_s / nats;
    if (upload_s <= longest_s) {
      const double energy_j = target * (upload_j(power_w, nats) + device.compute_energy_j) /
                              problem.amplifier_efficiency;
      shortfall.energy_budget_needed_j =
          std::min(shortfall.energy_budget_needed_j, RoundedUpSum(energy_j, spent_anyway_j));
    }
    if (upload_j(power_w, nats) <= affordable_j) {
      const double time_s = RoundedUpSum(upload_s, device.compute_time_s);
      shortfall.time_limit_needed_s =
          std::min(shortfall.time_limit_needed_s, device.deadline ? time_s : target * time_s);
    }
  });
  if (longest_s > 0) {
    shortfall.max_power_needed_w =
        LeastMaxPower(problem.steps, device, {.upload_s = longest_s, .upload_j = affordable_j});
  }
  return shortfall;
}

// Applies (15) and (E9), one resource at a time.
Shortfall Explain(const PlanningProblem& problem, std::size_t i, double a, double min_probability) {
  const Device device = planning::DeviceAt(problem, i);
  if (problem.steps.any() && planning::HasOptions(problem.steps, device)) {
    return ExplainOptions(problem, i, a, min_probability);
  }
  const double target = min_probability;
  const double upload_s = planning::LongestUpload(device, target);
  // A least power is a least u, (D7).
  const double least_u = planning::NatsOf(device, problem.steps.min_power_w);
  const double u = upload_s > 0 ? std::max(device.nat_time_s / upload_s, least_u) : INFINITY;
  const double max_u = planning::MaxNats(device);
  const double cheapest_u = std::max(u, std::min(planning::CheapestNats(device), max_u));
  const double energy_j = target * (UploadEnergyAt(device, cheapest_u) + device.compute_energy_j) /
                          problem.amplifier_efficiency;
  const double spent_anyway_j = FixedEnergyOf(problem, i).always_j;
  const double affordable_j = device.energy_budget_j / target - device.compute_energy_j;
  double affordable_u = LargestNatsWithin(device, affordable_j, max_u);
  if (affordable_u < least_u) affordable_u = 0;
  const double slowest_s = RoundedUpSum(device.nat_time_s / affordable_u, device.compute_time_s);
  Shortfall shortfall{.device = i, .probability = a};
  shortfall.energy_budget_needed_j = u <= max_u ? RoundedUpSum(energy_j, spent_anyway_j) : INFINITY;
  shortfall.max_power_needed_w =
      planning::PowerOf(device, SmallestNatsWithin(device, affordable_j, u));
  shortfall.time_limit_needed_s = device.deadline ? slowest_s : target * slowest_s;
  return shortfall;
}

}  // namespace

FloorReport CheckFloor(const PlanningProblem& problem, const PlanView& plan, double min_probability,
                       std::size_t most) {
  planning::CheckShape(problem, plan);
  FloorReport report;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const double a = plan.probability[i];
    if (a >= min_probability * (1 - 1e-12)) continue;
    ++report.below;
    if (report.shortfalls.size() < most) {
      report.shortfalls.push_back(Explain(problem, i, a, min_probability));
    }
  }
  return report;
}

}  // namespace airlot
