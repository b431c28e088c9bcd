// ChargedProbe lets the devices of a run answer questions, and the ledger charges them for it.
#ifndef AIRLOT_SIMULATION_CHARGED_PROBE_H_
#define AIRLOT_SIMULATION_CHARGED_PROBE_H_

#include <optional>

#include "airlot/simulation.h"
#include "simulation/ledger.h"

namespace airlot::simulation {

class ChargedProbe : public Probe {
 public:
  ChargedProbe(const Setting& setting, Backend& backend, Ledger& ledger)
      : setting_(setting), backend_(backend), ledger_(ledger) {}

  // Questions are about this round until the next call.
  void StartRound(const TrainingRound& round) { round_ = round; }

  // Those who cannot pay for their answer, as may be with strict budgets, give NaN.
  void Ask(const Question& question, std::span<const std::uint32_t> devices,
           std::span<double> answers) override;

  // Returns the time that the program spent on answers since the last call, or nothing if nobody
  // was asked.
  std::optional<double> TakeSeconds();

 private:
  // Has all of these devices answer, which can pay for it.
  void Answer(const Question& question, std::span<const std::uint32_t> devices,
              std::span<double> answers);
  void FindAccuracies(std::span<const std::uint32_t> devices, std::span<double> answers);

  const Setting& setting_;
  Backend& backend_;
  Ledger& ledger_;
  TrainingRound round_;
  double seconds_ = 0;
  bool was_asked_ = false;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_CHARGED_PROBE_H_
