// This file computes the time and energy of taking part, on any terms.
#include "airlot/cell.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "airlot/link.h"
#include "planning/device.h"

namespace airlot {

// The columns scale by the ratio of the bands, not band by band as in `NoiseToGain`: both orders of
// operations are in the bytes of runs.
BandColumns ColumnsIn(const Cell& cell, std::size_t device, double bandwidth_hz) {
  const double own_w = cell.problem.noise_to_gain_w[device];
  const double ratio = cell.noise_grows_with_band ? bandwidth_hz / cell.bandwidth_hz[device] : 1;
  const bool can_send = cell.problem.samples[device] != 0;
  return {
      .noise_to_gain_w = ScaledNoise(own_w, ratio, 1),
      .nat_time_s = can_send ? NatTime(cell.update_bits[device], bandwidth_hz) : planning::kNoBand};
}

double NoiseToGain(const Cell& cell, std::size_t device, double bandwidth_hz) {
  const double own_w = cell.problem.noise_to_gain_w[device] * cell.problem.snr_gap;
  if (!cell.noise_grows_with_band) return own_w;
  return ScaledNoise(own_w, bandwidth_hz, cell.bandwidth_hz[device]);
}

double SendTime(const Cell& cell, std::size_t device, double power_w, double bandwidth_hz,
                double bits) {
  const double snr = power_w / NoiseToGain(cell, device, bandwidth_hz);
  const double max_nats = MaxNatsPerHertz(cell.problem.spectral_efficiency_cap);
  return SendTime(bits, bandwidth_hz, NatsOfSnr(cell.problem.steps, snr, max_nats));
}

double SendPower(const Cell& cell, std::size_t device, double bandwidth_hz, double bits,
                 double time_s) {
  const double noise_to_gain_w = NoiseToGain(cell, device, bandwidth_hz);
  const double nats = NatsForTime(bits, bandwidth_hz, time_s);
  if (!cell.problem.steps.has_rates()) return PowerOfNats(noise_to_gain_w, nats);
  for (const RateRow& row : cell.problem.steps.rates) {  // (D2)
    if (row.bit_per_s_per_hz * std::numbers::ln2 >= nats) return noise_to_gain_w * row.snr;
  }
  return std::numeric_limits<double>::infinity();
}

double FitPower(const Cell& cell, std::size_t device, double bandwidth_hz, double power_w) {
  const RadioSteps& steps = cell.problem.steps;
  if (!steps.any()) return power_w;
  const double least_w =
      steps.has_rates() ? NoiseToGain(cell, device, bandwidth_hz) * steps.rates.front().snr : 0;
  return PowerFrom(steps, cell.problem.max_power_w[device], std::max(power_w, least_w));
}

ParticipationCost CostOf(const Cell& cell, std::size_t device, const Terms& terms,
                         const ParticipationPart& part) {
  const double bits = terms.update_bits.value_or(cell.update_bits[device]);
  ParticipationCost cost;
  if (bits > 0) {
    cost.upload_s = SendTime(cell, device, terms.power_w, terms.bandwidth_hz, bits);
  }
  cost.compute_s = part.compute_share * cell.compute_time_s[device] / terms.cpu_share;
  cost.energy_j = DrawnPower(cell.problem, terms.power_w) * cost.upload_s;  // (E1)
  cost.energy_j += part.compute_share * ComputeEnergy(cell, device, terms.cpu_share) +
                   (part.includes_reception ? ReceiveEnergy(cell, device) : 0);
  return cost;
}

// A table of rates is that of uploads, but its last row caps what the server sends, too.
double ReceiveTime(const Cell& cell, std::size_t device) {
  const double snr = cell.server_power_w / NoiseToGain(cell, device, cell.total_bandwidth_hz);
  const RadioSteps& steps = cell.problem.steps;
  const double max_nats = MaxNatsPerHertz(steps.has_rates() ? steps.rates.back().bit_per_s_per_hz
                                                            : cell.problem.spectral_efficiency_cap);
  return SendTime(cell.model_bits, cell.total_bandwidth_hz, NatsPerHertz(snr, max_nats));
}

double ComputeEnergy(const Cell& cell, std::size_t device, double cpu_share) {
  const double drawn_j = FixedEnergyOf(cell.problem, device).drawn_j;
  return (drawn_j - ReceiveEnergy(cell, device)) * cpu_share * cpu_share;
}

double ReceiveEnergy(const Cell& cell, std::size_t device) {
  return planning::EnergyRuleOf(cell.problem).drawn * cell.receive_energy_j[device];
}

}  // namespace airlot
