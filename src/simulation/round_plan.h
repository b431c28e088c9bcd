// The plan of a round: who may take part in it, and on which terms.
#ifndef AIRLOT_SIMULATION_ROUND_PLAN_H_
#define AIRLOT_SIMULATION_ROUND_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "airlot/simulation.h"

namespace airlot::simulation {

// The setting's plan where nothing changes. Where channels fade, each round is planned for its own
// channel (191); where devices have batteries, those that could not pay for their participation
// stay out (192). Setting and state must outlive it.
class RoundPlan {
 public:
  RoundPlan(const Setting& setting, RunState& state);

  // Plans round `state.round`.
  void StartRound();

  const Cell& cell() const { return cell_; }
  std::uint64_t version() const { return version_; }  // another number when the plan is another
  std::span<const double> probability() const { return probability_; }
  std::span<const double> power_w() const { return power_w_; }
  // Time and energy of taking part once as planned, without what is spent in any case.
  ParticipationCost CostOfPlanned(std::size_t device) const;

  double empty_batteries() const { return empty_batteries_; }  // NaN: all have mains
  // Somebody who lacks the charge is being charged: if nobody takes part, the round waits for it.
  bool waits_for_charge() const { return waits_for_charge_; }

 private:
  void PlanForChannel();
  void LeaveOutEmpty();

  const Setting& setting_;
  RunState& state_;
  Cell cell_;
  const bool fades_, has_batteries_;
  Values noise_to_gain_w_, planned_probability_, planned_power_w_;  // where it fades
  Values paid_probability_;                                         // with batteries
  std::span<const double> probability_, power_w_;
  std::uint64_t version_ = 0;
  double empty_batteries_;
  bool waits_for_charge_ = false;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_ROUND_PLAN_H_
