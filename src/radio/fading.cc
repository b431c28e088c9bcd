#include <algorithm>
#include <array>
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

// Uniform on the midpoints of 2^52 equal parts of (0, 1): never 0 and never 1.
double InnerUniform(RandomStream& stream) {
  return (static_cast<double>(stream.NextBits() >> 12) + 0.5) * 0x1p-52;
}

// (150); from 1.1e-16 to 36.8.
double DrawRayleigh(RandomStream& stream) { return -std::log(InnerUniform(stream)); }

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
      return fill([](RandomStream& stream, std::size_t) { return DrawRayleigh(stream); });
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
