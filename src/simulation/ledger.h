// The books of time and energy.
#ifndef AIRLOT_SIMULATION_LEDGER_H_
#define AIRLOT_SIMULATION_LEDGER_H_

#include <cstdint>
#include <span>

#include "airlot/simulation.h"

namespace airlot::simulation {

// Books a round: it takes as long as its slowest participant; each participant spends the energy of
// its upload and computation, and where computation is spent in any case, every device that. An
// empty round takes `empty_s`. (55)
void Book(const Setting& setting, std::span<const std::uint32_t> participants, double empty_s,
          RunState& state);

// Mean time of taking part in a round of these participants; NaN where there are none. (60)
double MeanParticipation(const Setting& setting, std::span<const std::uint32_t> participants);

// Whether each device has spent what its participations, and the rounds, cost in this setting; up
// to the rounding of the sums.
bool Balances(const Setting& setting, const RunState& state);

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_LEDGER_H_
