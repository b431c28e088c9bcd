#include "simulation/round_conditions.h"

#include <algorithm>

namespace airlot::simulation {

RoundConditions::RoundConditions(const Setting& setting, StateParts& parts)
    : setting_(setting),
      batteries_(parts.Find<Batteries>()),
      probabilities_(parts.Find<PlannedProbabilities>()),
      cell_(CellOf(setting)),
      fades_(setting.scenario.radio.fading.kind != Fading::kNone),
      probability_(setting.plan.probability),
      power_w_(setting.plan.power_w) {
  const std::size_t devices = setting.fleet.devices;
  if (fades_) {
    for (ColumnValues* values : {&noise_to_gain_w_, &planned_probability_, &planned_power_w_}) {
      values->resize(devices);
    }
    cell_.problem.noise_to_gain_w = noise_to_gain_w_;
    probability_ = planned_probability_;
    power_w_ = planned_power_w_;
  }
  if (batteries_ != nullptr) {
    paid_probability_.assign(devices, 0.0);
    probability_ = paid_probability_;
    empty_batteries_ = 0;
  }
}

void RoundConditions::StartRound(std::uint64_t round) {
  if (fades_) PlanForChannel(round);
  if (batteries_ != nullptr) LeaveOutEmpty(round);
  if (probabilities_ == nullptr) return;
  for (std::size_t i = 0; i < probability_.size(); ++i) probabilities_->sum[i] += probability_[i];
}

// Plans the round for its own channel. (Q2)
void RoundConditions::PlanForChannel(std::uint64_t round) {
  FadeNoise(setting_.fleet, setting_.scenario.radio.fading, setting_.seed, round, noise_to_gain_w_);
  const Scenario& scenario = setting_.scenario;
  PlanRound(scenario.round, cell_.problem, scenario.planning, planned_probability_,
            planned_power_w_);
  ++version_;
}

bool RoundConditions::CanPay(std::size_t device) const {
  const double always_j = setting_.always_j ? (*setting_.always_j)[device] : 0;
  return batteries_->charge_j[device] >= CostOfPlanned(device).energy_j + always_j;
}

// Devices whose battery cannot pay for their participation get probability 0. (Q3)
void RoundConditions::LeaveOutEmpty(std::uint64_t round) {
  const std::span<const double> planned = fades_ ? planned_probability_ : setting_.plan.probability;
  bool has_changed = false;
  std::size_t empty = 0;
  waits_for_charge_ = false;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    double probability = planned[i];
    if (probability > 0 && !CanPay(i)) {
      probability = 0;
      ++empty;
      waits_for_charge_ |= setting_.fleet.batteries->harvest_w[i] > 0;
      std::optional<std::uint32_t>& first = batteries_->first_empty_round[i];
      if (!first) first = std::uint32_t(round);
    }
    has_changed |= probability != paid_probability_[i];
    paid_probability_[i] = probability;
  }
  if (has_changed) ++version_;
  empty_batteries_ = double(empty);
}

PlannedCost RoundConditions::CostOfPlanned(std::size_t device) const {
  if (!fades_) return {setting_.upload_s[device], setting_.participation_j[device]};
  const Terms terms{.power_w = planned_power_w_[device],
                    .bandwidth_hz = cell_.bandwidth_hz[device]};
  const ParticipationCost cost = CostOf(cell_, device, terms);
  return {cost.upload_s, cost.energy_j};
}

}  // namespace airlot::simulation
