#include "airlot/round.h"

#include <algorithm>

namespace airlot {
namespace {

// Returns the samples of each device over their mean, and 1 where nobody has any.
ColumnValues WeightsOf(const PlanningProblem& problem) {
  long double sum = 0;
  for (std::size_t i = 0; i < problem.devices; ++i) sum += problem.samples[i];
  const double mean = static_cast<double>(sum / static_cast<long double>(problem.devices));
  ColumnValues weights(problem.devices, 1.0);
  for (std::size_t i = 0; mean > 0 && i < problem.devices; ++i) {
    weights[i] = problem.samples[i] / mean;
  }
  return weights;
}

}  // namespace

Result<PlanningProblem> ProblemOf(const Fleet& fleet, const Radio& radio, const RoundRules& rules) {
  PlanningProblem problem;
  problem.devices = fleet.devices;
  problem.first_device = fleet.first_device;
  problem.noise_to_gain_w = fleet.noise_to_gain_w;
  problem.nat_time_s = fleet.nat_time_s;
  problem.max_power_w = fleet.max_power_w;
  problem.energy_budget_j = fleet.energy_budget_j;
  problem.compute_energy_j = fleet.FixedEnergy();
  problem.time_limit_s = fleet.time_limit_s;
  if (fleet.samples) problem.samples = *fleet.samples;
  if (rules.count_compute_time) {
    if (!fleet.compute_time_s) {
      return FieldError("count_compute_time", "true",
                        "the fleet gives compute_energy_j but no computation time; add a column "
                        "compute_time_s");
    }
    problem.compute_time_s = *fleet.compute_time_s;
  }
  problem.snr_gap = FromDecibel(radio.gap_db());
  problem.spectral_efficiency_cap = radio.coding.spectral_efficiency_cap;
  problem.amplifier_efficiency = radio.consumption.amplifier_efficiency;
  problem.circuit_power_w = radio.consumption.circuit_power_w;
  problem.time_rule = rules.time_rule;
  problem.compute_rule = rules.compute;
  problem.steps = StepsOf(radio);
  return problem;
}

Cell CellOf(const Fleet& fleet, const Radio& radio, const PlanningProblem& problem) {
  return {.problem = problem,
          .bandwidth_hz = fleet.bandwidth_hz,
          .update_bits = fleet.update_bits,
          .total_bandwidth_hz = fleet.total_bandwidth_hz,
          .noise_grows_with_band = GrowsWithBand(radio.noise),
          .server_power_w = radio.server_power_w,
          .receive_energy_j = fleet.ReceiveEnergy()};
}

Plan PlanRound(const RoundRules& rules, const PlanningProblem& problem,
               const PlanningOptions& options) {
  if (rules.time_weight == 0) return Solve(problem, options);
  const ColumnValues weights = WeightsOf(problem);
  return SolveTimeAware(problem, weights, rules.time_weight, options);
}

void PlanRound(const RoundRules& rules, const PlanningProblem& problem,
               const PlanningOptions& options, std::span<double> probability,
               std::span<double> power_w) {
  if (rules.time_weight == 0) {  // `Solve` needs no memory of its own
    Solve(problem, options, probability, power_w);
    return;
  }
  const Plan plan = PlanRound(rules, problem, options);
  std::ranges::copy(plan.probability, probability.begin());
  std::ranges::copy(plan.power_w, power_w.begin());
}

}  // namespace airlot
