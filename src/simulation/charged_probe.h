// Devices of a run that answer questions, for what it costs.
#ifndef AIRLOT_SIMULATION_CHARGED_PROBE_H_
#define AIRLOT_SIMULATION_CHARGED_PROBE_H_

#include <optional>

#include "airlot/simulation.h"
#include "simulation/ledger.h"

namespace airlot::simulation {

class ChargedProbe : public Probe {
 public:
  ChargedProbe(const Setting& setting, Backend& backend, const RunState& state, Ledger& ledger)
      : setting_(setting), backend_(backend), state_(state), ledger_(ledger) {}

  void Losses(std::span<const std::uint32_t> devices, std::size_t batch,
              std::span<double> losses) override;
  void UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                   std::span<double> norms) override;
  void Accuracies(std::span<const std::uint32_t> devices, std::span<double> accuracies) override;
  void Figures(std::span<const std::uint32_t> devices) override;
  void Rehearse(const Selection& selection) override;

  // Time of the program that the answers took, since the last call; nothing if nobody was asked.
  std::optional<double> TakeSeconds();

 private:
  const Setting& setting_;
  Backend& backend_;
  const RunState& state_;
  Ledger& ledger_;
  double seconds_ = 0;
  bool was_asked_ = false;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_CHARGED_PROBE_H_
