#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "airlot/radio.h"
#include "base/check.h"
#include "base/random.h"
#include "radio/purposes.h"
#include "radio/rayleigh.h"

namespace airlot {
namespace {

using base::RandomStream;

constexpr std::array kFadings{
    FadingEntry{Fading::kNone, "none", "The gain is the same in every round."},
    FadingEntry{Fading::kRayleigh, "rayleigh", "Many paths and none of them direct."},
    FadingEntry{Fading::kRician, "rician", "A direct path among many others, radio.rician_k_db."},
    FadingEntry{Fading::kNakagami, "nakagami", "A shape in between, radio.nakagami_m."},
};

double DrawRayleigh(RandomStream& stream) { return radio::RayleighGain(stream.NextBits()); }

// The same for many devices: first all bits of a block, then all logarithms (measured: half the
// time of a stream after the other).
void FillRayleigh(std::uint64_t seed, std::uint64_t round, std::size_t first_device,
                  std::span<double> gains) {
  std::array<std::uint64_t, 256> bits;
  for (std::size_t begin = 0; begin < gains.size(); begin += bits.size()) {
    const std::size_t size = std::min(bits.size(), gains.size() - begin);
    base::FirstBits(seed, radio::kFading, round, first_device + begin, std::span(bits).first(size));
    radio::RayleighGains(std::span(bits).first(size), gains.subspan(begin, size));
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
