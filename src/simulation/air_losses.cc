#include "simulation/air_losses.h"

#include <algorithm>
#include <cmath>

#include "simulation/purposes.h"

namespace airlot::simulation {
namespace {

double BitsOf(const Cell& cell, std::uint32_t device, const Terms& terms) {
  return terms.update_bits.value_or(cell.update_bits[device]);
}

}  // namespace

AirLosses::AirLosses(const Setting& setting)
    : fleet_(setting.fleet),
      seed_(setting.seed),
      knowledge_(setting.scenario.radio.knowledge),
      packets_(setting.scenario.radio.packets) {}

AirLosses::KnownLink AirLosses::KnownLinkOf(const Cell& cell, std::uint32_t device,
                                            const Terms& terms) const {
  // A rate at the spectral-efficiency cap, or of a row, needs less than the known channel has.
  const double cap = MaxNatsPerHertz(cell.problem.spectral_efficiency_cap);
  const double snr = terms.power_w / NoiseToGain(cell, device, terms.bandwidth_hz);
  double needed = std::min(1.0, std::expm1(cap) / snr);
  if (const auto row = RowOfSnr(cell.problem.steps.rates, snr)) {  // (D2)
    needed = std::min(1.0, cell.problem.steps.rates[*row].snr / snr);
  }
  return {.gain = fleet_.noise_to_gain_w[device] / cell.problem.noise_to_gain_w[device],
          .least_ratio = needed * FromDecibel(-knowledge_.margin_db)};
}

PacketDelivery AirLosses::Send(const Cell& cell, std::uint64_t round, std::uint32_t device,
                               const Terms& terms) const {
  if (!knowledge_.is_perfect()) {
    const KnownLink known = KnownLinkOf(cell, device, terms);
    RandomStream stream(seed_, kChannelError, round, device);
    const double ratio = DrawTrueOverKnown(knowledge_, known.gain, stream);
    if (ratio < known.least_ratio) return {.has_arrived = false};
  }
  RandomStream stream(seed_, kPackets, round, device);
  return SendPackets(packets_, BitsOf(cell, device, terms), stream);
}

double AirLosses::ArrivalProbability(const Cell& cell, std::uint32_t device,
                                     const Terms& terms) const {
  double probability = PacketReliability(packets_, BitsOf(cell, device, terms));
  if (knowledge_.is_perfect()) return probability;
  const KnownLink known = KnownLinkOf(cell, device, terms);
  return probability * (1 - OutageProbability(knowledge_, known.gain, known.least_ratio));
}

}  // namespace airlot::simulation
