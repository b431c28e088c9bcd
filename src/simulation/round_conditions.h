// The conditions of a round are who may take part in it, over which channel, and with what charge.
#ifndef AIRLOT_SIMULATION_ROUND_CONDITIONS_H_
#define AIRLOT_SIMULATION_ROUND_CONDITIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "airlot/simulation.h"
#include "simulation/state_parts.h"

namespace airlot::simulation {

// This is the cost of taking part once as planned, without what is spent in any case.
struct PlannedCost {
  double upload_s = 0;
  double energy_j = 0;
};

// Says whether a device that spends so much more in the current round has spent at most its budget
// for every round so far. (K15)
bool KeepsBudget(const Setting& setting, const RunState& state, std::size_t device,
                 double energy_j);
// Returns what a device spends in each round in any case.
double AlwaysSpent(const Setting& setting, std::size_t device);

// The conditions are those of the setting's plan where nothing changes. Where channels fade, each
// round is planned for its own channel (Q2); where devices have batteries, those that could not pay
// for their participation stay out (Q3), and so do, with strict budgets, those whose budget could
// not (K15). Setting and state must outlive this object.
class RoundConditions {
 public:
  // `takes_planned_terms` says that all who take part do so on the terms of the plan.
  RoundConditions(const Setting& setting, RunState& state, bool takes_planned_terms = false,
                  bool keeps_budgets = false);

  // Finds the conditions of a round.
  void StartRound(std::uint64_t round);

  const Cell& cell() const { return cell_; }
  // The version is another number whenever the plan is another.
  std::uint64_t version() const { return version_; }
  std::span<const double> probability() const { return probability_; }
  std::span<const double> power_w() const { return power_w_; }
  bool is_strict() const { return is_strict_; }
  // Returns what each device can spend in this round beside what it spends in any case, for a
  // strategy that keeps budgets itself; empty for others.
  std::span<const double> energy_left_j() const { return energy_left_j_; }
  PlannedCost CostOfPlanned(std::size_t device) const;
  bool fades() const { return fades_; }  // whether each round has a channel of its own

  // Returns how many devices stay out for want of charge, or nothing where all have mains.
  std::optional<double> empty_batteries() const { return empty_batteries_; }
  // Tells whether a device that lacks charge is being charged: if nobody takes part, the round
  // waits for it.
  bool waits_for_charge() const { return waits_for_charge_; }

 private:
  void PlanForChannel(std::uint64_t round);
  void LeaveOutPoor(std::uint64_t round);
  void FindEnergyLeft();
  bool HasCharge(std::size_t device) const;
  bool HasBudget(std::size_t device) const;
  std::span<const double> planned_probability() const;

  const Setting& setting_;
  const RunState& state_;
  Batteries* const batteries_;                 // It is null where all devices have mains.
  PlannedProbabilities* const probabilities_;  // It is null where every round has the same plan.
  Cell cell_;
  const bool fades_;
  const bool is_strict_;  // whether budgets are
  const bool takes_planned_terms_;
  const bool keeps_budgets_;  // the strategy does
  ColumnValues energy_left_j_;
  // These are used where channels fade.
  ColumnValues noise_to_gain_w_, planned_probability_, planned_power_w_;
  ColumnValues paid_probability_;  // It is used where devices have batteries or strict budgets.
  std::span<const double> probability_, power_w_;
  std::uint64_t version_ = 0;
  std::optional<double> empty_batteries_;
  bool waits_for_charge_ = false;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_ROUND_CONDITIONS_H_
