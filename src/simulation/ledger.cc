#include "simulation/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace airlot {

double JainIndex(std::span<const std::uint32_t> participations) {
  double sum = 0, squares = 0;
  for (const double count : participations) {
    sum += count;
    squares += count * count;
  }
  return squares == 0 ? 1 : sum * sum / (double(participations.size()) * squares);
}

namespace simulation {

void Book(const Setting& setting, std::span<const std::uint32_t> participants, double empty_s,
          RunState& state) {
  double slowest_s = participants.empty() ? empty_s : 0;
  for (const std::uint32_t device : participants) {
    slowest_s = std::max(slowest_s, setting.participation_s[device]);
    ++state.participations[device];
    state.energy_spent_j[device] += setting.participation_j[device];
    state.energy_j += setting.participation_j[device];
  }
  for (std::size_t device = 0; device < setting.always_j.size(); ++device) {
    state.energy_spent_j[device] += setting.always_j[device];
    state.energy_j += setting.always_j[device];
  }
  state.time_s += slowest_s;
}

double MeanParticipation(const Setting& setting, std::span<const std::uint32_t> participants) {
  if (participants.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum_s = 0;
  for (const std::uint32_t device : participants) sum_s += setting.participation_s[device];
  return sum_s / double(participants.size());
}

bool Balances(const Setting& setting, const RunState& state) {
  // A sum of n numbers that are not negative is off by less than n roundings; a round adds two.
  const double rounds = double(state.round);
  const double tolerance = (2 * rounds + 8) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    const double always_j = setting.always_j.empty() ? 0 : setting.always_j[i];
    const double cost_j = state.participations[i] * setting.participation_j[i] + rounds * always_j;
    if (!(std::abs(state.energy_spent_j[i] - cost_j) <= tolerance * cost_j)) return false;
  }
  return true;
}

}  // namespace simulation
}  // namespace airlot
