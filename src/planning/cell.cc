// Time and energy of sending, on any terms.
#include "airlot/cell.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace airlot {

double NoiseToGain(const Cell& cell, std::size_t device, double bandwidth_hz) {
  const double own_w = cell.problem.noise_to_gain_w[device] * cell.problem.snr_gap;
  return cell.noise_grows_with_band ? own_w * bandwidth_hz / cell.bandwidth_hz[device] : own_w;
}

double SendTime(const Cell& cell, std::size_t device, double power_w, double bandwidth_hz,
                double bits) {
  const double noise_to_gain_w = NoiseToGain(cell, device, bandwidth_hz);
  const double nats = std::min(std::log1p(power_w / noise_to_gain_w),
                               cell.problem.spectral_efficiency_cap * std::numbers::ln2);
  return bits * std::numbers::ln2 / (bandwidth_hz * nats);
}

double SendPower(const Cell& cell, std::size_t device, double bandwidth_hz, double bits,
                 double time_s) {
  const double nats = bits * std::numbers::ln2 / (bandwidth_hz * time_s);
  return NoiseToGain(cell, device, bandwidth_hz) * std::expm1(nats);
}

ParticipationCost CostOf(const Cell& cell, std::size_t device, const Terms& terms) {
  const double bits = terms.update_bits.value_or(cell.update_bits[device]);
  ParticipationCost cost;
  cost.upload_s = SendTime(cell, device, terms.power_w, terms.bandwidth_hz, bits);
  cost.compute_s = cell.problem.compute_time_s[device] / terms.cpu_share;
  cost.energy_j = DrawnPower(cell.problem, terms.power_w) * cost.upload_s;  // (180)
  if (cell.problem.compute_rule == ComputeRule::kParticipants) {
    const double receive_j = cell.receive_energy_j[device];
    const double compute_j = cell.problem.compute_energy_j[device] - receive_j;
    cost.energy_j += compute_j * terms.cpu_share * terms.cpu_share + receive_j;
  }
  return cost;
}

double ReceiveTime(const Cell& cell, std::size_t device) {
  return SendTime(cell, device, cell.server_power_w, cell.total_bandwidth_hz, cell.model_bits);
}

}  // namespace airlot
