// These functions compute fading from random bits, in vectors, with the same bits on every machine,
// which std::log and std::cos do not promise.
#ifndef AIRLOT_RADIO_FADING_GAINS_H_
#define AIRLOT_RADIO_FADING_GAINS_H_

#include <cstdint>
#include <span>

namespace airlot::radio {

// All spans of a call are equally long. Bits become a number u that is uniform on the midpoints of
// 2^52 equal parts of (0, 1).

// The gains are (R25): -ln u, so that a gain is from 1.1e-16 to 36.8. They are exact within 8e-16
// relative (docs/radio.md).
void RayleighGains(std::span<const std::uint64_t> bits, std::span<double> gains);

inline double RayleighGain(std::uint64_t bits) {
  double gain;
  RayleighGains({&bits, 1}, {&gain, 1});
  return gain;
}

// The gains are (R30), at least 2^-100. Where k = 0, they are RayleighGains of `radius_bits`.
void RicianGains(std::span<const std::uint64_t> radius_bits,
                 std::span<const std::uint64_t> phase_bits, std::span<const double> k,
                 std::span<double> gains);

// Tries (36) once for each, from the normal numbers (R31): it gives Gamma numbers of this shape >=
// 1 and scale 1, or -1 where one is refused. The quick test is Marsaglia and Tsang's: what it
// accepts, (36) accepts, but it refuses more.
enum class GammaTest : std::uint8_t { kQuick, kExact };
void GammaTries(std::span<const std::uint64_t> radius_bits,
                std::span<const std::uint64_t> phase_bits,
                std::span<const std::uint64_t> accept_bits, double shape, GammaTest test,
                std::span<double> gammas);

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_FADING_GAINS_H_
