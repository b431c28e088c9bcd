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

constexpr std::array kFadings{
    FadingEntry{Fading::kNone, "none", "The gain is the same in every round."},
    FadingEntry{Fading::kRayleigh, "rayleigh", "There are many paths, and none of them is direct."},
    FadingEntry{Fading::kRician, "rician",
                "There is a direct path among many others, radio.rician_k_db."},
    FadingEntry{Fading::kNakagami, "nakagami",
                "The gain is Gamma-distributed, of shape radio.nakagami_m."},
};

constexpr std::size_t kBlock = 256;  // devices whose bits are drawn at once
using Words = std::array<std::uint64_t, kBlock>;

// FadingBits are the random numbers of the devices in a round of fading.
struct FadingBits {
  std::uint64_t seed, round;
  std::size_t first_device;

  // Draws one word for each device from the `begin`-th on, for this purpose.
  std::span<const std::uint64_t> Get(base::Purpose purpose, std::size_t begin, std::size_t size,
                                     Words& words) const {
    const std::span bits = std::span(words).first(size);
    base::DeviceBits(seed, purpose, round, first_device + begin, bits);
    return bits;
  }
  std::array<std::uint64_t, 4> Again(std::size_t i, std::uint64_t block) const {
    return base::StreamBlock(seed, radio::kFadingAgain, round, first_device + i, block);
  }
};

// Calls fill(begin, gains of this block). To draw first all bits of a block and then compute all
// functions of them takes half the time of one stream after the other.
template <class FillBlock>
void ForBlocks(std::span<double> gains, const FillBlock& fill) {
  for (std::size_t begin = 0; begin < gains.size(); begin += kBlock) {
    fill(begin, gains.subspan(begin, std::min(kBlock, gains.size() - begin)));
  }
}

void FillRayleigh(const FadingBits& round, std::span<double> gains) {
  Words words;
  ForBlocks(gains, [&](std::size_t begin, std::span<double> block) {
    radio::RayleighGains(round.Get(radio::kFading, begin, block.size(), words), block);
  });
}

void FillRician(const FadingBits& round, ColumnView rician_k, std::span<double> gains) {
  Words radius_words, phase_words;
  std::array<double, kBlock> ks;
  ForBlocks(gains, [&](std::size_t begin, std::span<double> block) {
    const auto radius = round.Get(radio::kFading, begin, block.size(), radius_words);
    const auto phase = round.Get(radio::kFadingPhase, begin, block.size(), phase_words);
    const std::span k = std::span(ks).first(block.size());
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = rician_k[round.first_device + begin + i];
    radio::RicianGains(radius, phase, k, block);
  });
}

// GammaDraws draws, by (36), Gamma numbers of this shape >= 1 and scale 1, which are tried in
// vectors: all by the quick test, those that it refuses by the exact one, and those that this
// refuses again with three words of a block of their stream each time, until all are accepted.
class GammaDraws {
 public:
  GammaDraws(const FadingBits& round, double shape) : round_(round), shape_(shape) {}

  void Fill(std::size_t begin, std::span<double> gammas) {
    const std::size_t size = gammas.size();
    radio::GammaTries(round_.Get(radio::kFading, begin, size, radius_),
                      round_.Get(radio::kFadingPhase, begin, size, phase_),
                      round_.Get(radio::kFadingAccept, begin, size, accept_), shape_,
                      radio::GammaTest::kQuick, gammas);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < size; ++i) {
      refused_[refused] = i;
      radius_[refused] = radius_[i];
      phase_[refused] = phase_[i];
      accept_[refused] = accept_[i];
      refused += gammas[i] < 0 ? 1 : 0;
    }
    refused = TryExactly(refused, gammas);
    for (std::uint64_t block = 0; refused > 0; ++block) {
      for (std::size_t j = 0; j < refused; ++j) {
        const auto words = round_.Again(begin + refused_[j], block);
        radius_[j] = words[0];
        phase_[j] = words[1];
        accept_[j] = words[2];
      }
      refused = TryExactly(refused, gammas);
    }
  }

 private:
  // Returns how many of the tries are refused again; those then come first.
  std::size_t TryExactly(std::size_t refused, std::span<double> gammas) {
    const auto first = [&](auto& values) { return std::span(values).first(refused); };
    radio::GammaTries(first(radius_), first(phase_), first(accept_), shape_,
                      radio::GammaTest::kExact, first(tries_));
    std::size_t left = 0;
    for (std::size_t j = 0; j < refused; ++j) {
      gammas[refused_[j]] = tries_[j];
      refused_[left] = refused_[j];
      left += tries_[j] < 0 ? 1 : 0;
    }
    return left;
  }

  const FadingBits& round_;
  double shape_;
  Words radius_, phase_, accept_;
  std::array<std::size_t, kBlock> refused_;
  std::array<double, kBlock> tries_;
};

// The gains are those of (R27), by (35) where the shape is below 1.
void FillNakagami(const FadingBits& round, double m, std::span<double> gains) {
  GammaDraws draws(round, m < 1 ? m + 1 : m);
  Words power_words;
  std::array<double, kBlock> exponentials;
  ForBlocks(gains, [&](std::size_t begin, std::span<double> block) {
    draws.Fill(begin, block);
    for (double& gain : block) gain *= 1 / m;
    if (m >= 1) return;
    const std::span logs = std::span(exponentials).first(block.size());
    radio::RayleighGains(round.Get(radio::kFadingPower, begin, block.size(), power_words), logs);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] *= std::exp(-logs[i] / m);
  });
}

}  // namespace

std::span<const FadingEntry> Fadings() { return kFadings; }

std::string_view FadingName(Fading fading) {
  const auto* entry = std::ranges::find(kFadings, fading, &FadingEntry::fading);
  AIRLOT_CHECK(entry != kFadings.end(), "fading {}", static_cast<int>(fading));
  return entry->name;
}

void DrawFading(const FadingModel& fading, ColumnView rician_k, std::uint64_t seed,
                std::uint64_t round, std::size_t first_device, std::span<double> gains) {
  const FadingBits bits{seed, round, first_device};
  switch (fading.kind) {
    case Fading::kNone:
      std::ranges::fill(gains, 1.0);
      return;
    case Fading::kRayleigh:
      return FillRayleigh(bits, gains);
    case Fading::kRician:
      return FillRician(bits, rician_k, gains);
    case Fading::kNakagami:
      return FillNakagami(bits, fading.nakagami_m, gains);
  }
  AIRLOT_CHECK(false, "fading {}", static_cast<int>(fading.kind));
}

}  // namespace airlot
