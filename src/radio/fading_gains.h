// Fading from random bits, in vectors: the same bits on every machine, which std::log and std::cos
// do not promise.
#ifndef AIRLOT_RADIO_FADING_GAINS_H_
#define AIRLOT_RADIO_FADING_GAINS_H_

#include <cstdint>
#include <span>

namespace airlot::radio {

// All spans of a call are equally long. Bits become a number u that is uniform on the midpoints of
// 2^52 equal parts of (0, 1).

// (R25): -ln u, so that a gain is from 1.1e-16 to 36.8. Within 8e-16 relative
// (docs/radio.md).
void RayleighGains(std::span<const std::uint64_t> bits, std::span<double> gains);

inline double RayleighGain(std::uint64_t bits) {
  double gain;
  RayleighGains({&bits, 1}, {&gain, 1});
  return gain;
}

// (R30), at least 2^-100. Where k = 0, it is RayleighGains of `radius_bits`.
void RicianGains(std::span<const std::uint64_t> radius_bits,
                 std::span<const std::uint64_t> phase_bits, std::span<const double> k,
                 std::span<double> gains);

// One try of each at (36), from the normal numbers (R31): Gamma numbers of this shape >= 1 and
// scale 1, or -1 where it is refused. The quick test is Marsaglia and Tsang's: what it accepts,
// (36) accepts, but it refuses more.
enum class GammaTest : std::uint8_t { kQuick, kExact };
void GammaTries(std::span<const std::uint64_t> radius_bits,
                std::span<const std::uint64_t> phase_bits,
                std::span<const std::uint64_t> accept_bits, double shape, GammaTest test,
                std::span<double> gammas);

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_FADING_GAINS_H_
