#include "airlot/airtime_round.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "airlot/link.h"
#include "base/gather.h"
#include "base/shards.h"
#include "planning/concurrent_uploads.h"
#include "planning/round_time.h"
#include "planning/shape.h"

namespace airlot {
namespace {

// Returns a number that rises with Σ w·U(a), (A4), of those who take part: the sum itself for φ =
// 1, else the logarithm of Σ w·a^(1-φ), with the sign of 1 - φ. The powers may be beyond all
// doubles.
double ValueOf(const AirtimeProblem& problem, const AirtimePlan& plan, const Hands& hands) {
  const double fairness = problem.fairness;
  const std::size_t devices = problem.devices.devices;
  const std::span<const double> probability = plan.plan.probability;
  if (fairness == 1) {
    return base::SumOfFleet(devices, hands, [&](std::size_t i) {
      return probability[i] > 0 ? problem.weight[i] * std::log(probability[i]) : 0.0;
    });
  }
  const auto log_term = [&](std::size_t i) {
    return std::log(problem.weight[i]) + (1 - fairness) * std::log(probability[i]);
  };
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < devices; ++i) {
    if (probability[i] > 0) largest = std::max(largest, log_term(i));
  }
  largest = std::ranges::max(base::GatherOne(hands, largest));
  const double sum = base::SumOfFleet(devices, hands, [&](std::size_t i) {
    return probability[i] > 0 ? std::exp(log_term(i) - largest) : 0.0;
  });
  return (fairness < 1 ? 1 : -1) * (largest + std::log(sum));
}

}  // namespace

bool CanSendTogether(const Cell& cell) {
  return cell.noise_grows_with_band && cell.problem.circuit_power_w == 0;
}

Status AirtimeRound::Check(const Cell& cell, std::span<const double> data_share,
                           std::span<const double> own_band_probability, const Hands& hands) {
  SetColumns(cell, data_share, own_band_probability, hands);
  SetGoal(cell, hands);
  SetFloors(cell, own_band_probability, hands);
  return Validate(problem_);
}

void AirtimeRound::Plan(const Cell& cell, std::span<const double> data_share,
                        std::span<const double> own_band_probability, const Hands& hands) {
  SetColumns(cell, data_share, own_band_probability, hands);
  SetGoal(cell, hands);
  SetFloors(cell, own_band_probability, hands);
  SolveForTurns(cell, hands);
  payable_participants_.reset();
  if (IsShortOfParticipants()) {
    payable_participants_ = plan_.participants;
    SetTimeGoal(cell, hands);
    SetFloors(cell, own_band_probability, hands);
    SolveForTurns(cell, hands);
  }
  if (rules_.sharing == AirtimeSharing::kTurns || !CanSendTogether(cell)) return;
  const bool keeps_floors = floors_ == AirtimeFloors::kKept;
  if (keeps_floors && rules_.sharing == AirtimeSharing::kBetter) return;
  const double turns_worth = Worth(hands);
  const AirtimeProblem turns_problem = problem_;
  AirtimePlan turns_plan = std::move(plan_);
  SolveForBands(cell, hands);
  if (rules_.sharing == AirtimeSharing::kBands || Worth(hands) > turns_worth) return;
  takes_turns_ = true;
  problem_ = turns_problem;
  plan_ = std::move(turns_plan);
  DescribeCosts(cell);
}

// Says whether the budgets do not pay for so many, however slowly they send.
bool AirtimeRound::IsShortOfParticipants() const {
  return problem_.goal == AirtimeGoal::kParticipants &&
         plan_.participants < problem_.participants * (1 - 1e-9);
}

// What a plan is worth is its value (A4) or, where the number of participants is given, less time.
double AirtimeRound::Worth(const Hands& hands) const {
  return problem_.goal == AirtimeGoal::kTime ? ValueOf(problem_, plan_, hands)
                                             : -ExpectTimes(*this, hands).at_most_s();
}

