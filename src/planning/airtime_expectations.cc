#include "airlot/airtime_expectations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "airlot/link.h"
#include "base/gather.h"
#include "base/shards.h"
#include "planning/round_time.h"
#include "planning/shape.h"

namespace airlot {
namespace {

constexpr double kAlmost = 1 - 1e-9;  // a solver meets a constraint to rounding

// Returns the time that a device takes if it is drawn alone. (A15)
double AloneTime(const AirtimeRound& round, std::size_t device) {
  return std::max(round.plan().upload_s[device], round.least_upload_s()[device]);
}

double AlonePower(const AirtimeRound& round, std::size_t device) {
  if (round.takes_turns()) return round.plan().plan.power_w[device];
  const double power_w = round.radiated_j()[device] / AloneTime(round, device);
  return std::min(power_w, round.problem().devices.max_power_w[device]);
}

// Returns what keeps a device from taking part more often. Where neither its budget nor its radio
// does, another second of it is not worth its price.
Limit LimitOf(const Cell& cell, const AirtimeRound& round, const PlanView& own_bands,
              std::size_t device) {
  constexpr double kCertain = 1 - 1e-12;
  const PlanningProblem& devices = round.problem().devices;
  const double probability = round.plan().plan.probability[device];
  if (probability >= kCertain) return Limit::kFull;
  if (probability == 0) {
    return own_bands.probability[device] > 0 ? Limit::kTime
                                             : Describe(cell.problem, own_bands, device).limit;
  }
  const double budget_j = devices.energy_budget_j[device] - FixedEnergyOf(devices, device).always_j;
  if (probability * round.energy_j()[device] >= budget_j * kAlmost) return Limit::kEnergy;
  if (AlonePower(round, device) >= devices.max_power_w[device] * kAlmost) return Limit::kPower;
  const double nats = devices.nat_time_s[device] / round.plan().upload_s[device];
  return nats >= MaxNatsPerHertz(devices.spectral_efficiency_cap) * kAlmost ? Limit::kRate
                                                                            : Limit::kTime;
}

void AppendRow(const Cell& cell, const AirtimeRound& round, std::size_t i, PlanFile& rows) {
  const bool is_able = round.plan().plan.probability[i] > 0;
  const double upload_s = is_able ? AloneTime(round, i) : 0;
  rows.plan.power_w.push_back(is_able ? AlonePower(round, i) : 0);
  rows.upload_s.push_back(upload_s);
  rows.rate_bps.push_back(is_able ? cell.update_bits[i] / upload_s : 0);
  rows.energy_j.push_back(is_able ? round.energy_j()[i] + FixedEnergyOf(cell.problem, i).always_j
                                  : 0);
  rows.bandwidth_hz->push_back(
      is_able ? cell.total_bandwidth_hz * (round.plan().upload_s[i] / upload_s) : 0);
}

// Returns when each device is ready to send, as far as the books or the limit count that.
const ColumnView& ReadyTimes(const Cell& cell, const Hands& hands) {
  return planning::IsZero(cell.compute_time_s, hands) ? cell.problem.compute_time_s
                                                      : cell.compute_time_s;
}

// The round is the sum of all uploads where nobody waits for its power: in turns, and in bands
// where each could send alone in the whole band. (A16)
bool IsSumOfUploads(const AirtimeRound& round, const Hands& hands) {
  const std::span<const double> least_s = round.least_upload_s();
  bool is_sum = true;
  for (std::size_t i = 0; is_sum && i < least_s.size(); ++i) {
    is_sum = least_s[i] <= round.plan().upload_s[i];
  }
  return base::IsSoForAll(hands, is_sum);
}

void ExpectTime(const Cell& cell, const AirtimeRound& round, const Hands& hands,
                AirtimeExpectations& expect) {
  const std::span<const double> probability = round.plan().plan.probability;
  const ColumnView& ready_s = ReadyTimes(cell, hands);
  const bool is_sum = IsSumOfUploads(round, hands);
  expect.uploads = ExpectTimes(round, hands);
  expect.counts_computation = !planning::IsZero(ready_s, hands);
  expect.time_at_least_s = expect.uploads.at_least_s();
  expect.time_at_most_s = is_sum ? expect.uploads.band_s : expect.uploads.at_most_s();
  if (expect.counts_computation) {  // (A18)
    const auto alone_s = [&](std::size_t i) { return ready_s[i] + AloneTime(round, i); };
    expect.time_at_least_s =
        std::max(expect.time_at_least_s, planning::ExpectedMaximum(probability, alone_s, hands));
    expect.time_at_most_s += planning::ExpectedMaximum(
        probability, [&](std::size_t i) { return ready_s[i]; }, hands);
  } else if (is_sum) {  // (A22)
    expect.time_at_least_s = expect.time_at_most_s;
    expect.time_sd_s = std::sqrt(base::SumOfFleet(probability.size(), hands, [&](std::size_t i) {
      const double upload_s = round.plan().upload_s[i];
      return probability[i] * (1 - probability[i]) * upload_s * upload_s;
    }));
  }
  expect.round.round_time_s = expect.time_at_most_s;
}

// Sums are over one shard.
struct Sums {
  double participants = 0, participants_variance = 0, energy_j = 0, energy_variance_j2 = 0,
         log_empty = 0, longest_upload_s = 0;
  std::array<std::size_t, kLimitCount> devices_by_limit{};
};

Sums SumShard(const Cell& cell, const AirtimeRound& round, const PlanFile& rows,
              const base::Shard& shard) {
  Sums sums;
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    const double a = rows.plan.probability[i], energy_j = round.energy_j()[i];
    sums.participants += a;
    sums.participants_variance += a * (1 - a);
    sums.energy_j += FixedEnergyOf(cell.problem, i).always_j + a * energy_j;
    sums.energy_variance_j2 += a * (1 - a) * energy_j * energy_j;
    sums.log_empty += std::log1p(-a);  // (31)
    sums.longest_upload_s = std::max(sums.longest_upload_s, rows.upload_s[i]);
    ++sums.devices_by_limit[static_cast<std::size_t>(rows.limits[i])];
  }
  return sums;
}

}  // namespace

