// The books of time and energy.
#ifndef AIRLOT_SIMULATION_LEDGER_H_
#define AIRLOT_SIMULATION_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "airlot/simulation.h"
#include "simulation/round_plan.h"

namespace airlot::simulation {

// Of a number that a device tells.
inline constexpr double kReportBits = 32;

// Writes into the state of a run; setting, plan and state must outlive it.
class Ledger {
 public:
  Ledger(const Setting& setting, const RoundPlan& plan, RunState& state);

  void StartRound();

  // Devices are asked something before the round: they get the model, in one multicast for all
  // questions of the round, compute, and report a number. A loss takes a forward pass over
  // `batch` of a device's samples, or all where 0; an update takes all of its computation, and it
  // then need not compute any more in this round. (65), (66)
  void ChargeLosses(std::span<const std::uint32_t> devices, std::size_t batch);
  void ChargeUpdates(std::span<const std::uint32_t> devices);
  // A number that needs neither the model nor computation. (211)
  void ChargeFigures(std::span<const std::uint32_t> devices);
  // They take part on trial: they get the model, compute and send. (212)
  void ChargeRehearsal(const Selection& selection);

  // Books a round: it takes as long as its slowest participant, or as their turns (93); each
  // participant spends the energy of its upload and computation, and where computation is spent in
  // any case, every device that. An empty round takes `empty_s`. (55) With each update go
  // `report_bits` more. (213) Batteries pay for it and are charged meanwhile. (193)
  void Book(const Selection& selection, double empty_s, double report_bits = 0);

  // Of the participants of the last round that was booked: time of each, and their mean (60), NaN
  // where there are none.
  std::span<const double> durations_s() const { return durations_s_; }
  double MeanDuration() const;

 private:
  ParticipationCost CostOfSeat(const Selection& selection, std::size_t seat) const;
  Terms TermsOf(const Selection& selection, std::size_t seat) const;
  // The model to these: who has it already pays no more for it in this round (190). Returns how
  // much longer the multicast then takes. (92)
  double SendModel(std::span<const std::uint32_t> devices);
  double ReceiveEnergy(std::uint32_t device) const;  // without what is spent in any case
  // The slowest report; share(device) of T^c and E^c each.
  template <class Share>
  void ChargeAnswers(std::span<const std::uint32_t> devices, const Share& share);
  void Spend(std::uint32_t device, double energy_j);
  void Harvest();

  const Setting& setting_;
  const RoundPlan& plan_;
  const Cell& cell_;
  RunState& state_;
  double round_start_s_ = 0;
  double model_s_ = 0;                             // of this round's multicast so far
  std::vector<bool> has_computed_, has_received_;  // in this round; empty: none has
  std::vector<double> durations_s_;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_LEDGER_H_
