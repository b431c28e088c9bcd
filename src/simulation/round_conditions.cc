#include "simulation/round_conditions.h"

#include <algorithm>

namespace airlot::simulation {

// (K15)
bool KeepsBudget(const Setting& setting, const RunState& state, std::size_t device,
                 double energy_j) {
  return state.energy_spent_j[device] + energy_j <=
         double(state.round) * setting.fleet.energy_budget_j[device];
}

double AlwaysSpent(const Setting& setting, std::size_t device) {
  return setting.always_j ? (*setting.always_j)[device] : 0;
}

RoundConditions::RoundConditions(const Setting& setting, RunState& state, bool takes_planned_terms,
                                 bool keeps_budgets)
    : setting_(setting),
      state_(state),
      batteries_(state.parts.Find<Batteries>()),
      probabilities_(state.parts.Find<PlannedProbabilities>()),
      cell_(CellOf(setting)),
      fades_(setting.scenario.radio.fading.kind != Fading::kNone),
      is_strict_(setting.scenario.budget == BudgetRule::kStrict || keeps_budgets),
      takes_planned_terms_(takes_planned_terms),
      keeps_budgets_(keeps_budgets),
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
  if (keeps_budgets_) energy_left_j_.resize(devices);
  if (batteries_ != nullptr || (is_strict_ && !keeps_budgets_)) {
    paid_probability_.assign(devices, 0.0);
    probability_ = paid_probability_;
  }
  if (batteries_ != nullptr) empty_batteries_ = 0;
}

void RoundConditions::StartRound(std::uint64_t round) {
  if (fades_) PlanForChannel(round);
  if (batteries_ != nullptr || (is_strict_ && !keeps_budgets_)) LeaveOutPoor(round);
  if (keeps_budgets_) FindEnergyLeft();
  if (probabilities_ == nullptr) return;
  for (std::size_t i = 0; i < probability_.size(); ++i) probabilities_->sum[i] += probability_[i];
}

// Plans the round for its own channel. (Q2)
void RoundConditions::PlanForChannel(std::uint64_t round) {
  const Scenario& scenario = setting_.scenario;
  FadeNoise(setting_.fleet, scenario.radio.fading, scenario.radio.knowledge, setting_.seed, round,
            noise_to_gain_w_);
  PlanRound(scenario.round, cell_.problem, scenario.planning, planned_probability_,
            planned_power_w_);
  ++version_;
}

std::span<const double> RoundConditions::planned_probability() const {
  return fades_ ? planned_probability_ : setting_.plan.probability;
}

bool RoundConditions::HasCharge(std::size_t device) const {
  if (batteries_ == nullptr) return true;
  const double least_j = keeps_budgets_ ? FixedEnergyOf(cell_.problem, device).drawn_j
                                        : CostOfPlanned(device).energy_j;
  return batteries_->charge_j[device] >= least_j + AlwaysSpent(setting_, device);
}

// Where the terms are not those of the plan, nobody knows them yet. So only those stay out who
// could not even pay for the cheaper of their own band and the whole one; others decline later if
// they must (Ledger::LeaveOutPoor). (K15)
bool RoundConditions::HasBudget(std::size_t device) const {
  if (!is_strict_) return true;
  double least_j = CostOfPlanned(device).energy_j;
  if (!takes_planned_terms_) {
    const Terms alone{.power_w = power_w_[device], .bandwidth_hz = cell_.total_bandwidth_hz};
    least_j = std::min(least_j, CostOf(cell_, device, alone).energy_j);
  }
  return KeepsBudget(setting_, state_, device, least_j + AlwaysSpent(setting_, device));
}

// (K15)
void RoundConditions::FindEnergyLeft() {
  for (std::size_t i = 0; i < energy_left_j_.size(); ++i) {
    const double budget_j = double(state_.round) * setting_.fleet.energy_budget_j[i];
    double left_j = budget_j - state_.energy_spent_j[i];
    if (batteries_ != nullptr) left_j = std::min(left_j, batteries_->charge_j[i]);
    energy_left_j_[i] = left_j - AlwaysSpent(setting_, i);
  }
}

// Devices that cannot pay for their participation get probability 0. (Q3), (K15)
void RoundConditions::LeaveOutPoor(std::uint64_t round) {
  const std::span<const double> planned = planned_probability();
  bool has_changed = false;
  std::size_t empty = 0;
  waits_for_charge_ = false;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    double probability = planned[i];
    if (probability > 0 && !HasCharge(i)) {
      probability = 0;
      ++empty;
      waits_for_charge_ |= setting_.fleet.batteries->harvest_w[i] > 0;
      std::optional<std::uint32_t>& first = batteries_->first_empty_round[i];
      if (!first) first = std::uint32_t(round);
    }
    if (probability > 0 && !keeps_budgets_ && !HasBudget(i)) probability = 0;
    has_changed |= probability != paid_probability_[i];
    paid_probability_[i] = probability;
  }
  if (has_changed) ++version_;
  if (empty_batteries_) empty_batteries_ = double(empty);
}

PlannedCost RoundConditions::CostOfPlanned(std::size_t device) const {
  if (!fades_) return {setting_.upload_s[device], setting_.participation_j[device]};
  const Terms terms{.power_w = planned_power_w_[device],
                    .bandwidth_hz = cell_.bandwidth_hz[device]};
  const ParticipationCost cost = CostOf(cell_, device, terms);
  return {cost.upload_s, cost.energy_j};
}

}  // namespace airlot::simulation
