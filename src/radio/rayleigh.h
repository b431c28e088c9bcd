// Rayleigh fading from random bits, in vectors.
#ifndef AIRLOT_RADIO_RAYLEIGH_H_
#define AIRLOT_RADIO_RAYLEIGH_H_

#include <cstdint>
#include <span>

namespace airlot::radio {

// (150): -ln u for each of `bits`, where u is uniform on the midpoints of 2^52 equal parts of (0,
// 1), so that a gain is from 1.1e-16 to 36.8. Within 4e-16 relative, and the same bits on every
// machine, which std::log does not promise. `gains` is as long as `bits`.
void RayleighGains(std::span<const std::uint64_t> bits, std::span<double> gains);

inline double RayleighGain(std::uint64_t bits) {
  double gain;
  RayleighGains({&bits, 1}, {&gain, 1});
  return gain;
}

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_RAYLEIGH_H_
