#include "simulation/round_plan.h"

#include <algorithm>
#include <limits>

namespace airlot::simulation {

RoundPlan::RoundPlan(const Setting& setting, RunState& state)
    : setting_(setting),
      state_(state),
      cell_(CellOf(setting)),
      fades_(setting.scenario.radio.fading != Fading::kNone),
      has_batteries_(setting.fleet.has_battery),
      probability_(setting.plan.probability),
      power_w_(setting.plan.power_w),
      empty_batteries_(has_batteries_ ? 0 : std::numeric_limits<double>::quiet_NaN()) {
  const std::size_t devices = setting.fleet.devices;
  if (fades_) {
    for (Values* values : {&noise_to_gain_w_, &planned_probability_, &planned_power_w_}) {
      values->resize(devices);
    }
    cell_.problem.noise_to_gain_w = noise_to_gain_w_;
    probability_ = planned_probability_;
    power_w_ = planned_power_w_;
  }
  if (has_batteries_) {
    paid_probability_.assign(devices, 0.0);
    probability_ = paid_probability_;
  }
}

void RoundPlan::StartRound() {
  if (fades_) PlanForChannel();
  if (has_batteries_) LeaveOutEmpty();
  if (state_.probability_sum.empty()) return;
  for (std::size_t i = 0; i < probability_.size(); ++i) {
    state_.probability_sum[i] += probability_[i];
  }
}

// (191)
void RoundPlan::PlanForChannel() {
  FadeNoise(setting_.fleet, setting_.scenario.radio, setting_.seed, state_.round, noise_to_gain_w_);
  PlanRound(setting_.scenario.round, cell_.problem, {}, planned_probability_, planned_power_w_);
  ++version_;
}

// (192)
void RoundPlan::LeaveOutEmpty() {
  const std::span<const double> planned = fades_ ? planned_probability_ : setting_.plan.probability;
  bool has_changed = false;
  std::size_t empty = 0;
  waits_for_charge_ = false;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    double probability = planned[i];
    if (probability > 0) {
      const double always_j = setting_.always_j.empty() ? 0 : setting_.always_j[i];
      if (state_.battery_j[i] < CostOfPlanned(i).energy_j + always_j) {
        probability = 0;
        ++empty;
        waits_for_charge_ |= setting_.fleet.harvest_w[i] > 0;
        if (state_.first_empty_round[i] == 0) {
          state_.first_empty_round[i] = std::uint32_t(state_.round);
        }
      }
    }
    has_changed |= probability != paid_probability_[i];
    paid_probability_[i] = probability;
  }
  if (has_changed) ++version_;
  empty_batteries_ = double(empty);
}

ParticipationCost RoundPlan::CostOfPlanned(std::size_t device) const {
  if (!fades_) {
    return {.upload_s = setting_.participation_s[device],
            .energy_j = setting_.participation_j[device]};
  }
  const Terms terms{.power_w = planned_power_w_[device],
                    .bandwidth_hz = cell_.bandwidth_hz[device]};
  return CostOf(cell_, device, terms);
}

}  // namespace airlot::simulation
