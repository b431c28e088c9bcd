// max Σ w·a_i(B_i) s.t. Σ B_i <= B by its dual. Every a_i is concave, so at the right price per
// hertz what each device would buy for itself, max w·a - ν·B, adds up to the optimum; where a_i has
// a linear piece several bands are equally good, and those of two prices around the right one are
// mixed until they add up. The dual's value there bounds every split.
#include "planning/split_continuous.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "airlot/band_split.h"
#include "airlot/radio.h"
#include "base/shards.h"
#include "base/text.h"
#include "planning/band_demand.h"
#include "planning/clearing_price.h"
#include "planning/closed_form.h"
#include "planning/device.h"
#include "planning/shape.h"

namespace airlot {
namespace {

// What has no concave a_i, or none that is derived.
Status ValidateModel(const PlanningProblem& problem) {
  const auto error = [](std::string_view what) {
    return Error{fmt::format("{}; or set radio.sharing to equal", what)};
  };
  if (problem.time_rule == TimeRule::kDeadline) {
    return error(
        "round.time_rule = deadline: cannot stand beside a shared band: set it to expected");
  }
  if (!planning::IsZero(problem.compute_time_s)) {
    return error(
        "round.count_compute_time = true: cannot stand beside a shared band: set it to false");
  }
  return {};
}

// The part of a column that belongs to a shard.
ColumnView Part(const ColumnView& column, const base::Shard& shard) {
  if (column.is_constant()) return column;
  return ColumnView(column.values().subspan(shard.begin, shard.end - shard.begin));
}

// The optimum (12) of one shard in the given bands.
void PlanShard(const BandProblem& bands, const ColumnView& bandwidth_hz, const base::Shard& shard,
               std::span<double> probability) {
  const std::size_t size = shard.end - shard.begin;
  Values noise_to_gain_w(size), nat_time_s(size), power_w(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t device = shard.begin + i;
    const bool is_usable = planning::IsUsable(bands, device, bandwidth_hz[device]);
    const double band_hz = is_usable ? bandwidth_hz[device] : bands.own_bandwidth_hz[device];
    noise_to_gain_w[i] = NoiseToGainIn(bands, device, band_hz);
    nat_time_s[i] = is_usable ? NatTimeIn(bands, device, band_hz) : 1;
  }
  PlanningProblem problem = bands.problem;
  problem.devices = size;
  problem.noise_to_gain_w = noise_to_gain_w;
  problem.nat_time_s = nat_time_s;
  for (ColumnView* column : {&problem.max_power_w, &problem.energy_budget_j,
                             &problem.compute_energy_j, &problem.time_limit_s}) {
    *column = Part(*column, shard);
  }
  planning::SolveClosedForm(problem, 0, size, probability, power_w);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t device = shard.begin + i;
    if (!planning::IsUsable(bands, device, bandwidth_hz[device])) probability[i] = 0;
  }
}

// Makes the bands add up to the total, from which they differ by rounding or because nobody needs
// the rest, and drops those that are too small to plan with. False where none is left.
bool Fit(const BandProblem& problem, Values& bandwidth_hz) {
  long double sum_hz = 0;
  for (const double band_hz : bandwidth_hz) sum_hz += band_hz;
  if (!(sum_hz > 0)) return false;
  // A rounding error less, so that the sum of the rounded bands does not exceed the total.
  const auto factor = static_cast<double>(problem.total_bandwidth_hz / sum_hz * (1 - 4e-16L));
  for (std::size_t i = 0; i < bandwidth_hz.size(); ++i) {
    bandwidth_hz[i] *= factor;
    if (!planning::IsUsable(problem, i, bandwidth_hz[i])) bandwidth_hz[i] = 0;
  }
  return true;
}

}  // namespace

double NoiseToGainIn(const BandProblem& problem, std::size_t device, double bandwidth_hz) {
  const double own_w = problem.problem.noise_to_gain_w[device];
  if (!problem.noise_grows_with_band) return own_w;
  return own_w * (bandwidth_hz / problem.own_bandwidth_hz[device]);
}

double NatTimeIn(const BandProblem& problem, std::size_t device, double bandwidth_hz) {
  if (problem.problem.samples[device] == 0) return planning::kNoBand;
  return NatTime(problem.update_bits[device], bandwidth_hz);
}

Status Validate(const BandProblem& problem) {
  if (auto status = Validate(problem.problem); !status) return status;
  const std::size_t devices = problem.problem.devices;
  if (auto status =
          planning::ValidateColumn("bandwidth_hz", problem.own_bandwidth_hz, devices, false);
      !status) {
    return status;
  }
  if (auto status = planning::ValidateColumn("update_bits", problem.update_bits, devices, false);
      !status)
    return status;
  if (auto status = planning::ValidateColumn("weight", problem.weight, devices, true); !status)
    return status;
  if (!IsInput(problem.total_bandwidth_hz, false)) {
    return Error{fmt::format(
        "total_bandwidth_hz = {}: must be {} to {}", base::FormatNumber(problem.total_bandwidth_hz),
        base::FormatNumber(kSmallestInput), base::FormatNumber(kLargestInput))};
  }
  return ValidateModel(problem.problem);
}

double ValueOf(const BandProblem& problem, const ColumnView& bandwidth_hz, int threads) {
  Values probability(problem.problem.devices);
  planning::ProbabilitiesIn(problem, bandwidth_hz, probability, threads);
  const auto parts =
      base::MapShards(problem.problem.devices, threads, [&](const base::Shard& shard) {
        double value = 0;
        for (std::size_t i = shard.begin; i < shard.end; ++i) {
          value += problem.weight[i] * probability[i];
        }
        return value;
      });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

namespace planning {

bool IsUsable(const BandProblem& problem, std::size_t device, double bandwidth_hz) {
  return bandwidth_hz > 0 && IsInput(NatTimeIn(problem, device, bandwidth_hz), false) &&
         IsInput(NoiseToGainIn(problem, device, bandwidth_hz), false);
}

void ProbabilitiesIn(const BandProblem& problem, const ColumnView& bandwidth_hz,
                     std::span<double> probability, int threads) {
  CheckShape(problem.problem);
  base::ForEachShard(problem.problem.devices, threads, [&](const base::Shard& shard) {
    PlanShard(problem, bandwidth_hz, shard,
              probability.subspan(shard.begin, shard.end - shard.begin));
  });
}

}  // namespace planning

BandSplit ShareBandwidth(const BandProblem& problem, int threads) {
  const std::size_t devices = problem.problem.devices;
  const double equal_hz = problem.total_bandwidth_hz / static_cast<double>(devices);
  const planning::PricedFleet fleet = planning::MakePricedFleet(problem, threads);
  const auto range = planning::FindPrice(fleet, problem.total_bandwidth_hz, threads);
  BandSplit split{
      .bandwidth_hz = planning::MixBands(fleet, range, problem.total_bandwidth_hz, threads),
      .equal_value = ValueOf(problem, equal_hz, threads),
      .bound = range.bound,
      .price = range.high};
  const bool is_fit = Fit(problem, split.bandwidth_hz);
  split.value = is_fit ? ValueOf(problem, split.bandwidth_hz, threads) : 0;
  if (!is_fit || split.value < split.equal_value) {  // by rounding, or because nobody can take part
    split.bandwidth_hz.assign(devices, equal_hz);
    Fit(problem, split.bandwidth_hz);
    split.value = split.equal_value;
  }
  return split;
}

}  // namespace airlot
