#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "airlot/radio.h"
#include "base/check.h"
#include "base/random.h"
#include "radio/fading_gains.h"
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

constexpr std::size_t kBlock = 256;  // devices whose bits are drawn at once
using Words = std::array<std::uint64_t, kBlock>;

// The streams of the devices of a round.
struct RoundStreams {
  std::uint64_t seed, round;
  std::size_t first_device;

  template <class... Spans>
  void FirstBits(std::size_t begin, Spans... words) const {
    base::FirstBits(seed, radio::kFading, round, first_device + begin, {words...});
  }
  RandomStream Stream(std::size_t i) const {
    return {seed, radio::kFading, round, first_device + i};
  }
};

// Calls fill(begin, gains of this block); first all bits of a block, then all functions of them
// takes half the time of one stream after the other.
template <class FillBlock>
void ForBlocks(std::span<double> gains, const FillBlock& fill) {
  for (std::size_t begin = 0; begin < gains.size(); begin += kBlock) {
    fill(begin, gains.subspan(begin, std::min(kBlock, gains.size() - begin)));
  }
}

void FillRayleigh(const RoundStreams& streams, std::span<double> gains) {
  Words words;
  ForBlocks(gains, [&](std::size_t begin, std::span<double> block) {
    const std::span bits = std::span(words).first(block.size());
    streams.FirstBits(begin, bits);
    radio::RayleighGains(bits, block);
  });
}

void FillRician(const RoundStreams& streams, ColumnView rician_k, std::span<double> gains) {
  Words radius_words, phase_words;
  std::array<double, kBlock> ks;
  ForBlocks(gains, [&](std::size_t begin, std::span<double> block) {
    const std::span radius = std::span(radius_words).first(block.size());
    const std::span phase = std::span(phase_words).first(block.size());
    streams.FirstBits(begin, radius, phase);
    const std::span k = std::span(ks).first(block.size());
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = rician_k[streams.first_device + begin + i];
    radio::RicianGains(radius, phase, k, block);
  });
}

double MidpointUniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

// (152) by (33) and (34), the first try of each device in vectors.
void FillNakagami(const RoundStreams& streams, double m, std::span<double> gains) {
  const double shape = m < 1 ? m + 1 : m;
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  Words radius_words, phase_words, accept_words, power_words;
  std::array<double, kBlock> powers;
  ForBlocks(gains, [&](std::size_t begin, std::span<double> block) {
    const std::span radius = std::span(radius_words).first(block.size());
    const std::span phase = std::span(phase_words).first(block.size());
    const std::span accept = std::span(accept_words).first(block.size());
    const std::span power_bits = std::span(power_words).first(block.size());
    streams.FirstBits(begin, radius, phase, accept, power_bits);
    radio::Normals(radius, phase, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const double x = block[i];
      const double root = 1 + c * x;
      const double v = root * root * root;
      const double u = MidpointUniform(accept[i]);
      // The quick test never accepts what (34) refuses.
      const bool accepted = root > 0 && (u < 1 - 0.0331 * (x * x) * (x * x) ||
                                         std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v)));
      block[i] = d / m * v;
      if (!accepted) {  // the tries after the first, behind its four words
        RandomStream stream = streams.Stream(begin + i);
        for (int word = 0; word < 4; ++word) stream.NextBits();
        block[i] = std::exp(stream.LogGamma(shape)) / m;
      }
    }
    if (shape == m) return;
    const std::span power = std::span(powers).first(block.size());
    radio::RayleighGains(power_bits, power);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] *= std::exp(-power[i] / m);
  });
}

}  // namespace

std::span<const FadingEntry> Fadings() { return kFadings; }

std::string_view Name(Fading fading) {
  const auto* entry = std::ranges::find(kFadings, fading, &FadingEntry::fading);
  AIRLOT_CHECK(entry != kFadings.end(), "fading {}", static_cast<int>(fading));
  return entry->name;
}

void DrawFading(const Radio& radio, ColumnView rician_k, std::uint64_t seed, std::uint64_t round,
                std::size_t first_device, std::span<double> gains) {
  const RoundStreams streams{seed, round, first_device};
  switch (radio.fading) {
    case Fading::kNone:
      std::ranges::fill(gains, 1.0);
      return;
    case Fading::kRayleigh:
      return FillRayleigh(streams, gains);
    case Fading::kRician:
      return FillRician(streams, rician_k, gains);
    case Fading::kNakagami:
      return FillNakagami(streams, radio.nakagami_m, gains);
  }
  AIRLOT_CHECK(false, "fading {}", static_cast<int>(radio.fading));
}

}  // namespace airlot