void AirtimeRound::SetColumns(const Cell& cell, std::span<const double> data_share,
                              std::span<const double> own_band_probability, const Hands& hands) {
  const std::size_t count = cell.problem.devices;
  const std::size_t all_devices = base::SumOfMembers(hands, count);
  for (ColumnValues* values : {&noise_to_gain_w_, &nat_time_s_, &weight_, &least_, &most_,
                               &energy_j_, &radiated_j_, &least_upload_s_}) {
    values->resize(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const BandColumns columns = ColumnsIn(cell, i, cell.total_bandwidth_hz);
    noise_to_gain_w_[i] = columns.noise_to_gain_w;
    nat_time_s_[i] = columns.nat_time_s;
    most_[i] = own_band_probability[i] > 0 ? 1 : 0;
    const bool weighs = rules_.data_exponent != 0 && data_share[i] > 0;
    weight_[i] = weighs ? std::pow(data_share[i] * double(all_devices), rules_.data_exponent) : 1;
  }
  problem_ = {.devices = cell.problem,
              .fairness = rules_.fairness < kLeastFairness ? 0 : rules_.fairness,
              .weight = weight_,
              .energy_price_s_per_j = rules_.energy_price_s_per_j,
              .priced_time_s = cell.compute_time_s,
              .most_probability = most_};
  problem_.devices.noise_to_gain_w = noise_to_gain_w_;
  problem_.devices.nat_time_s = nat_time_s_;
  problem_.devices.compute_time_s = 0.0;
  problem_.devices.time_rule = TimeRule::kExpected;
}

void AirtimeRound::SetGoal(const Cell& cell, const Hands& hands) {
  if (rules_.participants > 0) {
    problem_.goal = AirtimeGoal::kParticipants;
    problem_.participants = rules_.participants;
  } else {
    SetTimeGoal(cell, hands);
  }
}

// (A2)
void AirtimeRound::SetTimeGoal(const Cell& cell, const Hands& hands) {
  problem_.goal = AirtimeGoal::kTime;
  const ColumnView& limit_s = cell.problem.time_limit_s;
  const auto all_devices = double(base::SumOfMembers(hands, cell.problem.devices));
  problem_.seconds = limit_s.is_constant()
                         ? limit_s.constant()
                         : base::SumOfFleet(cell.problem.devices, hands, [&](std::size_t i) {
                             return limit_s[i] / all_devices;
                           });
  time_limit_s_ = problem_.seconds;
}

AirtimeFloors AirtimeRound::FindFloors(const Cell& cell, const Hands& hands) const {
  if (rules_.floor == 0) return AirtimeFloors::kNotWanted;
  if (rules_.energy_price_s_per_j > 0) return AirtimeFloors::kEnergyIsPriced;
  if (problem_.goal == AirtimeGoal::kParticipants) return AirtimeFloors::kParticipantsGiven;
  return planning::IsZero(cell.problem.compute_time_s, hands) ? AirtimeFloors::kKept
                                                              : AirtimeFloors::kComputationCounts;
}

// (A14). The floors are lower by an accuracy's worth: a device that spends next to all on
// computation would else have to send as slowly as rounding makes of the rest of its budget.
void AirtimeRound::SetFloors(const Cell& cell, std::span<const double> own_band_probability,
                             const Hands& hands) {
  constexpr double kAccuracy = 1e-12;
  floors_ = FindFloors(cell, hands);
  if (floors_ != AirtimeFloors::kKept) return;
  for (std::size_t i = 0; i < least_.size(); ++i) {
    least_[i] = rules_.floor * (1 - kAccuracy) * own_band_probability[i];
  }
  problem_.least_probability = least_;
}

void AirtimeRound::SolveForTurns(const Cell& cell, const Hands& hands) {
  takes_turns_ = true;
  SolveProblem(cell, hands);
  constexpr double kNoPriceIsEnough = std::numeric_limits<double>::infinity();
  if (plan_.log_price != kNoPriceIsEnough) return;
  // With a density the floors may take all of the time, up to rounding.
  if (plan_.seconds <= problem_.seconds * (1 + kLargestViolation)) return;
  // The floors do not fit. With noise of a fixed power they do, unless a solver of the paper breaks
  // its limits; with a density that is sure only where no power cap binds in the whole band.
  floors_ = AirtimeFloors::kTheyDoNotFit;
  problem_.least_probability = 0.0;
  SolveProblem(cell, hands);
}

void AirtimeRound::SolveProblem(const Cell& cell, const Hands& hands) {
  plan_ = solver_.Solve(problem_, hands);
  DescribeCosts(cell);
}

// A radiated joule takes the time 1/P^max in any band, so it has that price beside its own, but E^c
// does not; and m counts for the goal, at most what it is at the u of the least cost. (A17)
void AirtimeRound::SolveForBands(const Cell& cell, const Hands& hands) {
  takes_turns_ = false;
  if (floors_ == AirtimeFloors::kKept) floors_ = AirtimeFloors::kBandsKeepNone;
  problem_.least_probability = 0.0;
  const std::size_t count = cell.problem.devices;
  for (ColumnValues* values : {&price_s_per_j_, &added_time_s_, &priced_time_s_}) {
    values->resize(count);
  }
  const double efficiency = cell.problem.amplifier_efficiency;
  const double most_nats = MaxNatsPerHertz(cell.problem.spectral_efficiency_cap);
  for (std::size_t i = 0; i < count; ++i) {
    const double s_per_j = efficiency / cell.problem.max_power_w[i];
    price_s_per_j_[i] = rules_.energy_price_s_per_j + s_per_j;
    const double noise_w = noise_to_gain_w_[i] * cell.problem.snr_gap;
    const double slope = efficiency / (price_s_per_j_[i] * noise_w);  // (A7)
    const double nats = std::min(planning::NatsOfPrice(std::log(slope)), most_nats);
    const double least_s = PowerOfNats(noise_w, nats) * (nat_time_s_[i] / nats) /
                           cell.problem.max_power_w[i];  // (A15)
    const bool can_send = std::isfinite(nat_time_s_[i]);
    added_time_s_[i] = can_send ? least_s : 0;
    priced_time_s_[i] = cell.compute_time_s[i] - added_time_s_[i] -
                        s_per_j * FixedEnergyOf(cell.problem, i).drawn_j;
  }
  problem_.energy_price_s_per_j = price_s_per_j_;
  problem_.added_time_s = added_time_s_;
  problem_.priced_time_s = priced_time_s_;
  problem_.is_power_limited = false;
  if (problem_.goal == AirtimeGoal::kTime) {
    StretchTime(cell, hands);
  } else {
    SolveProblem(cell, hands);
  }
}

// The sum over devices that the goal bounds is longer than the mean round, because uploads go on at
// the same time: it is stretched until the second bound of (A16), which rises with it, meets the
// limit. The search is by false position (Illinois) on logarithms, and ends where the limit is
// kept.
void AirtimeRound::StretchTime(const Cell& cell, const Hands& hands) {
  constexpr double kEnough = 1e-9;
  const double limit_s = problem_.seconds;
  const auto excess = [&](double log_stretch) {
    problem_.seconds = limit_s * std::exp(log_stretch);
    SolveProblem(cell, hands);
    return std::log(ExpectTimes(*this, hands).at_most_s() / limit_s);
  };
  double low = 0, at_low = excess(low);  // The sum is at least the bound, up to rounding.
  constexpr double kTimeToSpare = -std::numeric_limits<double>::infinity();
  if (plan_.log_price == kTimeToSpare) return;
  double high = 1, at_high = excess(high);
  while (at_high < 0 && plan_.log_price != kTimeToSpare) {
    low = std::exchange(high, 2 * high);
    at_low = std::exchange(at_high, excess(high));
  }
  for (int step = 0; step < 60 && at_high > 0 && at_low < -kEnough && high - low > kEnough;
       ++step) {
    const double middle = low - at_low * (high - low) / (at_high - at_low);
    const double at_middle = excess(middle);
    if (at_middle <= 0) {
      low = middle;
      at_low = at_middle;
      at_high /= 2;
    } else {
      high = middle;
      at_high = at_middle;
      at_low /= 2;
    }
  }
  if (at_high > 0) excess(low);
}

void AirtimeRound::DescribeCosts(const Cell& cell) {
  for (std::size_t i = 0; i < energy_j_.size(); ++i) {
    energy_j_[i] = radiated_j_[i] = least_upload_s_[i] = 0;
    if (plan_.plan.probability[i] == 0) continue;
    if (takes_turns()) {
      const Terms terms{.power_w = plan_.plan.power_w[i], .bandwidth_hz = cell.total_bandwidth_hz};
      energy_j_[i] = CostOf(cell, i, terms).energy_j;
      continue;
    }
    const double nats = nat_time_s_[i] / plan_.upload_s[i];
    const double noise_w = noise_to_gain_w_[i] * cell.problem.snr_gap;
    radiated_j_[i] = PowerOfNats(noise_w, nats) * plan_.upload_s[i];
    least_upload_s_[i] = radiated_j_[i] / cell.problem.max_power_w[i];
    energy_j_[i] =
        radiated_j_[i] / cell.problem.amplifier_efficiency + FixedEnergyOf(cell.problem, i).drawn_j;
  }
}

// The load Σ x/(B·(T - ready)) falls with the end T; where nobody computes it is Σ t/T.
std::vector<BandShare> AirtimeRound::ShareBand(const Cell& cell,
                                               std::span<const std::uint32_t> devices,
                                               const ColumnView& ready_s) const {
  double low_s = 0, latest_s = 0, band_s = 0;
  for (const std::uint32_t i : devices) {
    low_s = std::max(low_s, ready_s[i] + least_upload_s_[i]);
    latest_s = std::max(latest_s, ready_s[i]);
    band_s += plan_.upload_s[i];
  }
  const auto load = [&](double end_s) {
    double sum = 0;
    for (const std::uint32_t i : devices) sum += plan_.upload_s[i] / (end_s - ready_s[i]);
    return sum;
  };
  double end_s = std::max(low_s, latest_s + band_s);  // enough for turns after all computation
  if (load(low_s) <= 1) end_s = low_s;
  while (end_s > low_s) {
    const double middle_s = low_s + (end_s - low_s) / 2;
    if (middle_s <= low_s || middle_s >= end_s) break;
    (load(middle_s) > 1 ? low_s : end_s) = middle_s;
  }
  std::vector<BandShare> shares;
  for (const std::uint32_t i : devices) {
    const double upload_s = end_s - ready_s[i];
    shares.push_back({.power_w = std::min(radiated_j_[i] / upload_s, cell.problem.max_power_w[i]),
                      .bandwidth_hz = cell.total_bandwidth_hz * (plan_.upload_s[i] / upload_s)});
  }
  return shares;
}

AirtimeTimes ExpectTimes(const AirtimeRound& round, const Hands& hands) {
  const AirtimePlan& plan = round.plan();
  AirtimeTimes times{.band_s = base::SumOfFleet(plan.upload_s.size(), hands, [&](std::size_t i) {
                       return plan.plan.probability[i] * plan.upload_s[i];
                     })};
  if (!round.takes_turns()) {
    const std::span<const double> least_s = round.least_upload_s();
    times.slowest_s = planning::ExpectedMaximum(
        plan.plan.probability, [&](std::size_t i) { return least_s[i]; }, hands);
  }
  return times;
}

}  // namespace airlot
