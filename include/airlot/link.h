// These functions are the link of one device in plain numbers, power -> nats -> time and energy,
// (2) to (5) of docs/mathematics.md. Everybody who prices a transmission asks them.
//
// A noise-to-gain g holds the SNR gap already, except where a comment says otherwise. Two functions
// give the time of an upload: `TimeOfNats` of a nat time that was computed once for a whole fleet,
// and `SendTime` of any bits in any band. They agree to rounding, and each keeps its own order of
// operations so that runs keep their bytes.
#ifndef AIRLOT_LINK_H_
#define AIRLOT_LINK_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace airlot {

// Returns how many nats these bits are.
[[nodiscard]] inline double NatsOfBits(double bits) { return bits * std::numbers::ln2; }

// Returns the spectral-efficiency cap ρ, in bit/s/Hz, as nats per second and hertz.
[[nodiscard]] inline double MaxNatsPerHertz(double spectral_efficiency_cap) {
  return spectral_efficiency_cap * std::numbers::ln2;
}

// Returns u = ln(1 + SNR), (3), in nats per second and hertz, up to the cap. The SNR, P/g, counts
// the gap.
[[nodiscard]] inline double NatsPerHertz(
    double snr, double max_nats_per_hertz = std::numeric_limits<double>::infinity()) {
  return std::min(std::log1p(snr), max_nats_per_hertz);
}

// Returns the power at which a link carries u nats per second and hertz, (9).
[[nodiscard]] inline double PowerOfNats(double noise_to_gain_w, double nats_per_hertz) {
  return noise_to_gain_w * std::expm1(nats_per_hertz);
}

// Returns L = S·ln2/B, (4): how long an update takes at one nat per second and hertz.
[[nodiscard]] inline double NatTime(double update_bits, double bandwidth_hz) {
  return NatsOfBits(update_bits) / bandwidth_hz;
}

// Returns T = L/u, (4).
[[nodiscard]] inline double TimeOfNats(double nat_time_s, double nats_per_hertz) {
  return nat_time_s / nats_per_hertz;
}

// SendTime is the time to send any bits in any band, (64), and NatsForTime is the u at which they
// take a given time.
[[nodiscard]] inline double SendTime(double bits, double bandwidth_hz, double nats_per_hertz) {
  return NatsOfBits(bits) / (bandwidth_hz * nats_per_hertz);
}
[[nodiscard]] inline double NatsForTime(double bits, double bandwidth_hz, double time_s) {
  return NatsOfBits(bits) / (bandwidth_hz * time_s);
}

// Returns what a device draws while it radiates a power: P/η + P^c. (E1)
[[nodiscard]] inline double DrawnPower(double power_w, double amplifier_efficiency,
                                       double circuit_power_w) {
  return power_w / amplifier_efficiency + circuit_power_w;
}

// Returns the noise-to-gain where the noise is `noise` instead of `own_noise`. Only their ratio
// counts: they are powers, or the bands of a noise whose power grows with the band.
[[nodiscard]] inline double ScaledNoise(double noise_to_gain_w, double noise, double own_noise) {
  return noise_to_gain_w * noise / own_noise;
}

// Returns the energy of receiving for the time L/u. (Q1)
[[nodiscard]] inline double ReceptionEnergy(double receive_power_w, double nat_time_s,
                                            double nats_per_hertz) {
  return receive_power_w * nat_time_s / nats_per_hertz;
}

}  // namespace airlot

#endif  // AIRLOT_LINK_H_
