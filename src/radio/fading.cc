#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "airlot/radio.h"
#include "base/check.h"
#include "base/random.h"
#include "radio/purposes.h"

namespace airlot {
namespace {

using base::RandomStream;

constexpr std::array kFadings{
    FadingEntry{Fading::kNone, "none", "The gain is the same in every round."},
    FadingEntry{Fading::kRayleigh, "rayleigh", "Many paths and none of them direct."},
    FadingEntry{Fading::kRician, "rician", "A direct path among many others, radio.rician_k_db."},
    FadingEntry{Fading::kNakagami, "nakagami", "A shape in between, radio.nakagami_m."},
};

// (150): -ln u, where u is uniform on the midpoints of 2^52 equal parts of (0, 1), so that X is
// from 1.1e-16 to 36.8. u = m·2^-k with m in [sqrt(1/2), sqrt(2)), and (146). Within 4e-16
// relative.
//
// std::log would do, but not in vectors, and its last bit depends on the machine. Here every line
// is a vector instruction that all of them have; there is no fused multiplication.
double RayleighOf(std::uint64_t bits) {
  constexpr std::uint64_t kOne = 0x3FF0000000000000, kSqrtHalf = 0x3FE6A09E667F3BCD,
                          kTwoTo52 = 0x4330000000000000;
  const double u = (std::bit_cast<double>((bits >> 12) | kOne) - 1) + 0x1p-53;
  const std::uint64_t above = std::bit_cast<std::uint64_t>(u) - kSqrtHalf;
  const std::uint64_t exponent = above >> 52;  // 2^12 - k, or 0
  const double m = std::bit_cast<double>(std::bit_cast<std::uint64_t>(u) - (exponent << 52));
  const double k = std::bit_cast<double>(((0x1000 - exponent) & 0xFFF) | kTwoTo52) - 0x1p52;
  const double w = (m - 1) / (m + 1);
  const double z = w * w;
  double series = 2.0 / 19;
  for (const double odd : {17, 15, 13, 11, 9, 7, 5, 3}) series = series * z + 2 / odd;
  return k * std::numbers::ln2 - (series * z * w + 2 * w);
}

double DrawRayleigh(RandomStream& stream) { return RayleighOf(stream.NextBits()); }

// The same for many devices: first all bits of a block, then all logarithms (measured: half the
// time of a stream after the other).
void FillRayleigh(std::uint64_t seed, std::uint64_t round, std::size_t first_device,
                  std::span<double> gains) {
  std::array<std::uint64_t, 256> bits;
  for (std::size_t begin = 0; begin < gains.size(); begin += bits.size()) {
    const std::size_t size = std::min(bits.size(), gains.size() - begin);
    base::FirstBits(seed, radio::kFading, round, first_device + begin, std::span(bits).first(size));
    double* out = gains.data() + begin;
    for (std::size_t i = 0; i < size; ++i) out[i] = RayleighOf(bits[i]);
  }
}

// (151). Without a direct path it is the Rayleigh draw of the same stream.
double DrawRician(RandomStream& stream, double k) {
  const double scattered = DrawRayleigh(stream) / (k + 1);
  if (k == 0) return scattered;
  const double amplitude = std::sqrt(scattered);
  const double phase = 2 * std::numbers::pi * stream.Uniform();
  const double direct = std::sqrt(k / (k + 1));
  const double real = direct + amplitude * std::cos(phase);
  const double imaginary = amplitude * std::sin(phase);
  // Paths that cancel to the last bit would leave no channel at all.
  return std::max(real * real + imaginary * imaginary, 0x1p-100);
}

// (152)
double DrawNakagami(RandomStream& stream, double m) { return std::exp(stream.LogGamma(m)) / m; }

}  // namespace

std::span<const FadingEntry> Fadings() { return kFadings; }

std::string_view Name(Fading fading) {
  const auto* entry = std::ranges::find(kFadings, fading, &FadingEntry::fading);
  AIRLOT_CHECK(entry != kFadings.end(), "fading {}", static_cast<int>(fading));
  return entry->name;
}

void DrawFading(const Radio& radio, ColumnView rician_k, std::uint64_t seed, std::uint64_t round,
                std::size_t first_device, std::span<double> gains) {
  const auto fill = [&](const auto& draw) {
    for (std::size_t i = 0; i < gains.size(); ++i) {
      RandomStream stream(seed, radio::kFading, round, first_device + i);
      gains[i] = draw(stream, first_device + i);
    }
  };
  switch (radio.fading) {
    case Fading::kNone:
      std::ranges::fill(gains, 1.0);
      return;
    case Fading::kRayleigh:
      return FillRayleigh(seed, round, first_device, gains);
    case Fading::kRician:
      return fill([&](RandomStream& stream, std::size_t device) {
        return DrawRician(stream, rician_k[device]);
      });
    case Fading::kNakagami:
      return fill([&](RandomStream& stream, std::size_t) {
        return DrawNakagami(stream, radio.nakagami_m);
      });
  }
  AIRLOT_CHECK(false, "fading {}", static_cast<int>(radio.fading));
}

}  // namespace airlot
