#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "airlot/planning.h"
#include "base/shards.h"
#include "planning/round_time.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using planning::Draw;

// Sums are over one shard.
struct Sums {
  double participants = 0, participants_variance = 0, energy_j = 0, energy_variance_j2 = 0,
         log_empty = 0, longest_upload_s = 0;
  std::array<std::size_t, kLimitCount> devices_by_limit{};
};

Sums SumShard(const PlanningProblem& problem, const PlanView& plan, const base::Shard& shard,
              std::span<Draw> draws) {
  Sums sums;
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    const double a = plan.probability[i];
    const Participation participation = Describe(problem, plan, i);
    ++sums.devices_by_limit[static_cast<std::size_t>(participation.limit)];
    // These are what is spent whether or not the device is drawn, and what is spent only then;
    // (33).
    const auto [fixed_j, compute_j] = FixedEnergyOf(problem, i);
    const double drawn_j =
        DrawnPower(problem, plan.power_w[i]) * participation.upload_s + compute_j;
    sums.participants += a;  // (30)
    sums.participants_variance += a * (1 - a);
    sums.energy_j += fixed_j + a * drawn_j;
    sums.energy_variance_j2 += a * (1 - a) * drawn_j * drawn_j;
    sums.log_empty += std::log1p(-a);  // (31)
    sums.longest_upload_s = std::max(sums.longest_upload_s, participation.upload_s);
    // A device that never takes part adds nothing.
    draws[i] = {a > 0 ? participation.upload_s + problem.compute_time_s[i] : 0, a};
  }
  return sums;
}

}  // namespace

Expectations Expect(const PlanningProblem& problem, const PlanView& plan, const Hands& hands) {
  planning::CheckShape(problem, plan);
  std::vector<Draw> draws(problem.devices);
  const auto partials = base::MapFleet(problem.devices, hands, [&](const base::Shard& shard) {
    return SumShard(problem, plan, shard, draws);
  });
  Expectations total;
  double participants_variance = 0, energy_variance_j2 = 0, log_empty = 0;
  for (const Sums& part : partials) {
    total.participants += part.participants;
    total.round_energy_j += part.energy_j;
    participants_variance += part.participants_variance;
    energy_variance_j2 += part.energy_variance_j2;
    log_empty += part.log_empty;
    total.longest_upload_s = std::max(total.longest_upload_s, part.longest_upload_s);
    for (std::size_t limit = 0; limit < kLimitCount; ++limit) {
      total.devices_by_limit[limit] += part.devices_by_limit[limit];
    }
  }
  total.participants_sd = std::sqrt(participants_variance);
  total.round_energy_sd_j = std::sqrt(energy_variance_j2);
  total.probability_empty_round = std::exp(log_empty);
  total.round_time_s = planning::ExpectedMaximum(draws, hands);
  return total;
}

}  // namespace airlot
