// This file solves max Σ w·a_i(B_i) s.t. Σ B_i <= B by its dual. Every a_i is concave, so at the
// right price per hertz what each device would buy for itself, max w·a - ν·B, adds up to the
// optimum; where a_i has a linear piece several bands are equally good, and those of two prices
// around the right one are mixed until they add up. The dual's value there bounds every split.
#include "planning/split_continuous.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "airlot/band_split.h"
#include "base/gather.h"
#include "base/shards.h"
#include "base/text.h"
#include "planning/band_demand.h"
#include "planning/circuit_demand.h"
#include "planning/clearing_price.h"
#include "planning/closed_form.h"
#include "planning/shape.h"

namespace airlot {
namespace {

// Bands that are narrower than this share of an equal one may cost as much of the value, (B16).
constexpr double kNegligibleShare = 1e-10;

// UsableBands are the narrowest and the widest band with which the planner computes (`IsUsable`), a
// little inside.
struct UsableBands {
  double least_hz, most_hz;
};
UsableBands UsableBandsOf(const Cell& cell, std::size_t device) {
  const BandColumns in_one_hz = ColumnsIn(cell, device, 1);
  UsableBands bands{in_one_hz.nat_time_s / kLargestInput, in_one_hz.nat_time_s / kSmallestInput};
  if (cell.noise_grows_with_band) {
    const double per_hz_w = in_one_hz.noise_to_gain_w;
    bands.least_hz = std::max(bands.least_hz, kSmallestInput / per_hz_w);
    bands.most_hz = std::min(bands.most_hz, kLargestInput / per_hz_w);
  }
  return {bands.least_hz * (1 + 1e-12), bands.most_hz * (1 - 1e-12)};
}

// Returns the narrowest band that a device's demand is computed for.
double LeastDemand(const Cell& cell, std::size_t device) {
  const double least_hz = UsableBandsOf(cell, device).least_hz;
  if (!cell.noise_grows_with_band || cell.problem.circuit_power_w == 0) return least_hz;
  const double per_hz_w = ColumnsIn(cell, device, 1).noise_to_gain_w;
  return std::max(least_hz, cell.problem.max_power_w[device] / per_hz_w *
                                std::exp(-planning::kMostCircuitNats));
}

// Checks the domain in which the promised gap is derived (docs/bandwidth.md, (B16)).
Status ValidateBands(const Cell& cell, std::size_t all_devices) {
  const double total_hz = cell.total_bandwidth_hz;
  const double share_hz = kNegligibleShare * total_hz / static_cast<double>(all_devices);
  for (std::size_t i = 0; i < cell.problem.devices; ++i) {
    if (cell.problem.samples[i] == 0) continue;
    const double least_hz = LeastDemand(cell, i), most_hz = UsableBandsOf(cell, i).most_hz;
    if (least_hz <= share_hz && total_hz <= most_hz) continue;
    return Error{fmt::format(
        "device {}: total_bandwidth_hz = {}: must be {} to {}, where the device's update, noise "
        "and "
        "power let bands be compared",
        cell.problem.first_device + i + 1, base::FormatNumber(total_hz),
        base::FormatNumber(total_hz * (least_hz / share_hz)), base::FormatNumber(most_hz))};
  }
  return {};
}

// Refuses what has no concave a_i, or none that is derived.
Status ValidateModel(const PlanningProblem& problem) {
  if (problem.time_rule == TimeRule::kDeadline) {
    return FieldError("time_rule", "deadline",
                      "cannot stand beside a shared band: set it to expected");
  }
  if (!planning::IsZero(problem.compute_time_s)) {
    return FieldError("count_compute_time", "true",
                      "cannot stand beside a shared band: set it to false");
  }
  if (problem.steps.any()) {
    return Error{
        fmt::format("{}: cannot stand beside a shared band, which is split by Shannon's "
                    "formula for powers of any size",
                    NameOfSteps(problem.steps))};
  }
  return {};
}

// Returns the part of a column that belongs to a shard.
ColumnView Part(const ColumnView& column, const base::Shard& shard) {
  if (column.is_constant()) return column;
  return ColumnView(column.values().subspan(shard.begin, shard.end - shard.begin));
}

// Finds the optimum (12) of one shard in the given bands.
void PlanShard(const BandProblem& bands, const ColumnView& bandwidth_hz, const base::Shard& shard,
               std::span<double> probability) {
  const std::size_t size = shard.end - shard.begin;
  ColumnValues noise_to_gain_w(size), nat_time_s(size), power_w(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t device = shard.begin + i;
    const bool is_usable = planning::IsUsable(bands, device, bandwidth_hz[device]);
    // What is planned in a band that is not usable is put to 0 below.
    const BandColumns columns =
        is_usable ? ColumnsIn(bands.cell, device, bandwidth_hz[device]) : BandColumns{1, 1};
    noise_to_gain_w[i] = columns.noise_to_gain_w;
    nat_time_s[i] = columns.nat_time_s;
  }
  PlanningProblem problem = bands.cell.problem;
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

// Returns what a sum of bands must be multiplied by to be the total. It is a rounding error less,
// so that the sum of the rounded bands does not exceed the total.
double FactorTo(long double total_hz, long double sum_hz) {
  return static_cast<double>(total_hz / sum_hz * (1 - 4e-16L));
}

// Makes the bands add up to the total, from which they differ by rounding or because nobody needs
// the rest. A band that is too narrow or too wide to plan with becomes the nearest that is not: all
// a_i are concave, so what the narrow ones then take from the others costs no larger share of the
// value than of the band. Returns false where there is no band.
bool Fit(const BandProblem& problem, const Hands& hands, ColumnValues& bandwidth_hz) {
  const Cell& cell = problem.cell;
  const auto sum_hz = base::SumOfFleet(bandwidth_hz.size(), hands, [&](std::size_t i) {
    return static_cast<long double>(bandwidth_hz[i]);
  });
  if (!(sum_hz > 0)) return false;
  const double factor = FactorTo(cell.total_bandwidth_hz, sum_hz);
  const auto is_narrow = [&](std::size_t i, double least_hz) {
    return bandwidth_hz[i] > 0 && bandwidth_hz[i] * factor < least_hz;
  };
  // These are given to those that would have less, and what the others have.
  const auto narrow_hz = base::SumOfFleet(bandwidth_hz.size(), hands, [&](std::size_t i) {
    const double least_hz = UsableBandsOf(cell, i).least_hz;
    return static_cast<long double>(is_narrow(i, least_hz) ? least_hz : 0);
  });
  const auto other_hz = base::SumOfFleet(bandwidth_hz.size(), hands, [&](std::size_t i) {
    const double least_hz = UsableBandsOf(cell, i).least_hz;
    return static_cast<long double>(is_narrow(i, least_hz) ? 0 : bandwidth_hz[i]);
  });
  const bool has_room = narrow_hz < cell.total_bandwidth_hz;
  const double other_factor =
      narrow_hz > 0 && has_room && other_hz > 0
          ? std::min(factor, FactorTo(cell.total_bandwidth_hz - narrow_hz, other_hz))
          : factor;
  for (std::size_t i = 0; i < bandwidth_hz.size(); ++i) {
    const auto [least_hz, most_hz] = UsableBandsOf(cell, i);
    if (is_narrow(i, least_hz)) {
      bandwidth_hz[i] = has_room ? least_hz : 0;
    } else {
      bandwidth_hz[i] = std::min(bandwidth_hz[i] * other_factor, most_hz);
    }
    if (!planning::IsUsable(problem, i, bandwidth_hz[i])) bandwidth_hz[i] = 0;
  }
  return true;
}

}  // namespace

Status Validate(const BandProblem& problem, std::size_t all_devices) {
  if (auto status = Validate(problem.cell.problem); !status) return status;
  const PlanningProblem& devices = problem.cell.problem;
  if (auto status =
          planning::ValidateColumn("bandwidth_hz", problem.cell.bandwidth_hz, false, devices);
      !status) {
    return status;
  }
  if (auto status =
          planning::ValidateColumn("update_bits", problem.cell.update_bits, false, devices);
      !status)
    return status;
  if (auto status = planning::ValidateColumn("weight", problem.weight, true, devices); !status)
    return status;
  if (!IsInput(problem.cell.total_bandwidth_hz, false)) {
    return FieldError("total_bandwidth_hz", base::FormatNumber(problem.cell.total_bandwidth_hz),
                      fmt::format("must be {} to {}", base::FormatNumber(kSmallestInput),
                                  base::FormatNumber(kLargestInput)));
  }
  if (auto status = ValidateModel(problem.cell.problem); !status) return status;
  return ValidateBands(problem.cell, all_devices == 0 ? devices.devices : all_devices);
}

double SplitValue(const BandProblem& problem, const ColumnView& bandwidth_hz, const Hands& hands) {
  ColumnValues probability(problem.cell.problem.devices);
  planning::ProbabilitiesIn(problem, bandwidth_hz, probability, hands.threads);
  return base::SumOfFleet(problem.cell.problem.devices, hands,
                          [&](std::size_t i) { return problem.weight[i] * probability[i]; });
}

namespace planning {

bool IsUsable(const BandProblem& problem, std::size_t device, double bandwidth_hz) {
  if (!(bandwidth_hz > 0)) return false;
  const BandColumns columns = ColumnsIn(problem.cell, device, bandwidth_hz);
  return IsInput(columns.nat_time_s, false) && IsInput(columns.noise_to_gain_w, false);
}

void ProbabilitiesIn(const BandProblem& problem, const ColumnView& bandwidth_hz,
                     std::span<double> probability, int threads) {
  CheckShape(problem.cell.problem);
  base::ForEachShard(problem.cell.problem.devices, threads, [&](const base::Shard& shard) {
    PlanShard(problem, bandwidth_hz, shard,
              probability.subspan(shard.begin, shard.end - shard.begin));
  });
}

}  // namespace planning

BandSplit ShareBandwidth(const BandProblem& problem, const Hands& hands) {
  const std::size_t devices = problem.cell.problem.devices;
  const double equal_hz =
      problem.cell.total_bandwidth_hz / static_cast<double>(base::SumOfMembers(hands, devices));
  const planning::BandBuyers fleet = planning::MakeBandBuyers(problem, hands.threads);
  const auto range = planning::FindPrice(fleet, problem.cell.total_bandwidth_hz, hands);
  BandSplit split{.bandwidth_hz = planning::MixBands(fleet, range, problem.cell.total_bandwidth_hz,
                                                     hands.threads),
                  .equal_value = SplitValue(problem, equal_hz, hands),
                  .bound = range.bound,
                  .price = range.high,
                  .total_bandwidth_hz = problem.cell.total_bandwidth_hz};
  const bool is_fit = Fit(problem, hands, split.bandwidth_hz);
  split.value = is_fit ? SplitValue(problem, split.bandwidth_hz, hands) : 0;
  if (!is_fit || split.value < split.equal_value) {  // by rounding, or because nobody can take part
    split.bandwidth_hz.assign(devices, equal_hz);
    Fit(problem, hands, split.bandwidth_hz);
    split.value = split.equal_value;
  }
  return split;
}

}  // namespace airlot
