// The ledger keeps the books of time and energy.
#ifndef AIRLOT_SIMULATION_LEDGER_H_
#define AIRLOT_SIMULATION_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "airlot/simulation.h"
#include "simulation/air_losses.h"
#include "simulation/round_conditions.h"

namespace airlot::simulation {

// A number that a device reports has this many bits.
inline constexpr double kReportBits = 32;

// A charge is what is asked of a device: to compute, and to send. By default it is to take part
// once.
struct Charge {
  std::uint32_t device = 0;
  Terms terms = {};  // the terms on which it computes and sends
  // It includes E^r, unless the device has paid for it already in this round. (Q1)
  ParticipationPart part = {};
  double report_bits = 0;                   // the bits that follow the update
  std::optional<PlannedCost> planned = {};  // the cost that stands for all but the report
};

// The ledger writes into the state of a run; setting, conditions and state must outlive it.
class Ledger {
 public:
  Ledger(const Setting& setting, const RoundConditions& conditions, RunState& state);

  void StartRound();
  const Cell& cell() const { return cell_; }

  // Says of each device whether it can pay for its answer: with strict budgets some cannot, (K15),
  // and nobody can whose link is below the first row of a table of rates.
  std::vector<bool> WhoCanAnswer(const Question& question,
                                 std::span<const std::uint32_t> devices) const;

  // With strict budgets, takes those out of a selection who cannot pay for their seats, and says
  // whether there were any. (K15)
  bool LeaveOutPoor(Selection& selection, double report_bits = 0) const;

  // Charges devices that answer a question before the round, all at the same time. Those that need
  // the model get it in one multicast for all questions of the round. (69), (70), (71), (72)
  void ChargeAnswers(const Question& question, std::span<const std::uint32_t> devices);

  // Books a round: it takes as long as its slowest participant, or as their turns (67), after the
  // model has come to all of them where that is booked (K1). Each
  // participant spends the energy of its upload and computation; where computation is spent in any
  // case, every device spends that of its own. An empty round takes `empty_s`. (58) With each
  // update go `report_bits` more. (73) Batteries pay for it and are charged meanwhile. (Q4) What
  // is lost on the air costs time and energy all the same. (K9), (K11) Where devices elsewhere were
  // invited, `gathered` says what has arrived, and what was measured is booked in the place of what
  // was planned.
  void Book(const Selection& selection, double empty_s, double report_bits = 0,
            const Gathering* gathered = nullptr);

  // Returns the seats of a selection as planned, for those who are invited to it.
  std::vector<ParticipationRecord> InvitationsOf(const Selection& selection,
                                                 double report_bits = 0) const;

  // These are the seats whose updates have arrived, in rising order, of the last round that was
  // booked.
  std::span<const std::size_t> arrived() const { return arrived_; }
  // These are all seats of that round, in their order.
  std::span<const ParticipationRecord> participations() const { return participations_; }
  const AirLosses& losses() const { return losses_; }
  // Says whether updates that do not arrive are counted: on the air, or from devices elsewhere.
  bool counts_lost() const { return lost_ != nullptr; }
  Terms TermsOf(const Selection& selection, std::size_t seat) const;

  // These are the time of each participant of the last round that was booked, and the mean of these
  // times (59), if there are any.
  std::span<const double> durations_s() const { return durations_s_; }
  std::optional<double> MeanDuration() const;
  // This is the time that each device of the last answers took.
  std::span<const double> answer_durations_s() const { return answer_durations_s_; }

 private:
  // A bill is what a charge comes to. Its times are 0 where they are not booked.
  struct Bill {
    double compute_s = 0;
    double send_s = 0;
    double energy_j = 0;
    // These two are the parts of the update, which may be sent again; what follows it is not.
    double update_s = 0;
    double update_j = 0;
  };
  Bill BillOf(const Charge& charge) const;
  // Makes a device pay its bill.
  Bill Pay(const Charge& charge);

  Charge ReportOf(std::uint32_t device, double compute_share) const;
  Charge SeatOf(const Selection& selection, std::size_t seat) const;
  ParticipationRecord RecordOf(const Charge& charge, const Bill& bill) const;
  // Puts what was measured into a bill.
  static void Measure(const Arrival& arrival, Bill& bill);
  Terms PlannedTerms(std::uint32_t device) const;
  std::vector<Charge> ChargesOf(const Question& question,
                                std::span<const std::uint32_t> devices) const;
  double LossShare(std::uint32_t device, std::size_t batch) const;

  // Sends the model to these devices for a question: one that has it already pays no more for it in
  // this round (Q1).
  void SendModel(std::span<const std::uint32_t> devices);
  // Books how much longer the multicast of the model takes for these devices, where downloads are
  // booked. (66), (K1)
  void BookDownload(std::span<const std::uint32_t> devices);
  // Returns what the device has spent: no more than its battery has.
  double Spend(std::uint32_t device, double energy_j);
  // Sends the update of a seat, and adds to the bill what is sent again. Says whether it arrives. A
  // device stops where its battery or its strict budget is used up.
  bool Send(const Charge& charge, Bill& bill) const;
  // Returns what a device can spend in this round beside what it has spent: infinity where neither
  // battery nor budget limits it.
  double EnergyLeft(std::uint32_t device) const;
  void SpendInAnyCase();
  void Harvest();

  const Setting& setting_;
  const RoundConditions& conditions_;
  const Cell& cell_;
  RunState& state_;
  Batteries* const batteries_;  // It is null where all devices have mains.
  LostUpdates* lost_;           // It is null where all updates arrive.
  const AirLosses losses_;
  const bool is_strict_;  // whether budgets are
  double round_start_s_ = 0;
  double model_s_ = 0;  // time of this round's multicast so far
  // These flags are of this round; an empty list means that no device has.
  std::vector<bool> has_computed_, has_received_;
  std::vector<double> durations_s_, answer_durations_s_;
  std::vector<std::size_t> arrived_;
  std::vector<ParticipationRecord> participations_;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_LEDGER_H_