PlanFile DescribeAirtime(const Fleet& fleet, const Cell& cell, const AirtimeRound& round,
                         const PlanView& own_bands) {
  PlanFile rows;
  rows.ids = fleet.ids;
  rows.plan.probability = round.plan().plan.probability;
  rows.bandwidth_hz.emplace();
  for (std::size_t i = 0; i < cell.problem.devices; ++i) {
    AppendRow(cell, round, i, rows);
    rows.limits.push_back(LimitOf(cell, round, own_bands, i));
  }
  return rows;
}

// (A22)
AirtimeExpectations ExpectAirtime(const Cell& cell, const AirtimeRound& round, const PlanFile& rows,
                                  const Hands& hands) {
  AirtimeExpectations expect;
  Sums sum;
  for (const Sums& part : base::MapFleet(rows.limits.size(), hands, [&](const base::Shard& shard) {
         return SumShard(cell, round, rows, shard);
       })) {
    sum.participants += part.participants;
    sum.participants_variance += part.participants_variance;
    sum.energy_j += part.energy_j;
    sum.energy_variance_j2 += part.energy_variance_j2;
    sum.log_empty += part.log_empty;
    sum.longest_upload_s = std::max(sum.longest_upload_s, part.longest_upload_s);
    for (std::size_t limit = 0; limit < kLimitCount; ++limit) {
      expect.round.devices_by_limit[limit] += part.devices_by_limit[limit];
    }
  }
  expect.round.participants = sum.participants;
  expect.round.round_energy_j = sum.energy_j;
  expect.round.longest_upload_s = sum.longest_upload_s;
  expect.round.participants_sd = std::sqrt(sum.participants_variance);
  expect.round.round_energy_sd_j = std::sqrt(sum.energy_variance_j2);
  expect.round.probability_empty_round = std::exp(sum.log_empty);
  ExpectTime(cell, round, hands, expect);
  return expect;
}

}  // namespace airlot
